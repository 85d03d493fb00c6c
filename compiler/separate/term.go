package separate

import (
	"math"

	"likc/compiler/expr"
)

// factor is a whole power of the atom with that index.
type factor struct{ atom, power int }

// term is coef times the product of factors, which are sorted by atom. The coefficient has no trial symbol.
type term struct {
	coef    *expr.Expr
	factors []factor
}

// scaled returns the sum p times c.
func scaled(p []term, c *expr.Expr) []term {
	q := make([]term, len(p))
	for i, t := range p {
		q[i] = term{expr.Times(c, t.coef), t.factors}
	}
	return q
}

// scaledBy returns the sum p with f applied to each coefficient.
func scaledBy(p []term, f func(coef *expr.Expr) *expr.Expr) []term {
	q := make([]term, len(p))
	for i, t := range p {
		q[i] = term{f(t.coef), t.factors}
	}
	return q
}

// multiply returns the product of two sums, or false if it could have too many terms.
func (s *splitter) multiply(p, q []term) ([]term, bool) {
	if len(p)*len(q) > maxTerms {
		return nil, false
	}
	var r []term
	for _, a := range p {
		for _, b := range q {
			r = append(r, term{expr.Times(a.coef, b.coef), mergeFactors(a.factors, b.factors)})
		}
	}
	return s.collect(r), true
}

// mergeFactors multiplies two monomials.
func mergeFactors(a, b []factor) []factor {
	var r []factor
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].atom < b[0].atom:
			r, a = append(r, a[0]), a[1:]
		case len(a) == 0 || b[0].atom < a[0].atom:
			r, b = append(r, b[0]), b[1:]
		default:
			if n := a[0].power + b[0].power; n != 0 {
				r = append(r, factor{a[0].atom, n})
			}
			a, b = a[1:], b[1:]
		}
	}
	return r
}

// collect adds up terms with equal factors, in order of first appearance. It removes terms that cancel, unless they may be NaN
// at some parameters, because the result must be undefined where the input is.
func (s *splitter) collect(p []term) []term {
	var r []term
next:
	for _, t := range p {
		for i := range r {
			if sameFactors(r[i].factors, t.factors) {
				r[i].coef = expr.Plus(r[i].coef, t.coef)
				continue next
			}
		}
		r = append(r, t)
	}
	kept := r[:0]
	for _, t := range r {
		if !t.coef.IsNum(0) || s.anyMixed([]term{t}) {
			kept = append(kept, t)
		}
	}
	return kept
}

// sameFactors reports whether two products of factors are equal.
func sameFactors(a, b []factor) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// coefPower returns c^n, which is a constant if c is one.
func coefPower(c *expr.Expr, n int) *expr.Expr {
	if c.Op == expr.Const {
		return expr.Num(math.Pow(c.Value, float64(n)))
	}
	return power(c, n)
}
