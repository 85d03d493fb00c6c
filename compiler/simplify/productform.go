package simplify

import (
	"slices"

	"likc/compiler/expr"
)

// render returns the product as an expression: coefficient first, smaller factors before larger ones, and at most one division.
// With absorb, it removes a minus sign by writing a factor a - b as b - a, if there is such a factor.
func (p *product) render(absorb bool) *expr.Expr {
	s := p.s
	if len(p.factors) == 0 || p.coef.isZero() {
		return s.number(p.coef)
	}
	if s.sets&Reassociate != 0 {
		p.coef = ratioOf(p.coef.value())
	}
	num, den := s.pieces(p.factors)
	c := p.coef
	if len(num) == 0 && c.n == 1 {
		num, den = s.raiseExp(num, den)
	}
	if c.negative() && absorb && (s.negateFirstDifference(num) || s.negateFirstDifference(den)) {
		c = c.neg()
	}
	switch {
	case c.n == -1 && len(num) > 0:
		num[0] = s.new(expr.Neg, num[0])
	case c.n != 1 || len(num) == 0:
		num = slices.Insert(num, 0, s.num(c.n))
	}
	if c.d != 1 {
		den = slices.Insert(den, 0, s.num(c.d))
	}
	return s.quotient(num, den)
}

// quotient returns the product of num, divided by the product of den.
func (s *Simplifier) quotient(num, den []*expr.Expr) *expr.Expr {
	out := s.times(num)
	if len(den) == 0 {
		return out
	}
	return s.new(expr.Div, out, s.times(den))
}

// times returns the product of a list.
func (s *Simplifier) times(list []*expr.Expr) *expr.Expr {
	if len(list) == 0 {
		return s.num(1)
	}
	out := list[0]
	for _, e := range list[1:] {
		out = s.new(expr.Mul, out, e)
	}
	return out
}

// negateFirstDifference replaces the first difference a - b in the list by b - a, and reports whether there is one.
func (s *Simplifier) negateFirstDifference(list []*expr.Expr) bool {
	for i, e := range list {
		if isDifference(e) {
			list[i] = s.reversed(e)
			return true
		}
	}
	return false
}

// isDifference reports whether the sum e has terms of both signs.
func isDifference(e *expr.Expr) bool {
	return e.Op == expr.Sub
}

// reversed returns -e for a sum e, with the sign moved into its terms.
func (s *Simplifier) reversed(e *expr.Expr) *expr.Expr {
	l := s.sum(e)
	defer l.free()
	l.scale(ratioOf(-1))
	return l.render()
}

// raiseExp turns 1/(x*exp(y)) into exp(-y)/x.
func (s *Simplifier) raiseExp(num, den []*expr.Expr) (n, d []*expr.Expr) {
	for i, e := range den {
		if r := s.reciprocalExp(e); r != nil {
			return append(num, r), slices.Delete(den, i, i+1)
		}
	}
	return num, den
}

// reciprocalExp returns 1/e as an exponential: exp(-x) for e = exp(x), and exp(-2x) for e = exp(x)^2. It returns nil for
// another e.
func (s *Simplifier) reciprocalExp(e *expr.Expr) *expr.Expr {
	c := -1.0
	if e.Op == expr.Square {
		c, e = -2, e.Args[0]
	}
	if e.Op != expr.Exp {
		return nil
	}
	return s.expOf(e.Args[0], c)
}

// expOf returns exp(c·u) in canonical form.
func (s *Simplifier) expOf(u *expr.Expr, c float64) *expr.Expr {
	l := s.newSum()
	defer l.free()
	l.add(u, ratioOf(c))
	l.finish()
	return s.new(expr.Exp, l.render())
}

// scaled returns c·t in canonical form, for a canonical t.
func (s *Simplifier) scaled(c ratio, t *expr.Expr) *expr.Expr {
	switch {
	case c == one:
		return t
	case isProduct(t) && !isSum(t):
		p := s.product(t, true)
		defer p.free()
		p.multiply(c)
		return p.render(true)
	case c == ratioOf(-1) && t.Op == expr.Sub:
		return s.reversed(t)
	case c.n == -1:
		return s.timesRatio(s.new(expr.Neg, t), c.neg())
	}
	return s.timesRatio(t, c)
}

// split returns a canonical term as a coefficient and the other factors. It also splits log(x^q) into q and log(x).
func (s *Simplifier) split(e *expr.Expr) (ratio, *expr.Expr) {
	if e.Op != expr.Log && !isProduct(e) {
		return one, e
	}
	if known, ok := s.splits[e]; ok {
		return known.c, known.t
	}
	c, t := one, e
	if e.Op == expr.Log {
		c, t = s.splitLog(e)
	} else if p := s.product(e, true); !p.bad && !p.coef.isZero() && !p.coef.isOne() {
		c, p.coef = p.coef, one
		t = p.render(false)
		p.free()
	}
	s.splits[e] = term{c, t}
	return c, t
}

// splitLog returns log(x^c) as c and log(x).
func (s *Simplifier) splitLog(e *expr.Expr) (ratio, *expr.Expr) {
	p := s.product(e.Args[0], true)
	defer p.free()
	if p.bad || len(p.factors) != 1 || !p.coef.isOne() || p.factors[0].base.Op == expr.Exp {
		return one, e
	}
	f := p.factors[0]
	x := f.base
	if f.abs || isEven(f.exp) && !s.is(x, expr.NonNegative) {
		x = s.new(expr.Abs, x)
	}
	return ratioOf(f.exp), s.new(expr.Log, x)
}
