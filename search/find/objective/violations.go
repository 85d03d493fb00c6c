package objective

import (
	"math"
	"math/bits"

	"likc/compiler/expr"
	"likc/compiler/simplify"
	"likc/search/find/tree"
)

// missing returns the number of the model's symbols that are not in the given set.
func (l *Loss) missing(symbols uint64) int { return len(l.valuer.symbols) - bits.OnesCount64(symbols) }

// Violations returns the number B of violated constraints, as the paper defines it. It is the number of symbols that are missing from the
// simplified tree, plus the number of constant leaves of the tree before simplification. Constants that simplification makes, for example from h + h, do not
// count.
func (l *Loss) Violations(t tree.Tree) int {
	return len(l.valuer.symbols) - len(expr.Symbols(l.Simplify(t.Expr(l.valuer.symbols)))) + t.Constants()
}

// Simplify returns an expression's canonical form, given the conditions of the model's support. By this form too, likc judge recognises an
// expression that several searches found (front.Canonical).
func (l *Loss) Simplify(e *expr.Expr) *expr.Expr {
	return simplify.Simplify(e, simplify.Options{Assume: simplify.Under(l.header.Support)}).Expr
}

// Penalty returns the part of the loss that each violation contributes.
func (l *Loss) Penalty() float64 { return violation }

// Exact returns the exact loss and its terms, with B as [Loss.Violations] computes it. It does not stop early, as scoring in a search does
// once the loss is certain to be above a limit. It allocates memory, so it is for reports, not for searches.
func (l *Loss) Exact(t tree.Tree) (loss float64, terms []float64) {
	terms = make([]float64, len(l.terms))
	last := len(terms) - 1
	loss = l.NewScorer().Score(t, math.Inf(1), terms)
	loss -= violation * terms[last]
	terms[last] = float64(l.Violations(t))
	return loss + violation*terms[last], terms
}
