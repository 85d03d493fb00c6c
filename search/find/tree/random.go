package tree

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"likc/compiler/expr"
)

// Set is what trees are made of.
type Set struct {
	Symbols       int     // leaves
	Unary, Binary []Code  // operators by arity
	Constants     bool    // whether Constant leaves are drawn, from the standard normal
	ConstantShare float64 // the share of leaves that are constants; 0: half

	Blocks     []Tree  // small trees that are drawn in the place of leaves
	BlockShare float64 // probability of that
}

// Searchable returns the search set of the operator table over the given number of symbols, without constants.
func Searchable(symbols int) Set {
	s := Set{Symbols: symbols}
	for _, op := range expr.Ops() {
		if op.Info().Searchable {
			s.add(Operator(op))
		}
	}
	return s
}

// With returns the set with the named operators in place of its own. The error names one that is unknown or takes more than two operands.
func (s Set) With(names []string) (Set, error) {
	s.Unary, s.Binary = nil, nil
	for _, name := range names {
		op, ok := expr.ByName(name)
		if !ok || !s.add(Operator(op)) {
			return s, fmt.Errorf("%q is unknown or takes more than two arguments", name)
		}
	}
	return s, nil
}

// add puts an operator of one or two operands in its list.
func (s *Set) add(c Code) bool {
	switch c.Arity() {
	case 1:
		s.Unary = append(s.Unary, c)
	case 2:
		s.Binary = append(s.Binary, c)
	}
	return c.Arity() == 1 || c.Arity() == 2
}

// Leaf appends a random leaf to t, or a block.
func (s *Set) Leaf(r *rand.Rand, t *Tree) {
	if len(s.Blocks) > 0 && r.Float64() < s.BlockShare {
		t.Append(s.Blocks[r.IntN(len(s.Blocks))])
		return
	}
	if s.Constants && s.constant(r) {
		t.Codes, t.Values = append(t.Codes, Constant), append(t.Values, r.NormFloat64())
		return
	}
	t.Codes = append(t.Codes, Code(r.IntN(s.Symbols)))
}

func (s *Set) constant(r *rand.Rand) bool {
	if s.ConstantShare == 0 {
		return r.IntN(2) == 0
	}
	return r.Float64() < s.ConstantShare
}

// Random appends a random tree of the given size to t: operators are drawn evenly by arity, sizes of operands evenly.
// A set without unary operators has odd sizes only, one without binary operators chains only: the nearest smaller size is
// made. A block counts as one node, so that a tree with blocks may be larger than asked.
func (s *Set) Random(r *rand.Rand, t *Tree, size int) {
	binary := size >= 3 && len(s.Binary) > 0
	switch unary := size >= 2 && len(s.Unary) > 0; {
	case unary && (!binary || r.IntN(2) == 0):
		s.Random(r, t, size-1)
		t.Codes = append(t.Codes, s.Unary[r.IntN(len(s.Unary))])
	case binary:
		left := 1 + r.IntN(size-2)
		s.Random(r, t, left)
		s.Random(r, t, size-1-left)
		t.Codes = append(t.Codes, s.Binary[r.IntN(len(s.Binary))])
	default:
		s.Leaf(r, t)
	}
}

// Holds reports whether t consists of what is in the set.
func (s *Set) Holds(t Tree) bool {
	for _, c := range t.Codes {
		ok := slices.Contains(s.Unary, c) || slices.Contains(s.Binary, c) || c == Constant && s.Constants || int(c) < s.Symbols
		if !ok {
			return false
		}
	}
	return true
}
