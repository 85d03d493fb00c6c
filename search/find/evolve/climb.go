package evolve

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"likc/search/find/tree"
)

// climb is the state of a local search. A tree that it has rejected need not be tried again, because the cost to be undercut only falls.
type climb struct {
	*Polisher
	ctx      context.Context
	scorer   Scorer
	random   *rand.Rand
	at       Entry           // the tree that the climb has reached
	around   []tree.Tree     // the neighbours of the tree `at`, in random order
	trial    []float64       // terms of the loss of the tree that was evaluated last
	scored   int64           // number of evaluations so far
	forms    map[uint64]bool // hashes of the trees that were tried
	shortest map[uint64]int  // for each fingerprint, the size of the shortest tree that was tried
}

// cost returns the quantity that a climb lowers.
func (c *climb) cost(loss float64, size int) float64 { return loss + c.settings.Price*float64(size) }

// over reports whether the evaluations are used up or the context has ended.
func (c *climb) over() bool { return c.scored >= c.settings.Evaluations || c.ctx.Err() != nil }

// canonical replaces subtrees by their canonical forms, first the whole tree and then its parts, because searches leave terms such
// as rt - rt in it. The parts are tried because the form of the whole may contain a constant that is not allowed. It evaluates at
// most once for each subtree, even if the evaluations are used up.
func (c *climb) canonical() {
	for end := c.at.Size(); end > 0; end-- {
		start := c.at.Tree.Starts(nil)[end-1]
		if c.simplify(start, end) {
			end = start + 1 // skips the codes inside, which are part of the simplified subtree
		}
	}
}

// simplify replaces the subtree at codes start to end-1 by its canonical form, if that is allowed, no larger and no worse. It
// returns whether the subtree is now canonical.
func (c *climb) simplify(start, end int) bool {
	part := c.at.Tree.Cut(start, end)
	form, err := tree.FromExpr(c.rules.canonical(c.strict, part), c.rules.symbols)
	if err != nil || form.Size() > part.Size() {
		return false
	}
	if form.Hash() == part.Hash() {
		return true
	}
	var t tree.Tree
	t.Splice(c.at.Tree, start, end, form)
	if c.rules.admits(t) != nil || c.rules.violations(t) > 0 || c.ctx.Err() != nil {
		return false
	}
	c.forms[t.Hash()] = true
	c.scored++
	most := c.cost(c.at.Loss, c.at.Size())
	loss := c.scorer.Score(t, most-c.cost(0, t.Size()), c.trial)
	if !(c.cost(loss, t.Size()) <= most) {
		return false
	}
	c.moveTo(t, loss)
	return true
}

// takeEdit tries single edits in random order and makes the first that lowers the cost. It returns false if there is none.
func (c *climb) takeEdit() bool {
	c.around = c.around[:0]
	seen := map[uint64]bool{c.at.Tree.Hash(): true}
	for t := range c.Neighbours(c.at.Tree) {
		if h := t.Hash(); !seen[h] {
			seen[h] = true
			c.around = append(c.around, t.Clone())
		}
	}
	c.random.Shuffle(len(c.around), func(i, j int) { c.around[i], c.around[j] = c.around[j], c.around[i] })
	return slices.ContainsFunc(c.around, c.try)
}

// pairsOf is the number of tried pairs that share their first edit. It is large because listing the possible second edits costs
// as much as some evaluations.
const pairsOf = 40

// takePair tries random pairs of edits and makes the first pair that lowers the cost. It returns false if none does.
func (c *climb) takePair() bool {
	if len(c.around) == 0 {
		return false
	}
	var further []tree.Tree
	for k := range c.settings.Pairs {
		if k%pairsOf == 0 {
			further = further[:0]
			for t := range c.Neighbours(c.around[c.random.IntN(len(c.around))]) {
				further = append(further, t.Clone())
			}
		}
		if c.over() {
			return false
		}
		if len(further) > 0 && c.try(further[c.random.IntN(len(further))]) {
			return true
		}
	}
	return false
}

// takeGrown lets the scorer add a term, several times, and keeps the first tree that lowers the cost. It returns false if none does.
func (c *climb) takeGrown() bool {
	g, ok := c.scorer.(Grower)
	for range c.settings.Grow {
		if t := c.at.Tree.Clone(); ok && !c.over() && g.Grow(c.random, &c.rules.set, &t, c.rules.maxSize) && c.rules.admits(t) == nil && c.try(t) {
			return true
		}
	}
	return false
}

// tidy lets the scorer tidy the tree that the climb has reached.
func (c *climb) tidy() {
	if t, ok := c.scorer.(Tidier); ok && !math.IsInf(c.at.Loss, 1) {
		c.at.Loss = t.Tidy(&c.at.Tree, c.at.Terms)
		c.canonical()
	}
}

// try evaluates a tree and moves the climb to it if its cost is low enough. It returns whether the climb moved.
func (c *climb) try(t tree.Tree) bool {
	if h := t.Hash(); c.over() || c.forms[h] {
		return false
	} else {
		c.forms[h] = true
	}
	print, finite := c.scorer.Fingerprint(t)
	if size, known := c.shortest[print]; !finite || known && size <= t.Size() {
		return false
	}
	c.shortest[print] = t.Size()
	c.scored++
	limit := c.cost(c.at.Loss, c.at.Size()) - c.settings.Margin - c.cost(0, t.Size())
	t, loss := c.evaluate(t, limit)
	if !(loss < limit) || c.rules.vanishing(c.strict, t) > 0 {
		return false
	}
	c.moveTo(t, loss)
	return true
}

// promised limits which trees get a thorough fit of their constants: after the rough fit, the loss may be at most this many times
// the limit.
const promised = 1.2

// evaluate returns a tree with fitted constants, if the scorer fits them, and its loss. A loss above limit may be returned as any
// number above limit.
func (c *climb) evaluate(t tree.Tree, limit float64) (fitted tree.Tree, loss float64) {
	r, ok := c.scorer.(Refitter)
	if !ok || t.Constants() == 0 {
		return t, c.scorer.Score(t, limit, c.trial)
	}
	t = t.Clone()
	r.Refit(&t, math.Inf(1))
	loss = c.scorer.Score(t, promised*limit, c.trial)
	if f, ok := c.scorer.(Fitter); ok && loss < promised*limit && f.FitConstants(&t) {
		loss = c.scorer.Score(t, limit, c.trial)
	}
	return t, loss
}

// moveTo moves the climb to a tree that was just evaluated.
func (c *climb) moveTo(t tree.Tree, loss float64) {
	c.at.Tree, c.at.Loss = t.Clone(), loss
	copy(c.at.Terms, c.trial)
}
