package divergence

import (
	"math"
	"slices"

	"likc/compiler/expr"
	"likc/search/find/tree"

	"gonum.org/v1/gonum/mat"
)

// mostIncrease is the largest share by which rounding all constants may increase the loss.
const mostIncrease = 0.01

// whole is the effort of a fit to all groups: 8 steps at most.
var whole = effort{math.MaxInt, 8}

// Tidy fits the constants of a tree to all groups, and then rounds them to the simplest numbers that the loss allows. Either it
// rounds one after the other, with a fit of the remaining constants after each, or all to the same number of digits. It returns the
// loss and sets dst to its terms. A tree that would become worse is not changed.
func (s *scorer) Tidy(t *tree.Tree, dst []float64) (loss float64) {
	loss = s.Score(*t, math.Inf(1), dst)
	if t.Constants() == 0 || t.Constants() > mostFitted || math.IsInf(loss, 1) {
		return loss
	}
	fitted := t.Clone()
	s.fit(&fitted, whole, math.Inf(1))
	if fits := s.Score(fitted, math.Inf(1), dst); fits <= loss {
		t.Copy(fitted)
		loss = fits
	}
	if !s.roundEach(t, loss) {
		s.roundAlike(t, loss)
	}
	return s.Score(*t, math.Inf(1), dst)
}

// roundEach rounds each constant to as few digits as the loss allows. It returns false if it cannot round, for example because
// two constants have the same effect.
func (s *scorer) roundEach(t *tree.Tree, loss float64) bool {
	dst := make([]float64, numTerms)
	for share := mostIncrease; share > mostIncrease/1000; share /= 10 {
		rounded := t.Clone()
		if s.round(&rounded, share) && s.Score(rounded, math.Inf(1), dst) <= (1+mostIncrease)*loss {
			t.Copy(rounded)
			return true
		}
	}
	return false
}

// roundAlike rounds all constants to the fewest digits, the same for each, that the loss allows.
func (s *scorer) roundAlike(t *tree.Tree, loss float64) {
	dst, rounded := make([]float64, numTerms), t.Clone()
	for digits := 1; digits <= 15; digits++ {
		for i, x := range t.Values {
			rounded.Values[i] = expr.Rounded(x, digits)
		}
		if s.Score(rounded, math.Inf(1), dst) <= (1+mostIncrease)*loss {
			t.Copy(rounded)
			return
		}
	}
}

// round rounds the constants one after the other, such that the loss increases by at most the given share. Rounding one constant
// by δ, and fitting the others again, increases the summed divergence by δ²/2Q. Here Q is the constant's diagonal element of the
// inverse of the expected second derivatives.
func (s *scorer) round(t *tree.Tree, share float64) bool {
	n := t.Constants()
	f := s.fitting(whole)
	f.frozen = make([]bool, n)
	defer func() { f.frozen = nil }()
	for i := range n {
		total := s.lossAndSlopes(*t)
		q, ok := f.inverse(n)
		if !ok || math.IsInf(total, 1) {
			return false
		}
		reach := math.Sqrt(2 * q.At(i, i) * share * math.Abs(total) / float64(n))
		t.Values[i] = simplest(t.Values[i], reach)
		f.frozen[i] = true
		if i+1 < n {
			s.fit(t, effort{math.MaxInt, 2}, math.Inf(1))
		}
	}
	return true
}

// inverse returns the inverse of the expected second derivatives. Frozen constants do not affect those of the others.
func (f *fitter) inverse(n int) (*mat.SymDense, bool) {
	var cholesky mat.Cholesky
	if !cholesky.Factorize(f.damped(n, 1e-9)) {
		return nil, false
	}
	var inverse mat.SymDense
	return &inverse, cholesky.InverseTo(&inverse) == nil
}

// named lists mathematical constants that are recognised: multiples of π and of its square, square roots, and thirds.
var named = []float64{math.Pi, math.Pi / 2, 2 * math.Pi, math.Pi / 4, math.Pi * math.Pi, math.Pi * math.Pi / 2, math.Pi * math.Pi / 8, math.Sqrt2, math.Sqrt2 / 2,
	math.Sqrt(2 * math.Pi), 1.0 / 3, 2.0 / 3}

// simplest returns the number with the fewest digits, except 0, that differs from x by at most reach. It prefers a named constant to
// a number with more than two digits.
func simplest(x, reach float64) float64 {
	within := func(y float64) bool { return math.Abs(y-x) <= reach && y != 0 }
	for digits := 1; digits <= 17; digits++ {
		y := expr.Rounded(x, digits)
		if within(y) {
			return y
		}
		if digits == 1 {
			continue
		}
		if i := slices.IndexFunc(named, func(y float64) bool { return within(math.Copysign(y, x)) }); i >= 0 {
			return math.Copysign(named[i], x)
		}
	}
	return x
}
