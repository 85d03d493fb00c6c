package ir

import "math"

// accumulator is a compensated sum [neumaier1974] or a minimum.
type accumulator struct {
	kind            Kind
	sum, fix, terms float64 // fix corrects sum for rounding errors; terms is Σ|x|
}

// newAccumulator returns an empty sum, or for Least an empty minimum.
func newAccumulator(k Kind) accumulator {
	if k == Least {
		return accumulator{kind: k, sum: math.Inf(1)}
	}
	return accumulator{kind: k}
}

// add adds x to the sum, or takes it into the minimum.
func (a *accumulator) add(x float64) {
	if a.kind == Least {
		a.sum = math.Min(a.sum, x)
		return
	}
	a.terms += math.Abs(x)
	t := a.sum + x
	if math.Abs(a.sum) >= math.Abs(x) {
		a.fix += (a.sum - t) + x
	} else {
		a.fix += (x - t) + a.sum
	}
	a.sum = t
}

// value returns the sum or the minimum.
func (a *accumulator) value() float64 {
	if a.kind == Least || math.IsInf(a.sum, 0) || math.IsNaN(a.sum) {
		return a.sum
	}
	return a.sum + a.fix
}
