package goasm

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"likc/compiler/emit/goasm/lane"
	"likc/compiler/expr"
	"likc/compiler/ir"
)

var inf = math.Inf(1)

// body writes the instructions of a loop's Body for as many trials as a register has lanes.
type body struct {
	*function
	at     int            // where the trials are in each column, in bytes from the loop's offset
	mask   operand.Op     // the lanes that hold a trial; nil: all lanes
	totals []operand.Op   // the sums so far, one for each accumulator
	exact  int            // how many of the next divisions use the division instruction, and no estimate
	step   int            // the index in the Body of the value that is computed now
	live   []*location    // the values that are still needed, in order of definition
	done   map[ir.ID]bool // the values that are computed already
}

// location says where a value is: in a register, in the stack frame, or both.
type location struct {
	id       ir.ID
	register reg.VecVirtual // nil: none
	slot     int            // slot of the stack frame; -1: none
}

// write writes the instructions that compute one register of trials and add the results to the totals.
func (b *body) write() {
	b.addColumns()
	for step, id := range b.Kernel.Body {
		b.step = step
		v := b.Program.Values[id]
		if out, ok := b.multiplyAdd(id); ok {
			x := b.operands(v.Args, true)
			y := x[len(x)-1]
			b.asm.VFMADD231PD(b.masked(y, x[0], b.totals[out])...)
		} else if !b.done[id] {
			b.compute(id)
		}
		b.settle()
	}
}

// addColumns writes the sums of columns. Only loops over nodes have them, because sums of trial columns are computed when data
// are bound.
func (b *body) addColumns() {
	b.step = -1
	for _, id := range b.Kernel.Columns {
		for _, out := range b.outs[id] {
			b.accumulate(out, b.operands([]ir.ID{id}, false)[0].(reg.VecVirtual))
		}
		b.settle()
	}
}

// compute writes the computation of a value, and of its twin, which the same routine gives.
func (b *body) compute(id ir.ID) {
	twin, ok := b.pairs[id]
	if !ok {
		b.define(id, b.apply(b.Program.Values[id]))
		return
	}
	v := b.Program.Values[id]
	both := pairOf(v.Op)
	if v.Op == both.second {
		id, twin = twin, id
	}
	y := b.operation(both.name, v.Args)
	b.define(id, y[0])
	b.define(twin, y[1])
}

// define records that register y holds a value, and adds the value to its sums.
func (b *body) define(id ir.ID, y reg.VecVirtual) {
	b.live, b.done[id] = append(b.live, &location{id, y, -1}), true
	for _, out := range b.outs[id] {
		b.accumulate(out, y)
	}
}

// apply writes the instructions of an operator and returns the register of its result.
func (b *body) apply(v ir.Value) reg.VecVirtual {
	info := v.Op.Info()
	if estimate := estimated[info.Lane.Name]; estimate != nil {
		if b.exact--; b.exact < 0 {
			return estimate(b.Lanes, b.operands(v.Args, false))
		}
	}
	if b.calls && info.Lane.Arithmetic >= long {
		return b.operation(info.Lane.Name, v.Args)[0]
	}
	args := v.Args
	if info.Commutative && b.register(args[0]) == nil {
		args = []ir.ID{args[1], args[0]}
	}
	return operations[info.Lane.Name](b.Lanes, b.operands(args, info.Lane.MemoryLast))
}

// divisions returns the number of divisions in the Body.
func (f *function) divisions() int {
	n := 0
	for _, id := range f.Kernel.Body {
		if estimated[f.Program.Values[id].Op.Info().Lane.Name] != nil {
			n++
		}
	}
	return n
}

// multiplyAdd returns the sum that is the only user of a product, if there is one. One instruction can then multiply and add.
func (b *body) multiplyAdd(id ir.ID) (out int, ok bool) {
	op := b.Program.Values[id].Op
	if op != expr.Mul && op != expr.Square || len(b.uses[id]) > 0 || len(b.outs[id]) != 1 || !b.plan.sums {
		return 0, false
	}
	out = b.outs[id][0]
	total := b.Program.Values[b.Kernel.Outs[out]].Kind != ir.Least
	return out, total && (b.mask == nil || b.opmask())
}

