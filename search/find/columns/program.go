package columns

import (
	"likc/compiler/expr"
	"likc/search/find/tree"
)

// location says where an operand or a result is stored: a symbol's column if it is not negative, and otherwise the memory slot
// ^location.
type location int16

// step computes one node and stores it in a slot. A constant is a step without operands.
type step struct {
	op    expr.Op
	args  [3]location
	dst   location
	value float64
}

// program is a tree translated into steps over memory slots. The steps of `stays` give the same values in all blocks of a panel;
// those of `moves` run for each block.
type program struct {
	stays, moves []step
	result       location
	slots        int // number of slots in use

	stack   []node
	free    []location // free slots for moving values
	resting []location // free slots for staying values
}

// node describes a value on the stack during compilation.
type node struct {
	at    location
	moves bool
}

// compile translates t. moving is the set of symbols that move.
func (p *program) compile(t tree.Tree, moving uint64) {
	p.stays, p.moves, p.stack = p.stays[:0], p.moves[:0], p.stack[:0]
	p.free, p.resting, p.slots = p.free[:0], p.resting[:0], 0
	value := 0
	for _, c := range t.Codes {
		switch {
		case c < tree.Constant:
			p.stack = append(p.stack, node{location(c), moving>>c&1 == 1})
		case c == tree.Constant:
			p.push(step{op: expr.Const, value: t.Values[value]}, 0)
			value++
		default:
			op, _ := c.Op()
			p.push(step{op: op}, c.Arity())
		}
	}
	p.result = p.stack[0].at
}

// push removes a step's operands from the stack and pushes its result. A slot becomes free after the step that reads it. But a
// staying value that a moving step reads keeps its slot, because later blocks read it again.
func (p *program) push(s step, arity int) {
	operands := p.stack[len(p.stack)-arity:]
	moves := false
	for i, o := range operands {
		s.args[i] = o.at
		moves = moves || o.moves
	}
	for _, o := range operands {
		switch {
		case o.at >= 0 || o.moves != moves:
		case moves:
			p.free = append(p.free, o.at)
		default:
			p.resting = append(p.resting, o.at)
		}
	}
	list, steps := &p.resting, &p.stays
	if moves {
		list, steps = &p.free, &p.moves
	}
	s.dst = p.allocate(list)
	*steps = append(*steps, s)
	p.stack = append(p.stack[:len(p.stack)-arity], node{s.dst, moves})
}

// allocate returns a free slot of the list, or else a new slot.
func (p *program) allocate(list *[]location) location {
	if n := len(*list); n > 0 {
		at := (*list)[n-1]
		*list = (*list)[:n-1]
		return at
	}
	p.slots++
	return ^location(p.slots - 1)
}
