package evolve

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"likc/compiler/expr"
	"likc/search/find/tree"
)

// rules holds the constraints on expressions in a form that is quick to check.
type rules struct {
	symbols   []string
	set       tree.Set
	maxSize   int
	argument  [256]int    // for each operator code, the largest number of nodes of an operand
	forbidden [256]uint64 // for each operator code, the operators that may not occur below it, as bits expr.Op
	required  uint64      // set of the symbols that must occur
	penalised bool        // whether a constant is a violation
}

// rulesOf returns the constraints for an objective's expressions, with the objective's blocks.
func rulesOf(o Objective, s *Settings) (*rules, error) {
	r, err := newRules(s, o.Symbols())
	if b, ok := o.(Blocker); ok && err == nil && s.Blocks > 0 {
		r.addBlocks(b.Blocks(), s.Blocks)
	}
	return r, err
}

func newRules(s *Settings, symbols []string) (*rules, error) {
	if len(symbols) == 0 || len(symbols) > tree.MaxSymbols {
		return nil, fmt.Errorf("objective: %d symbols: want 1 to %d", len(symbols), tree.MaxSymbols)
	}
	r := &rules{symbols: symbols, set: tree.Searchable(len(symbols)), maxSize: s.MaxSize, penalised: s.Constants == Penalised}
	if s.Operators != nil {
		var err error
		if r.set, err = r.set.With(s.Operators); err != nil {
			return nil, fmt.Errorf("settings: operators: %w", err)
		}
	}
	r.set.Constants, r.set.ConstantShare = s.Constants != None, s.ConstantShare
	for i := range r.argument {
		r.argument[i] = s.MaxSize
	}
	for name, size := range s.ArgumentSize {
		r.argument[code(name)] = size
	}
	for outer, inner := range s.Nesting {
		for _, name := range inner {
			r.forbidden[code(outer)] |= operatorBit(code(name))
		}
	}
	return r, r.require(s)
}

// code returns the code of an operator whose name the settings' check has accepted.
func code(name string) tree.Code {
	op, _ := expr.ByName(name)
	return tree.Operator(op)
}

func init() {
	if len(expr.Ops()) > 64 {
		panic("evolve: more operators than a set of 64 bits can hold")
	}
}

// operatorBit returns the bit of an operator in a set of operators; 0 for a symbol or a constant.
func operatorBit(c tree.Code) uint64 {
	if op, ok := c.Op(); ok {
		return 1 << op
	}
	return 0
}

// require computes the set of symbols that must occur.
func (r *rules) require(s *Settings) error {
	names := s.Required
	if names == nil {
		names = r.symbols
	}
	for _, name := range names {
		if !slices.Contains(r.symbols, name) {
			return fmt.Errorf("settings: required: unknown symbol %s", name)
		}
	}
	for i, name := range r.symbols {
		if slices.Contains(names, name) {
			r.required |= 1 << i
		}
	}
	if least := 2*bits.OnesCount64(r.required) - 1; least > r.maxSize {
		return fmt.Errorf("settings: max_size: %d: the required symbols alone need %d nodes", r.maxSize, least)
	}
	if bits.OnesCount64(r.required) > 1 && len(r.set.Binary) == 0 {
		return errors.New("settings: operators: none takes two arguments, so no expression has all required symbols")
	}
	return nil
}

// admits returns an error if a tree that this search did not make breaks a rule. Missing symbols are not an error here.
func (r *rules) admits(t tree.Tree) error {
	if err := t.Check(len(r.symbols)); err != nil {
		return err
	}
	if err := r.expresses(t); err != nil {
		return fmt.Errorf("%v: %w", t.Expr(r.symbols), err)
	}
	if !newChecker(r).allowed(t) {
		return fmt.Errorf("%v breaks a constraint", t.Expr(r.symbols))
	}
	return nil
}

// expresses returns an error for a constant or an operator that the search does not draw.
func (r *rules) expresses(t tree.Tree) error {
	if t.Constants() > 0 && (r.penalised || !r.set.Constants) {
		return errors.New("has a constant, and the search allows none")
	}
	for _, c := range t.Codes {
		if op, ok := c.Op(); ok && !slices.Contains(r.set.Unary, c) && !slices.Contains(r.set.Binary, c) {
			return fmt.Errorf("the operator %v is not among the search's", op)
		}
	}
	return nil
}

// addBlocks lets the search draw those of the blocks that obey its rules.
func (r *rules) addBlocks(blocks []tree.Tree, share float64) {
	for _, t := range blocks {
		if r.expresses(t) == nil && newChecker(r).allowed(t) {
			r.set.Blocks, r.set.BlockShare = append(r.set.Blocks, t), share
		}
	}
}

// violations returns the number of missing symbols plus that of penalised constants.
func (r *rules) violations(t tree.Tree) int {
	n := bits.OnesCount64(r.required &^ t.Symbols())
	if r.penalised {
		n += t.Constants()
	}
	return n
}

// checker checks trees against rules. It has its own working memory.
type checker struct {
	*rules
	mostNodes int // the largest number of nodes: the rules' maxSize, or less on an island with small expressions
	starts    []int
	below     []uint64 // for each node, the set of operators in the subtree that ends there
}

func newChecker(r *rules) *checker { return &checker{rules: r, mostNodes: r.maxSize} }

// allowed reports whether t meets the constraints on size, on the size of arguments and on nesting.
func (c *checker) allowed(t tree.Tree) bool {
	if t.Size() > c.mostNodes {
		return false
	}
	c.starts, c.below = t.Starts(c.starts[:0]), c.below[:0]
	for i, code := range t.Codes {
		var inside uint64
		end := i - 1
		for range code.Arity() {
			if end-c.starts[end]+1 > c.argument[code] {
				return false
			}
			inside |= c.below[end]
			end = c.starts[end] - 1
		}
		if inside&c.forbidden[code] != 0 {
			return false
		}
		c.below = append(c.below, inside|operatorBit(code))
	}
	return true
}
