// Package integral replaces the integrals of a model by sums:
//
//	∫ f(u) du from lo to hi  ≈  Σ weight · f(node)
//
// The rule is that of Gauss and Legendre, on each piece between the ends and the cuts of the interval. Nodes are expressions, because ends
// may depend on parameters and trials. The number of nodes is fixed when the model is read: it is the smallest with which the log density
// agrees with adaptive quadrature. The rest of the compiler sees only a sum, and derives that.
package integral

import (
	"math"
	"strconv"

	"likc/compiler/expr"
	"likc/compiler/quadrature"
)

// Integral is one integral of a model.
type Integral struct {
	Variable string     // the symbol that stands for the variable in Of
	Of       *expr.Expr // the integrand, of the variable and the model's symbols
	Ends     []End      // of the pieces, two at least
	Symbol   string     // the symbol that stands for the integral where the model uses it
}

// End is an end of a piece: an expression of the model's symbols, or infinite.
type End struct {
	At       *expr.Expr // nil where Infinite is not 0
	Infinite int        // -1 for -infinity, which is a first end alone; +1 for infinity, a last one
}

// value is the end as an expression, which may be infinite.
func (e End) value() *expr.Expr {
	if e.Infinite != 0 {
		return expr.Num(math.Inf(e.Infinite))
	}
	return e.At
}

// New returns the integral number k of a model over the pieces between ends; neither of its symbols is a name of the language. Between -infinity
// and infinity it puts a cut at 0.
func New(k int, ends []End) *Integral {
	if len(ends) == 2 && ends[0].Infinite != 0 && ends[1].Infinite != 0 {
		ends = []End{ends[0], {At: expr.Num(0)}, ends[1]}
	}
	number := strconv.Itoa(k)
	return &Integral{Variable: "variable " + number, Symbol: "integral " + number, Ends: ends}
}

// piece is an integral from 0 to 1: the variable is at(x), and the integrand has the factor slope(x).
type piece struct {
	at, slope func(x float64) *expr.Expr
}

// pieces are the integral's. An infinite piece from or to A has the variable A ± x/(1-x).
func (i *Integral) pieces() (all []piece) {
	for k := range i.Ends[1:] {
		all = append(all, between(i.Ends[k], i.Ends[k+1]))
	}
	return all
}

func between(lo, hi End) piece {
	if lo.Infinite == 0 && hi.Infinite == 0 {
		width := expr.New(expr.Sub, hi.At, lo.At)
		return piece{
			at: func(x float64) *expr.Expr {
				return expr.New(expr.Add, lo.At, expr.New(expr.Mul, expr.Num(x), width))
			},
			slope: func(float64) *expr.Expr { return width }}
	}
	op, from := expr.Add, lo.At
	if lo.Infinite != 0 {
		op, from = expr.Sub, hi.At
	}
	return piece{
		at:    func(x float64) *expr.Expr { return expr.New(op, from, expr.Num(x/(1-x))) },
		slope: func(x float64) *expr.Expr { return expr.Num(1 / (1 - x) / (1 - x)) }}
}

// Sum is the integral by the rule of n nodes a piece.
func (i *Integral) Sum(n int) *expr.Expr {
	r := quadrature.New(n)
	var terms []*expr.Expr
	for k, p := range i.pieces() {
		infinite := i.Ends[k].Infinite != 0 || i.Ends[k+1].Infinite != 0
		var own []*expr.Expr
		for j, x := range r.X {
			w := expr.Num(r.Weight[j])
			if infinite {
				w = expr.Num(r.Weight[j] * p.slope(x).Value)
			}
			put := expr.Substitution(map[string]*expr.Expr{i.Variable: p.at(x)})
			own = append(own, expr.New(expr.Mul, w, put.Map(i.Of)))
		}
		total := add(own)
		if !infinite {
			total = expr.New(expr.Mul, p.slope(0), total)
		}
		terms = append(terms, total)
	}
	return add(terms)
}

// add adds up terms in pairs, so that the expression is not deep.
func add(terms []*expr.Expr) *expr.Expr {
	if len(terms) == 1 {
		return terms[0]
	}
	half := len(terms) / 2
	return expr.New(expr.Add, add(terms[:half]), add(terms[half:]))
}
