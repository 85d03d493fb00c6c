package simplify

import (
	"math"

	"likc/compiler/expr"
)

// primitive returns the canonical sum e as c times a sum whose coefficients have no common factor and whose first term is
// positive.
func (s *Simplifier) primitive(e *expr.Expr) (ratio, *expr.Expr) {
	if known, ok := s.primes[e]; ok {
		return known.c, known.t
	}
	l := s.sum(e)
	defer l.free()
	c := l.content()
	base := e
	if !c.isOne() {
		l.scale(c.inverse())
		base = l.render()
	}
	s.primes[e] = term{c, base}
	return c, base
}

// content returns the common factor of the coefficients, with the sign of the first one. It is 1 unless all coefficients are
// ratioOf and one of them equals the factor, so that moving it out of the sum does not make the expression larger.
func (l *sum) content() ratio {
	if len(l.terms) == 0 || l.bad {
		return one
	}
	sign := ratioOf(math.Copysign(1, l.terms[0].c.n))
	g, least := math.Abs(l.constant.n), math.Inf(1)
	same := l.constant.isZero() || l.constant.abs() == l.terms[0].c.abs()
	for _, u := range l.terms {
		g = commonDivisor(g, u.c.n)
		least = min(least, math.Abs(u.c.n))
		same = same && u.c.abs() == l.terms[0].c.abs()
		if u.c.d != 1 || l.constant.d != 1 {
			least = math.Inf(1)
		}
	}
	switch {
	case same:
		return l.terms[0].c
	case g > 1 && least == g:
		return sign.times(ratioOf(g))
	}
	return sign
}
