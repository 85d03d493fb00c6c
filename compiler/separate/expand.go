package separate

import (
	"math"

	"likc/compiler/expr"
)

// expand returns e as a sum of terms, or false if there would be too many. It expands each shared node once.
func (s *splitter) expand(e *expr.Expr) ([]term, bool) {
	if !s.perTrial(e) {
		return []term{{coef: e}}, true
	}
	if p, done := s.expanded[e]; done {
		return p, p != nil
	}
	p, ok := s.expandNode(e)
	if !ok {
		p = nil
	}
	s.expanded[e] = p
	return p, ok
}

// expandNode expands a node, by its operator.
func (s *splitter) expandNode(e *expr.Expr) ([]term, bool) {
	switch e.Op {
	case expr.Add, expr.Sub, expr.Neg:
		return s.expandSum(e)
	case expr.Mul:
		return s.expandMul(e.Args[0], e.Args[1])
	case expr.Square:
		return s.expandPower(e.Args[0], 2)
	case expr.Div:
		return s.expandDiv(e.Args[0], e.Args[1])
	case expr.Inv:
		return s.reciprocal(e.Args[0])
	case expr.Pow:
		if n := e.Args[1]; n.Op == expr.Const && n.Value == math.Trunc(n.Value) && n.Value != 0 && math.Abs(n.Value) <= 6 {
			return s.expandPower(e.Args[0], int(n.Value))
		}
		if n := e.Args[1]; n.Op == expr.Const && 2*n.Value == math.Trunc(2*n.Value) && math.Abs(n.Value) <= 6 {
			return s.expandHalfPower(e, int(2*n.Value))
		}
	case expr.Log:
		return s.expandLog(e)
	case expr.Sqrt:
		return s.expandSqrt(e)
	}
	return s.single(e, 1), true
}

// single returns the sum whose only term is a power of an atom: an expression that is not expanded.
func (s *splitter) single(e *expr.Expr, power int) []term {
	return []term{{coef: expr.Num(1), factors: []factor{{s.atom(e), power}}}}
}

// atom returns the index of e among the atoms, and adds it if it is new.
func (s *splitter) atom(e *expr.Expr) int {
	for _, i := range s.number[e.Hash()] {
		if s.atoms[i].Equal(e) {
			return i
		}
	}
	s.atoms = append(s.atoms, e)
	i := len(s.atoms) - 1
	s.number[e.Hash()] = append(s.number[e.Hash()], i)
	return i
}

// expandSum expands a sum. If the sum is also a divisor, it stays one atom τ, so that τ·(1/τ) can cancel.
func (s *splitter) expandSum(e *expr.Expr) ([]term, bool) {
	if s.lengths[s.length(e)] {
		if n, scale := s.normal(e); scale != 0 && s.isDivisor(n) {
			t := s.single(n, 1)
			t[0].coef = expr.Num(scale)
			return t, true
		}
	}
	return s.expandAddends(e)
}

// expandAddends expands the arguments of a sum, a difference or a negation, and adds up the terms.
func (s *splitter) expandAddends(e *expr.Expr) ([]term, bool) {
	var sum []term
	for i, a := range e.Args {
		p, ok := s.expand(a)
		if !ok {
			return nil, false
		}
		if e.Op == expr.Neg || e.Op == expr.Sub && i == 1 {
			p = scaled(p, expr.Num(-1))
		}
		if sum = s.collect(append(sum, p...)); len(sum) > maxTerms {
			return nil, false
		}
	}
	return sum, true
}

// expandMul expands x·y.
func (s *splitter) expandMul(x, y *expr.Expr) ([]term, bool) {
	p, ok := s.expand(x)
	if !ok {
		return nil, false
	}
	q, ok := s.expand(y)
	if !ok {
		return nil, false
	}
	return s.multiply(p, q)
}

// expandPower expands x^n.
func (s *splitter) expandPower(x *expr.Expr, n int) ([]term, bool) {
	p, ok := s.expand(x)
	if !ok {
		return nil, false
	}
	if n < 0 {
		if p, ok = s.reciprocal(x); !ok {
			return nil, false
		}
		n = -n
	}
	if len(p) == 1 { // a single term: multiply the powers of its factors
		r := term{coef: coefPower(p[0].coef, n)}
		for _, f := range p[0].factors {
			r.factors = append(r.factors, factor{f.atom, f.power * n})
		}
		return []term{r}, true
	}
	r := p
	for i := 1; i < n; i++ {
		if r, ok = s.multiply(r, p); !ok {
			return nil, false
		}
	}
	return r, true
}

