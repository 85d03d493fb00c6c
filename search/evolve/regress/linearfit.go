package regress

import (
	"math"

	"likc/compiler/expr"
	"likc/search/tree"
)

// FitConstants moves the constants of t towards the least squares, together with the coefficients that belong to them, and
// reports whether they are better than before. The result depends on t alone.
func (s *linearScorer) FitConstants(t *tree.Tree) bool {
	if t.Constants() == 0 {
		return false
	}
	before := s.Score(*t, math.Inf(1), s.terms[:])
	if math.IsInf(before, 1) {
		return false
	}
	full, own := s.explicit(*t)
	if !s.plain.FitConstants(&full) {
		return false
	}
	old := append([]float64(nil), t.Values...)
	for k, place := range own {
		if place >= 0 {
			t.Values[place] = full.Values[k]
		}
	}
	if s.Score(*t, math.Inf(1), s.terms[:]) < before {
		return true
	}
	copy(t.Values, old)
	return false
}

// explicit is t with its coefficients written as constants, b₀ + b₁·t₁ + …, and for each of its constants the place among
// those of t, or -1 for a coefficient.
func (s *linearScorer) explicit(t tree.Tree) (full tree.Tree, own []int) {
	coefficients := s.coefficients()
	for k, term := range s.independent(t) {
		full.Codes = append(full.Codes, tree.Constant)
		full.Values, own = append(full.Values, coefficients[k]), append(own, -1)
		if k == 0 {
			continue
		}
		full.Append(t.Cut(term[0], term[1]))
		for i := range t.Cut(term[0], term[1]).Constants() {
			own = append(own, t.Cut(0, term[0]).Constants()+i)
		}
		full.Codes = append(full.Codes, tree.Operator(expr.Mul), tree.Operator(expr.Add))
	}
	return full, own
}
