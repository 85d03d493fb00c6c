// Package integral replaces the integrals of a model by sums:
//
//	∫ f(u) du from lo to hi  ≈  Σ weight · f(node)
//
// The cuts of an interval divide it into pieces, and each piece has a Gauss–Legendre rule. Nodes are expressions, because ends
// may depend on parameters and trials. The number of nodes is fixed when the model is read: it is the smallest with which the
// log density agrees with adaptive quadrature. The rest of the compiler sees only a sum.
package integral

import (
	"strconv"

	"likc/compiler/expr"
	"likc/runtime/num/gauss"
)

// Integral is one integral of a model.
type Integral struct {
	Variable string     // the symbol of the variable of integration
	Of       *expr.Expr // the integrand: a function of the variable and the model's symbols
	Ends     []End      // the ends of the pieces in order, at least two
	Symbol   string     // the symbol that stands for the integral in the model's expressions
}

// End is an end of a piece: an expression of the model's symbols, or infinite.
type End struct {
	At       *expr.Expr // the end, nil if it is infinite
	Infinite int        // -1 for -infinity, which can only be the first end; +1 for infinity, which can only be the last; else 0
}

// New returns integral k of a model, over the pieces between ends. Its symbols are no valid names, so that no model has them.
// An infinite interval without cuts and ends gets a cut at 0.
func New(k int, ends []End) *Integral {
	if len(ends) == 2 && ends[0].Infinite != 0 && ends[1].Infinite != 0 {
		ends = []End{ends[0], {At: expr.Num(0)}, ends[1]}
	}
	number := strconv.Itoa(k)
	return &Integral{Variable: "variable " + number, Symbol: "integral " + number, Ends: ends}
}

// piece is a part of the integral: factor · ∫ integrand over share from 0 to 1. share is the position on the piece.
type piece struct{ factor, integrand *expr.Expr }

// pieces returns the integral's pieces as functions of share.
func (i *Integral) pieces(share *expr.Expr) (all []piece) {
	for k := range i.Ends[1:] {
		x, width, slope := between(i.Ends[k], i.Ends[k+1], share)
		put := expr.Substitution(map[string]*expr.Expr{i.Variable: x})
		all = append(all, piece{width, expr.Times(slope, put.Map(i.Of))})
	}
	return all
}

// between returns the integral's variable on a piece as a function at of share. Its derivative is width·slope. On an infinite
// piece that begins or ends at A, the variable is A ± share/(1-share).
func between(lo, hi End, share *expr.Expr) (at, width, slope *expr.Expr) {
	one := expr.Num(1)
	if lo.Infinite == 0 && hi.Infinite == 0 {
		width = expr.New(expr.Sub, hi.At, lo.At)
		return expr.New(expr.Add, lo.At, expr.New(expr.Mul, share, width)), width, one
	}
	rest := expr.New(expr.Sub, one, share)
	op, from := expr.Add, lo.At
	if lo.Infinite != 0 {
		op, from = expr.Sub, hi.At
	}
	return expr.New(op, from, expr.New(expr.Div, share, rest)), one, expr.New(expr.Inv, expr.New(expr.Square, rest))
}

// Sum returns the integral as a sum, by the rule with n nodes on each piece.
func (i *Integral) Sum(n int) *expr.Expr {
	r := gauss.New(n)
	var terms []*expr.Expr
	for _, p := range i.pieces(expr.Var(share)) {
		var weighted []*expr.Expr
		for j, x := range r.X {
			at := expr.Substitution(map[string]*expr.Expr{share: expr.Num(x)})
			weighted = append(weighted, expr.New(expr.Mul, expr.Num(r.Weight[j]), at.Map(p.integrand)))
		}
		terms = append(terms, expr.Times(p.factor, add(weighted)))
	}
	return add(terms)
}

// add returns the sum of terms. It adds in pairs, so that the expression is not nested deeply.
func add(terms []*expr.Expr) *expr.Expr {
	if len(terms) == 1 {
		return terms[0]
	}
	half := len(terms) / 2
	return expr.New(expr.Add, add(terms[:half]), add(terms[half:]))
}