// expandDiv expands x/y.
func (s *splitter) expandDiv(x, y *expr.Expr) ([]term, bool) {
	p, ok := s.expand(x)
	if !ok {
		return nil, false
	}
	if !s.perTrial(y) {
		return scaledBy(p, func(c *expr.Expr) *expr.Expr { return expr.Over(c, y) }), true
	}
	q, ok := s.reciprocal(y)
	if !ok {
		return nil, false
	}
	return s.multiply(p, q)
}

// reciprocal returns 1/y. If y is a single term, each of its factors is inverted; otherwise 1/y is a power of an atom.
func (s *splitter) reciprocal(y *expr.Expr) ([]term, bool) {
	p, ok := s.expand(y)
	if !ok {
		return nil, false
	}
	if len(p) != 1 {
		return s.single(y, -1), true
	}
	r := term{coef: expr.Over(expr.Num(1), p[0].coef)}
	for _, f := range p[0].factors {
		r.factors = append(r.factors, factor{f.atom, -f.power})
	}
	return []term{r}, true
}

// expandLog writes log(c·m) as log c + log m, with log τ^n = n·log τ, if every factor of m is known to be positive. Then both
// sides are defined for the same c.
func (s *splitter) expandLog(e *expr.Expr) ([]term, bool) {
	p, ok := s.expand(e.Args[0])
	if !ok {
		return nil, false
	}
	if len(p) != 1 || !s.allPositive(p[0].factors) {
		return s.single(e, 1), true
	}
	var sum []term
	if !p[0].coef.IsNum(1) {
		sum = append(sum, term{coef: expr.New(expr.Log, p[0].coef)})
	}
	for _, f := range p[0].factors {
		x, power := s.atoms[f.atom], float64(f.power)
		if x.Op == expr.Sqrt {
			x, power = x.Args[0], power/2
		}
		sum = append(sum, scaled(s.single(expr.New(expr.Log, x), 1), expr.Num(power))...)
	}
	return s.collect(sum), true
}

// expandHalfPower returns e = x^(n/2) as the n-th power of √x, for a positive x.
func (s *splitter) expandHalfPower(e *expr.Expr, n int) ([]term, bool) {
	p, ok := s.expand(e.Args[0])
	if !ok {
		return nil, false
	}
	if len(p) != 1 || !s.allPositive(p[0].factors) {
		return s.single(e, 1), true
	}
	return s.expandPower(expr.New(expr.Sqrt, e.Args[0]), n)
}

// expandSqrt writes √(c·m) as √c·√m for a positive m.
func (s *splitter) expandSqrt(e *expr.Expr) ([]term, bool) {
	p, ok := s.expand(e.Args[0])
	if !ok {
		return nil, false
	}
	if len(p) != 1 || !s.allPositive(p[0].factors) {
		return s.single(e, 1), true
	}
	r := term{coef: expr.Num(1)}
	if !p[0].coef.IsNum(1) {
		r.coef = expr.New(expr.Sqrt, p[0].coef)
	}
	for _, f := range p[0].factors {
		if f.power%2 == 0 {
			r.factors = mergeFactors(r.factors, []factor{{f.atom, f.power / 2}})
			continue
		}
		root := s.atom(expr.New(expr.Sqrt, s.atoms[f.atom]))
		r.factors = mergeFactors(r.factors, []factor{{root, f.power}})
	}
	return []term{r}, true
}

func (s *splitter) allPositive(factors []factor) bool {
	for _, f := range factors {
		if !s.isPositive(s.atoms[f.atom]) {
			return false
		}
	}
	return true
}

// isPositive reports whether e is positive, because of the support or because of its form, such as exp(x).
func (s *splitter) isPositive(e *expr.Expr) bool {
	switch e.Op {
	case expr.Exp:
		return true
	case expr.Sqrt:
		return s.isPositive(e.Args[0])
	}
	n, scale := s.normal(e)
	for _, p := range s.positive {
		if scale > 0 && p.Equal(n) {
			return true
		}
	}
	return false
}

// monomial returns the product of factors as an expression. Negative powers become powers of a reciprocal.
func (s *splitter) monomial(factors []factor) *expr.Expr {
	m := expr.Num(1)
	for _, f := range factors {
		x := s.atoms[f.atom]
		if f.power < 0 {
			x = expr.New(expr.Inv, x)
		}
		m = expr.Times(m, power(x, max(f.power, -f.power)))
	}
	return m
}
