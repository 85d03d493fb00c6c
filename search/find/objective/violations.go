package objective

import (
	"math"
	"math/bits"

	"likc/compiler/expr"
	"likc/compiler/simplify"
	"likc/search/find/tree"
)

// missing is the number of symbols that are not in the mask.
func (l *Loss) missing(symbols uint64) int { return len(l.points.symbols) - bits.OnesCount64(symbols) }

// Violations is the paper's B: the symbols that are gone once the tree is
// simplified, and the constant leaves of the tree as it stands (constants that
// simplification makes, as of h + h, do not count).
func (l *Loss) Violations(t tree.Tree) int {
	return len(l.points.symbols) - len(expr.Symbols(l.Simplify(t.Expr(l.points.symbols)))) + t.Constants()
}

// Simplify returns the canonical form under what the model's support says of
// its symbols: the one that the judge tells expressions apart by.
func (l *Loss) Simplify(e *expr.Expr) *expr.Expr {
	return simplify.Simplify(e, simplify.Options{Assume: simplify.Under(l.header.Support)}).Expr
}

// Penalty is what a score holds for each violation that B counts.
func (l *Loss) Penalty() float64 { return violation }

// Exact is the loss and its terms with the paper's B, without a limit. It is
// for reports: it allocates.
func (l *Loss) Exact(t tree.Tree) (loss float64, terms []float64) {
	terms = make([]float64, len(l.terms))
	last := len(terms) - 1
	loss = l.NewScorer().Score(t, math.Inf(1), terms)
	loss -= violation * terms[last]
	terms[last] = float64(l.Violations(t))
	return loss + violation*terms[last], terms
}
