package evolve

import "likc/search/find/tree"

// rotate rotates p at a random operator P that has an operator Q as an operand. In postfix order, a rotation moves one code:
//
//	right:  P(Q(A,B),C) → Q(A,P(B,C))    A B Q C P → A B C P Q
//	left:   P(A,Q(B,C)) → Q(P(A,B),C)    A B C Q P → A B P C Q
//
// The operand of a unary operator counts as left and right.
func (w *worker) rotate(p tree.Tree) bool {
	w.starts = p.Starts(w.starts[:0])
	i := w.pick(p, func(i int) bool { return w.turns(p, i, left(p, w.starts, i)) || w.turns(p, i, i-1) })
	w.child.Copy(p)
	if i < 0 {
		return !w.settings.SkipNeutral
	}
	l := left(p, w.starts, i)
	right := w.turns(p, i, l)
	if right && w.turns(p, i, i-1) {
		right = w.random.IntN(2) == 0
	}
	codes := w.child.Codes
	if right {
		q := codes[l]
		copy(codes[l:i], codes[l+1:i+1])
		codes[i] = q
		return true
	}
	to := i - 1
	if codes[i-1].Arity() == 2 {
		to = w.starts[i-2]
	}
	c := codes[i]
	copy(codes[to+1:i+1], codes[to:i])
	codes[to] = c
	return true
}

// left returns the index of the left operand of the operator at i; -1 for a leaf.
func left(p tree.Tree, starts []int, i int) int {
	switch p.Codes[i].Arity() {
	case 1:
		return i - 1
	case 2:
		return starts[i-1] - 1
	}
	return -1
}

// turns reports whether the operator at i can be rotated with its operand at k. Rotating equal associative operators, or
// twice the same function, changes no value.
func (w *worker) turns(p tree.Tree, i, k int) bool {
	if p.Codes[i].Arity() == 0 || p.Codes[k].Arity() == 0 {
		return false
	}
	same := p.Codes[i] == p.Codes[k] && (p.Codes[i].Arity() == 1 || p.Codes[i].Commutative())
	return !same || !w.settings.SkipNeutral
}
