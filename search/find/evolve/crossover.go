package evolve

import "likc/search/find/tree"

// cross exchanges random subtrees of two tournament winners.
func (w *worker) cross() {
	a, b := w.tournament(), w.tournament()
	if !w.attempt(func() bool { return w.exchange(a.Tree, b.Tree) }) {
		return
	}
	violations := [2]int{a.Violations, b.Violations}
	for k, m := range []*member{&w.child, &w.twin} {
		w.refit(m)
		if w.score(m, violations[k]) {
			w.enter(m)
		}
	}
}

// exchange makes child and twin from a and b; it returns false if one breaks a constraint.
func (w *worker) exchange(a, b tree.Tree) bool {
	startA, endA := w.branch(a)
	startB, endB := w.branch(b)
	if a.Size()-(endA-startA)+(endB-startB) > w.mostNodes || b.Size()-(endB-startB)+(endA-startA) > w.mostNodes {
		return false
	}
	w.child.Splice(a, startA, endA, b.Cut(startB, endB))
	w.twin.Splice(b, startB, endB, a.Cut(startA, endA))
	return w.allowed(w.child.Tree) && w.allowed(w.twin.Tree)
}

// branch chooses an operand of a random operator of t, or t itself if it is a leaf.
func (w *worker) branch(t tree.Tree) (start, end int) {
	i := w.pick(t, isOperator(t))
	if i < 0 {
		return 0, t.Size()
	}
	w.starts = t.Starts(w.starts[:0])
	k := w.operand(t, i)
	return w.starts[k], k + 1
}
