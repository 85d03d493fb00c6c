package separate

import (
	"math"
	"sort"

	"likc/compiler/expr"
)

// findDivisors finds the sums in f that are divisors, or arguments of a logarithm or a root.
func (s *splitter) findDivisors(f *expr.Expr) {
	for _, n := range expr.Order(f) {
		switch {
		case n.Op == expr.Div:
			s.markDivisor(n.Args[1])
		case n.Op == expr.Inv || n.Op == expr.Log || n.Op == expr.Sqrt:
			s.markDivisor(n.Args[0])
		case n.Op == expr.Pow && (n.Args[1].Op != expr.Const || n.Args[1].Value < 0 || n.Args[1].Value != math.Trunc(n.Args[1].Value)):
			s.markDivisor(n.Args[0])
		}
	}
}

// markDivisor records e, or the sums among its factors, as divisors.
func (s *splitter) markDivisor(e *expr.Expr) {
	if s.marked[e] || e.Size() > maxChain {
		return
	}
	s.marked[e] = true
	switch e.Op {
	case expr.Mul, expr.Div:
		s.markDivisor(e.Args[0])
		s.markDivisor(e.Args[1])
	case expr.Square, expr.Pow, expr.Sqrt, expr.Inv:
		s.markDivisor(e.Args[0])
	case expr.Add, expr.Sub, expr.Neg:
		if n, scale := s.normal(e); scale != 0 && s.mixed(n) && !s.isDivisor(n) {
			s.divisors[n.Hash()] = append(s.divisors[n.Hash()], n)
			s.lengths[s.length(e)] = true
		}
	}
}

// isDivisor reports whether a sum in normal form was recorded as a divisor.
func (s *splitter) isDivisor(n *expr.Expr) bool {
	for _, d := range s.divisors[n.Hash()] {
		if d.Equal(n) {
			return true
		}
	}
	return false
}

// length returns the number of terms of a sum. If no divisor has this length, the sum is no divisor, and its normal form is not
// needed.
func (s *splitter) length(e *expr.Expr) int {
	if n, ok := s.terms[e]; ok {
		return n
	}
	n := 1
	switch {
	case e.IsNum(0):
		n = 0
	case e.Size() > maxChain:
	case e.Op == expr.Add, e.Op == expr.Sub:
		n = s.length(e.Args[0]) + s.length(e.Args[1])
	case e.Op == expr.Neg:
		n = s.length(e.Args[0])
	}
	s.terms[e] = n
	return n
}

// key returns the text of an expression, by which terms are ordered. It keeps the text for later calls.
func (s *splitter) key(e *expr.Expr) string {
	text, ok := s.keys[e]
	if !ok {
		text = e.String()
		s.keys[e] = text
	}
	return text
}

// normal returns a sum e as scale·n, where n has its terms in a fixed order and a positive first term among those that depend
// on trials. So rt - t and t - rt have the same n. A scale of 0 means that e is not a sum.
func (s *splitter) normal(e *expr.Expr) (n *expr.Expr, scale float64) {
	terms := s.addends(e, 1)
	if len(terms) < 2 {
		return e, 1
	}
	sort.SliceStable(terms, func(i, j int) bool {
		a, b := terms[i].e, terms[j].e
		if pa, pb := s.perTrial(a), s.perTrial(b); pa != pb {
			return pa
		}
		return s.key(a) < s.key(b)
	})
	scale = terms[0].sign
	n = expr.Num(0)
	for _, t := range terms {
		n = expr.Plus(n, expr.Times(expr.Num(t.sign*scale), t.e))
	}
	return n, scale
}

// multiplyOutAtoms multiplies out positive powers of a divisor if only statistics result: Σ(rt-t) becomes Σrt - N·t.
func (s *splitter) multiplyOutAtoms(p []term) ([]term, bool) {
	var r []term
	for _, t := range p {
		q, ok := s.multiplyOut(s.squareRoots(t))
		if !ok {
			return nil, false
		}
		r = append(r, q...)
	}
	return s.collect(r), true
}

// multiplyOut returns a term as a sum without powers of divisors. If atoms that depend on trials and parameters remain, it
// returns the term itself.
func (s *splitter) multiplyOut(t term) ([]term, bool) {
	r := []term{{coef: t.coef}}
	for _, f := range t.factors {
		q := []term{{coef: expr.Num(1), factors: []factor{f}}}
		if s.mixed(s.atoms[f.atom]) {
			if f.power < 0 || f.power > 4 || !s.isDivisor(s.atoms[f.atom]) {
				return []term{t}, true
			}
			base, ok := s.expandAddends(s.atoms[f.atom])
			for i := 0; ok && i < f.power; i++ {
				if i == 0 {
					q = base
				} else {
					q, ok = s.multiply(q, base)
				}
			}
			if !ok || s.anyMixed(q) {
				return []term{t}, true
			}
		}
		var ok bool
		if r, ok = s.multiply(r, q); !ok {
			return nil, false
		}
	}
	return r, true
}

// squareRoots writes even powers of √τ as powers of τ if τ is positive within the support.
func (s *splitter) squareRoots(t term) term {
	r := term{coef: t.coef}
	for _, f := range t.factors {
		x := s.atoms[f.atom]
		if x.Op == expr.Sqrt && f.power/2 != 0 && s.isPositive(x.Args[0]) {
			r.factors = mergeFactors(r.factors, []factor{{s.atom(x.Args[0]), f.power / 2}})
			if f.power%2 == 0 {
				continue
			}
			f.power %= 2
		}
		r.factors = mergeFactors(r.factors, []factor{f})
	}
	return r
}

// anyMixed reports whether an atom of the sum depends on trials and on parameters.
func (s *splitter) anyMixed(p []term) bool {
	for _, t := range p {
		for _, f := range t.factors {
			if s.mixed(s.atoms[f.atom]) {
				return true
			}
		}
	}
	return false
}
