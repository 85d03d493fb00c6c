package evolve

import (
	"math"

	"likc/compiler/simplify"
	"likc/search/find/tree"
)

// These are the kinds of mutation, in the order of [Weights].
const (
	rotate = iota
	add
	insert
	remove
	hoist
	operator
	feature
	swap
	subtree
	simpler
	randomise
	constant
	nothing
	grown
	mutations
)

// mutate lists a function for each kind of mutation. It makes the worker's child from the parent p, and returns false if it could
// not.
var mutate = [mutations]func(w *worker, p tree.Tree) bool{
	rotate: (*worker).rotate, add: (*worker).growOrWrap, insert: (*worker).insert, remove: (*worker).remove, hoist: (*worker).hoist,
	operator: (*worker).operator, feature: (*worker).feature, swap: (*worker).swap, subtree: (*worker).subtree,
	simpler: (*worker).simpler, randomise: (*worker).randomise, constant: (*worker).constant, nothing: (*worker).same,
	grown: (*worker).extend,
}

// growOrWrap grows a leaf or puts an operator on top.
func (w *worker) growOrWrap(p tree.Tree) bool {
	if w.random.IntN(2) == 0 {
		w.grow(p)
	} else {
		w.wrap(p, 0, p.Size(), false)
	}
	return true
}

// grow replaces a random leaf by a random operator with new leaves.
func (w *worker) grow(p tree.Tree) {
	i := w.pick(p, func(i int) bool { return p.Codes[i].Arity() == 0 })
	op := w.drawOperator()
	w.fresh.Clear()
	for range op.Arity() {
		w.set.Leaf(w.random, &w.fresh)
	}
	w.fresh.Codes = append(w.fresh.Codes, op)
	w.child.Splice(p, i, i+1, w.fresh)
}

// wrap puts a random operator around the subtree from start to end-1. A second operand is a new leaf: the right operand, or the left
// one if left is set.
func (w *worker) wrap(p tree.Tree, start, end int, left bool) {
	op := w.drawOperator()
	w.fresh.Clear()
	if op.Arity() == 2 && left {
		w.set.Leaf(w.random, &w.fresh)
	}
	w.fresh.Append(p.Cut(start, end))
	if op.Arity() == 2 && !left {
		w.set.Leaf(w.random, &w.fresh)
	}
	w.fresh.Codes = append(w.fresh.Codes, op)
	w.child.Splice(p, start, end, w.fresh)
}

func (w *worker) insert(p tree.Tree) bool {
	w.starts = p.Starts(w.starts[:0])
	i := w.random.IntN(p.Size())
	w.wrap(p, w.starts[i], i+1, w.random.IntN(2) == 0)
	return true
}

// remove deletes something below a random operator. If the chosen operand is a leaf, a new leaf is drawn; if it is an operator, one
// of its operands replaces it.
func (w *worker) remove(p tree.Tree) bool {
	w.starts = p.Starts(w.starts[:0])
	i := w.operand(p, w.pick(p, isOperator(p)))
	w.fresh.Clear()
	if p.Codes[i].Arity() == 0 {
		w.set.Leaf(w.random, &w.fresh)
	} else {
		k := w.operand(p, i)
		w.fresh.Append(p.Cut(w.starts[k], k+1))
	}
	w.child.Splice(p, w.starts[i], i+1, w.fresh)
	return true
}

func (w *worker) hoist(p tree.Tree) bool {
	w.starts = p.Starts(w.starts[:0])
	i := w.pick(p, isOperator(p))
	k := w.operand(p, i)
	w.child.Splice(p, w.starts[i], i+1, p.Cut(w.starts[k], k+1))
	return true
}

func (w *worker) operator(p tree.Tree) bool {
	i := w.pick(p, isOperator(p))
	list := w.set.Unary
	if p.Codes[i].Arity() == 2 {
		list = w.set.Binary
	}
	if len(list) == 0 {
		return false // a guess may contain an operator that the search does not draw
	}
	op := list[w.random.IntN(len(list))]
	w.child.Copy(p)
	w.child.Codes[i] = op
	return op != p.Codes[i] || !w.settings.SkipNeutral
}

func (w *worker) feature(p tree.Tree) bool {
	i := w.pick(p, func(i int) bool { return p.Codes[i] < tree.Constant })
	if i < 0 || w.set.Symbols < 2 {
		return false
	}
	other := tree.Code(w.random.IntN(w.set.Symbols - 1))
	if other >= p.Codes[i] {
		other++
	}
	w.child.Copy(p)
	w.child.Codes[i] = other
	return true
}

func (w *worker) swap(p tree.Tree) bool {
	w.starts = p.Starts(w.starts[:0])
	i := w.pick(p, func(i int) bool {
		return p.Codes[i].Arity() == 2 && !(w.settings.SkipNeutral && p.Codes[i].Commutative())
	})
	if i < 0 {
		return false
	}
	first, middle := w.starts[i], w.starts[i-1]
	w.fresh.Clear()
	w.fresh.Append(p.Cut(middle, i))
	w.fresh.Append(p.Cut(first, middle))
	w.child.Splice(p, first, i, w.fresh)
	return true
}

// maxSubtree is the size of the largest subtree that a mutation draws.
const maxSubtree = 5

func (w *worker) subtree(p tree.Tree) bool {
	w.starts = p.Starts(w.starts[:0])
	i := w.random.IntN(p.Size())
	w.fresh.Clear()
	w.set.Random(w.random, &w.fresh, 1+w.random.IntN(maxSubtree))
	w.child.Splice(p, w.starts[i], i+1, w.fresh)
	return true
}

// simpler replaces p by its canonical form, if the search's operators can express it and it is no larger.
func (w *worker) simpler(p tree.Tree) bool {
	e := simplify.Simplify(p.Expr(w.symbols), simplify.Options{}).Expr
	if e.Size() > p.Size() {
		return false
	}
	t, err := tree.FromExpr(e, w.symbols)
	if err != nil || !w.set.Holds(t) {
		return false
	}
	w.child.Copy(t)
	return !t.Equal(p) || !w.settings.SkipNeutral
}

func (w *worker) randomise(p tree.Tree) bool {
	w.child.Clear()
	w.set.Random(w.random, &w.child.Tree, 1+w.random.IntN(w.mostNodes))
	return true
}

// These limit the perturbation of constants. As in PySR, a constant is multiplied or divided by up to 1.1 + 0.129, or its sign
// changes. PySR changes the sign with probability 1 - 0.00743; the probability here is 0.00743, as in PySR's documentation.
const (
	perturbation = 1.1 + 0.129
	negation     = 0.00743
)

func (w *worker) constant(p tree.Tree) bool {
	if p.Constants() == 0 {
		return false
	}
	factor := math.Pow(perturbation, w.random.Float64())
	if w.random.IntN(2) == 0 {
		factor = 1 / factor
	}
	if w.random.Float64() < negation {
		factor = -factor
	}
	w.child.Copy(p)
	w.child.Values[w.random.IntN(p.Constants())] *= factor
	return true
}

// extend lets the scorer add a term to the tree.
func (w *worker) extend(p tree.Tree) bool {
	g, ok := w.scorer.(Grower)
	w.child.Copy(p)
	return ok && g.Grow(w.random, &w.set, &w.child.Tree, w.mostNodes)
}

func (w *worker) same(p tree.Tree) bool {
	w.child.Copy(p)
	return true
}
