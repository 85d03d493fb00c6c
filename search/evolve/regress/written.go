package regress

import (
	"math"

	"likc/compiler/expr"
	"likc/search/tree"

	"gonum.org/v1/gonum/floats"
)

// Expr writes out what t says of the target, with the coefficients of least squares and the link undone. Terms that add
// nothing but rounding are left out, and coefficients that are small fractions up to rounding are written as such. A tree that
// is not finite on every row has no coefficients: NaN.
func (l *Linear) Expr(t tree.Tree) *expr.Expr {
	s := l.scorer()
	if !s.spanned(t, s.all, s.fit) {
		return expr.Num(math.NaN())
	}
	numbers := expr.Substitution(map[string]*expr.Expr{one: expr.Num(1)})
	sum, product := expr.Num(0), expr.Num(1)
	coefficients := s.coefficients()
	for k, at := range s.independent(t) {
		e, c := expr.Num(1), coefficients[k]
		switch term := t.Cut(at[0], at[1]); {
		case k == 0 && s.small(c), k > 0 && s.negligible(term, c):
			continue
		case k > 0:
			e = numbers.Map(term.Expr(l.symbols))
		}
		if l.link == Log {
			product = expr.Times(product, power(e, c))
		} else {
			sum = expr.Plus(sum, times(e, c))
		}
	}
	return l.link.undo(sum, product)
}

// coefficients are those of the columns in the basis.
func (s *linearScorer) coefficients() []float64 {
	copy(s.residual, s.target)
	c := make([]float64, s.fit.n)
	s.fit.reduce(s.residual, c)
	s.fit.solve(c)
	return c
}

// independent lists where the terms that have coefficients start and end in t; the first entry is the constant's, and void.
func (s *linearScorer) independent(t tree.Tree) [][2]int {
	list := make([][2]int, 1)
	s.fit.begin()
	for _, at := range s.list {
		n := s.fit.n
		s.all.Evaluate(t.Cut(at[0], at[1]), s.fit.next())
		if s.fit.add(); s.fit.n > n {
			list = append(list, at)
		}
	}
	return list
}

// rounding is the size of a term, in that of the target, below which it adds nothing.
const rounding = 1e-10

// small reports whether a constant is rounding in the size of the target.
func (s *linearScorer) small(c float64) bool {
	return math.Abs(c) < rounding*floats.Norm(s.target, 2)/math.Sqrt(float64(len(s.target)))
}

// negligible reports whether c·term is rounding in the deviation of the target.
func (s *linearScorer) negligible(term tree.Tree, c float64) bool {
	s.all.Evaluate(term, s.residual)
	return math.Abs(c)*math.Sqrt(variance(s.residual)) < rounding*math.Sqrt(s.variance)
}

const (
	mostDenominator = 12
	fractionError   = 1e-9 // relative
)

// fraction returns p/q near c with the smallest q; c/1 if there is none with a small q.
func fraction(c float64) (p, q float64) {
	for q = 1; q <= mostDenominator; q++ {
		if p = math.Round(c * q); math.Abs(c*q-p) <= fractionError*math.Abs(p) {
			return p, q
		}
	}
	return c, 1
}

// power is exp(c·e): a power, where e is a logarithm.
func power(e *expr.Expr, c float64) *expr.Expr {
	if e.Op == expr.Const {
		return times(expr.Num(1), math.Exp(c*e.Value))
	}
	if e.Op != expr.Log {
		return expr.New(expr.Exp, times(e, c))
	}
	p, q := fraction(c)
	switch u := e.Args[0]; {
	case p == 1 && q == 1:
		return u
	case p == -1 && q == 1:
		return expr.Over(expr.Num(1), u)
	case p == 1 && q == 2:
		return expr.New(expr.Sqrt, u)
	case p == -1 && q == 2:
		return expr.Over(expr.Num(1), expr.New(expr.Sqrt, u))
	default:
		return expr.New(expr.Pow, u, expr.Num(p/q))
	}
}

// times is c·e.
func times(e *expr.Expr, c float64) *expr.Expr {
	p, q := fraction(c)
	return expr.Over(expr.Times(expr.Num(p), e), expr.Num(q))
}
