package evolve

import (
	"iter"

	"likc/search/find/tree"
)

// steps yields the trees that [Polisher.Neighbours] describes. Constants do not change.
func (r *rules) steps(t tree.Tree) iter.Seq[tree.Tree] {
	return func(yield func(tree.Tree) bool) {
		s := &stepper{rules: r, check: newChecker(r), of: t, yield: yield}
		for i := range r.set.Symbols {
			s.leaves = append(s.leaves, tree.Tree{Codes: []tree.Code{tree.Code(i)}})
		}
		s.leaves = append(s.leaves, r.set.Blocks...)
		starts := t.Starts(nil)
		for i := range t.Codes {
			s.start, s.end = starts[i], i+1
			if !s.leaf() || !s.around() || !s.operator(starts) {
				return
			}
		}
	}
}

// stepper makes the trees that differ from a tree by one edit at the subtree from start to end-1.
type stepper struct {
	rules  *rules
	check  *checker
	of     tree.Tree
	leaves []tree.Tree // symbols, then blocks
	yield  func(tree.Tree) bool

	start, end  int
	fresh, next tree.Tree
}

// none is the code for no operator.
const none tree.Code = 0

// put yields the tree with the subtree replaced by the operator op with the operands, or by the single operand if op is none. It
// returns false if the caller wants no more trees.
func (s *stepper) put(op tree.Code, operands ...tree.Tree) bool {
	s.fresh.Clear()
	for _, o := range operands {
		s.fresh.Append(o)
	}
	if op != none {
		s.fresh.Codes = append(s.fresh.Codes, op)
	}
	s.next.Splice(s.of, s.start, s.end, s.fresh)
	if s.next.Equal(s.of) || !s.check.allowed(s.next) || s.rules.violations(s.next) > 0 {
		return true
	}
	return s.yield(s.next)
}

// largestReplaced is the size of the largest subtree that a leaf may replace. Replacing a larger one would change too much at once.
const largestReplaced = 3

// leaf yields the trees in which a leaf replaces the subtree.
func (s *stepper) leaf() bool {
	if s.end-s.start > largestReplaced {
		return true
	}
	for _, leaf := range s.leaves {
		if !s.put(none, leaf) {
			return false
		}
	}
	return true
}

// around yields the trees in which an operator is put around the subtree.
func (s *stepper) around() bool {
	whole := s.of.Cut(s.start, s.end)
	for _, op := range s.rules.set.Unary {
		if !s.put(op, whole) {
			return false
		}
	}
	for _, op := range s.rules.set.Binary {
		for _, leaf := range s.leaves {
			if !s.put(op, whole, leaf) || !op.Commutative() && !s.put(op, leaf, whole) {
				return false
			}
		}
	}
	return true
}

// operator yields the trees in which the subtree's operator is removed or replaced by another one.
func (s *stepper) operator(starts []int) bool {
	last := s.end - 1
	switch s.of.Codes[last].Arity() {
	case 1:
		return s.unary(s.of.Cut(s.start, last))
	case 2:
		middle := starts[last-1]
		return s.binary(s.of.Cut(s.start, middle), s.of.Cut(middle, last))
	}
	return true
}

func (s *stepper) unary(operand tree.Tree) bool {
	for _, op := range s.rules.set.Unary {
		if !s.put(op, operand) {
			return false
		}
	}
	return s.put(none, operand)
}

func (s *stepper) binary(left, right tree.Tree) bool {
	for _, op := range s.rules.set.Binary {
		if !s.put(op, left, right) || !op.Commutative() && !s.put(op, right, left) {
			return false
		}
	}
	return s.put(none, left) && s.put(none, right)
}