// selected returns the mask in a register, or nil if there is no mask.
func (b *body) selected() reg.Register {
	if b.mask != nil && operand.IsMem(b.mask) {
		return b.Copy(b.mask)
	}
	r, _ := b.mask.(reg.Register)
	return r
}

// opmask reports whether instructions can take the mask as an operand.
func (b *body) opmask() bool { return b.mask != nil && b.ISA() == lane.AVX512 }

// masked returns the operands ops of an instruction, with the mask where needed, so that it changes its last operand only in
// the lanes of the mask.
func (b *body) masked(ops ...operand.Op) []operand.Op {
	if !b.opmask() {
		return ops
	}
	n := len(ops) - 1
	return append(append(append([]operand.Op{}, ops[:n]...), b.mask), ops[n])
}

// accumulate writes the instruction that adds y to a sum, or updates a minimum with y.
func (b *body) accumulate(out int, y reg.VecVirtual) {
	total, inMemory := b.totals[out], operand.IsMem(b.totals[out])
	if inMemory {
		total = b.Copy(total)
	}
	switch {
	case b.Program.Values[b.Kernel.Outs[out]].Kind == ir.Least:
		if b.mask != nil {
			y = b.fill(y, b.selected(), b.Const(inf))
		}
		b.asm.VMOVUPD(b.Min(total.(reg.VecVirtual), y), total)
	case b.mask != nil && !b.opmask():
		b.asm.VADDPD(b.And(y, b.mask), total, total)
	default:
		b.asm.VADDPD(b.masked(y, total, total)...)
	}
	if inMemory {
		b.asm.VMOVUPD(total, b.totals[out])
	}
}

// operands returns operands for arguments. They are registers, but with memoryLast the last one may be memory.
func (b *body) operands(args []ir.ID, memoryLast bool) []operand.Op {
	var x []operand.Op
	for i, id := range args {
		op := b.fetch(id)
		if operand.IsMem(op) && !(memoryLast && i == len(args)-1 && i > 0) {
			op = b.Copy(op)
		}
		x = append(x, op)
	}
	return x
}

// fetch returns the operand that holds a value. A column is loaded into a register if it is in none.
func (b *body) fetch(id ir.ID) operand.Op {
	if op, ok := b.arguments[id]; ok {
		return op
	}
	v := b.Program.Values[id]
	if v.Kind == ir.Const {
		return b.Const(v.Num)
	}
	for i, column := range b.Kernel.Columns {
		if column == id && b.find(id) == nil {
			b.live = append(b.live, &location{id, b.loadMasked(b.columnAt(i).Offset(b.at), b.selected()), -1})
		}
	}
	p := b.find(id)
	if p.register != nil {
		return p.register
	}
	return b.frame.at(p.slot)
}

func (b *body) find(id ir.ID) *location {
	for _, p := range b.live {
		if p.id == id {
			return p
		}
	}
	return nil
}

// register returns the register that holds a value, or nil if the value is in memory.
func (b *body) register(id ir.ID) operand.Op {
	if op := b.fetch(id); !operand.IsMem(op) {
		return op
	}
	return nil
}

// settle drops values that are no longer needed. If more than b.held values are in registers, it moves those that are needed
// last into the stack frame.
func (b *body) settle() {
	var live []*location
	for _, p := range b.live {
		if b.next(p.id) < everything {
			live = append(live, p)
		} else if p.slot >= 0 {
			b.frame.release(p.slot)
		}
	}
	b.live = live
	for {
		held := 0
		var last *location
		for _, p := range live {
			if p.register == nil {
				continue
			}
			held++
			if last == nil || b.next(p.id) > b.next(last.id) {
				last = p
			}
		}
		if held <= b.held {
			return
		}
		b.save(last)
	}
}

// save moves a value from its register into the stack frame.
func (b *body) save(p *location) {
	if p.slot < 0 {
		p.slot = b.frame.reserve()
		b.asm.VMOVUPD(p.register, b.frame.at(p.slot))
	}
	p.register = nil
}

// saveAll moves all values that are needed after this step into the stack frame.
func (b *body) saveAll() {
	for _, p := range b.live {
		if p.register != nil && b.next(p.id) < everything {
			b.save(p)
		}
	}
}

// next returns the next step that reads a value, or `everything` if there is none.
func (b *body) next(id ir.ID) int {
	for _, step := range b.uses[id] {
		if step > b.step {
			return step
		}
	}
	return everything
}
