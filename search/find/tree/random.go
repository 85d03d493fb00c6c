package tree

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"likc/compiler/expr"
)

// Set determines of what leaves and operators random trees consist.
type Set struct {
	Symbols       int     // number of symbols
	Unary, Binary []Code  // operators by arity
	Constants     bool    // whether Constant leaves are drawn, from the standard normal
	ConstantShare float64 // probability that a leaf, if Constants is set, is a constant; 0: one half

	Blocks     []Tree  // small trees that may be drawn instead of a leaf
	BlockShare float64 // probability of drawing a block instead of a leaf
}

// Searchable returns a set with the given number of symbols and all operators that the operator table marks as searchable,
// without constants.
func Searchable(symbols int) Set {
	s := Set{Symbols: symbols}
	for _, op := range expr.Ops() {
		if op.Info().Searchable {
			s.add(Operator(op))
		}
	}
	return s
}

// With returns a copy of the set with the named operators instead of its operators. It returns an error for an operator that is
// unknown or has more than two operands.
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

// add appends an operator to the list of its arity, 1 or 2. It returns false for another arity.
func (s *Set) add(c Code) bool {
	switch c.Arity() {
	case 1:
		s.Unary = append(s.Unary, c)
	case 2:
		s.Binary = append(s.Binary, c)
	}
	return c.Arity() == 1 || c.Arity() == 2
}

// Leaf appends a random leaf, or a block, to t.
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

// constant draws whether a leaf is a constant.
func (s *Set) constant(r *rand.Rand) bool {
	if s.ConstantShare == 0 {
		return r.IntN(2) == 0
	}
	return r.Float64() < s.ConstantShare
}

// Random appends a random tree of the given size to t. Whether an operator is unary or binary, the operator itself, and the sizes
// of operands are drawn with equal probabilities. A set without unary operators gives only odd sizes, and one without binary
// operators only chains. If the size is impossible, the nearest smaller one is used. A block counts as one node, so a tree with
// blocks may be larger.
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

// Holds reports whether all nodes of t belong to the set.
func (s *Set) Holds(t Tree) bool {
	for _, c := range t.Codes {
		ok := slices.Contains(s.Unary, c) || slices.Contains(s.Binary, c) || c == Constant && s.Constants || int(c) < s.Symbols
		if !ok {
			return false
		}
	}
	return true
}
