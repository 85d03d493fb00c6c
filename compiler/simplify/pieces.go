package simplify

import (
	"math"
	"slices"

	"likc/compiler/expr"
)

// pieces returns the factors as two lists, numerators and denominators, each with smaller expressions first. Powers with a
// common exponent share it: x²y⁴ becomes (x*y^2)^2.
func (s *Simplifier) pieces(factors []factor) (num, den []*expr.Expr) {
	rest := s.groupBars(factors)
	num = make([]*expr.Expr, 0, len(rest)+1)
	for {
		m := leastPower(rest)
		if m == 0 {
			break
		}
		if len(rest) == 1 {
			break
		}
		var group, others []factor
		for _, f := range rest {
			if math.Mod(f.exp, m) == 0 {
				f.exp /= m
				group = append(group, f)
			} else {
				others = append(others, f)
			}
		}
		rest = others
		num, den = s.groupPiece(group, m, num, den)
	}
	for _, f := range rest {
		num, den = s.piece(f, num, den)
	}
	slices.SortStableFunc(num, compare)
	slices.SortStableFunc(den, compare)
	return num, den
}

// leastPower returns the whole exponent with the smallest absolute value above 1, or 0 if there is none.
func leastPower(list []factor) float64 {
	m := math.Inf(1)
	for _, f := range list {
		if e := math.Abs(f.exp); isWhole(e) && e >= 2 {
			m = min(m, e)
		}
	}
	if math.IsInf(m, 1) {
		return 0
	}
	return m
}

// groupPiece appends the power m of the product of a group to num or den.
func (s *Simplifier) groupPiece(group []factor, m float64, num, den []*expr.Expr) (n, d []*expr.Expr) {
	if len(group) == 1 {
		group[0].exp *= m
		return s.piece(group[0], num, den)
	}
	below := !slices.ContainsFunc(group, func(f factor) bool { return f.exp > 0 })
	for i := range group {
		if below {
			group[i].exp = -group[i].exp
		}
	}
	e := s.power(s.quotient(s.pieces(group)), m)
	if below {
		return num, append(den, e)
	}
	return append(num, e), den
}

// piece appends one factor to num or den.
func (s *Simplifier) piece(f factor, num, den []*expr.Expr) (n, d []*expr.Expr) {
	base := f.base
	if base.Op == expr.Exp && (math.Abs(f.exp) > 2 || f.exp < 0 && isDifference(base.Args[0])) {
		return append(num, s.expOf(base.Args[0], f.exp)), den
	}
	if f.abs {
		base = s.new(expr.Abs, base)
	}
	e := s.power(base, math.Abs(f.exp))
	if f.exp < 0 {
		return num, append(den, e)
	}
	return append(num, e), den
}

// groupBars merges absolute values: |x|·|y| becomes |x*y|.
func (s *Simplifier) groupBars(factors []factor) []factor {
	if !slices.ContainsFunc(factors, func(f factor) bool { return f.abs }) {
		return factors
	}
	var list []factor
	for i, f := range factors {
		if !f.abs {
			list = append(list, f)
			continue
		}
		same := func(g factor) bool { return g.abs && math.Abs(g.exp) == math.Abs(f.exp) }
		if slices.ContainsFunc(factors[:i], same) {
			continue
		}
		var group []factor
		for _, g := range factors[i:] {
			if same(g) {
				group = append(group, factor{base: g.base, exp: math.Copysign(1, g.exp)})
			}
		}
		list = append(list, s.barred(f, group))
	}
	return list
}

// barred returns |x|^q for the product x of a group of bases, where q is the exponent of f up to its sign.
func (s *Simplifier) barred(f factor, group []factor) factor {
	if len(group) == 1 {
		return f
	}
	f.exp = math.Abs(f.exp)
	if !slices.ContainsFunc(group, func(g factor) bool { return g.exp > 0 }) {
		f.exp = -f.exp
		for i := range group {
			group[i].exp = 1
		}
	}
	f.base = s.quotient(s.pieces(group))
	return f
}

// power returns base^c for c > 0 in its shortest form, such as sqrt(base) for c = 1/2.
func (s *Simplifier) power(base *expr.Expr, c float64) *expr.Expr {
	switch c {
	case 1:
		return base
	case 0.5:
		return s.new(expr.Sqrt, base)
	}
	return s.new(expr.Pow, base, s.num(c))
}
