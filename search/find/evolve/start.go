package evolve

import (
	"math/bits"
	"sync/atomic"

	"likc/search/find/tree"
)

// startDraws is the number of trees drawn for one member of a first population. If none is accepted, the population has one member
// fewer for this epoch.
const startDraws = 300

// fill adds first members until the population is complete, the island's evaluations of this epoch are spent, or no new tree is found.
func (w *worker) fill(stop *atomic.Bool) {
	for len(w.out.Members) < w.settings.PopulationSize && !stop.Load() && w.begin() {
		k := len(w.out.Members)
		w.out.resize(k + 1)
		w.out.replace(k, &w.child)
	}
}

// begin makes child a first member of the population: a guess, which is a tree that was given to the search, or a random tree. It returns
// false if the island's evaluations of this epoch are spent, or no random tree was accepted.
func (w *worker) begin() bool {
	if t, ok := w.search.guessed(w.island, len(w.out.Members)); ok && t.Size() <= w.mostNodes {
		w.child.Tree.Copy(t)
		return w.score(&w.child, MostNodes) || !w.spent // no tree has as many as MostNodes violations
	}
	for range startDraws {
		if w.spent {
			return false
		}
		w.seedling()
		switch fits := w.allowed(w.child.Tree); {
		case !fits, w.settings.FeasibleStart && w.violations(w.child.Tree) > 0:
			w.out.counters.Drawn++
			w.out.counters.Infeasible++
		case w.score(&w.child, MostNodes) && !(w.settings.Distinct && w.out.memberWith(w.child.Print) >= 0):
			return true
		}
	}
	return false
}

// seedling makes child a random first tree. With FeasibleStart, it has every required symbol, and at most StartSize nodes, or as many as the
// symbols need. A block, a small tree that the objective offers as if it were a symbol, counts as one node. Otherwise the tree is a leaf
// grown three times, as in PySR.
func (w *worker) seedling() {
	w.child.Clear()
	if w.settings.FeasibleStart {
		least := max(1, 2*bits.OnesCount64(w.required)-1)
		w.set.Random(w.random, &w.child.Tree, least+w.random.IntN(max(1, w.settings.StartSize-least+1)))
		w.cover(w.child.Tree)
		return
	}
	w.set.Leaf(w.random, &w.child.Tree)
	for range 3 {
		w.twin.Tree.Copy(w.child.Tree)
		w.grow(w.twin.Tree) // into child
	}
}

// cover makes each required symbol appear: it replaces random leaves whose symbol appears elsewhere too or is not required. If no such leaf
// is left, symbols stay missing.
func (w *worker) cover(t tree.Tree) {
	for missing := w.required &^ t.Symbols(); missing != 0; missing &= missing - 1 {
		w.nodes = w.nodes[:0]
		for i, c := range t.Codes {
			if c < tree.Constant && (w.required>>c&1 == 0 || repeated(t, c)) {
				w.nodes = append(w.nodes, i)
			}
		}
		if len(w.nodes) == 0 {
			return // too few leaves: the tree stays infeasible
		}
		t.Codes[w.nodes[w.random.IntN(len(w.nodes))]] = tree.Code(bits.TrailingZeros64(missing))
	}
}

// repeated reports whether c occurs more than once.
func repeated(t tree.Tree, c tree.Code) bool {
	n := 0
	for _, d := range t.Codes {
		if c == d {
			n++
		}
	}
	return n > 1
}
