package posterior

import (
	"fmt"
	"math"
)

// transform maps one unconstrained coordinate q to a parameter x within its bounds, as Stan does: scaled logit between
// two bounds, log from one bound, identity without.
type transform struct{ low, high float64 }

// constrain returns x, dx/dq, log|dx/dq| and the derivative of the last in q.
func (t transform) constrain(q float64) (x, slope, logJacobian, jacobianSlope float64) {
	lowFinite, highFinite := !math.IsInf(t.low, 0), !math.IsInf(t.high, 0)
	switch {
	case lowFinite && highFinite:
		return t.logistic(q)
	case lowFinite:
		e := math.Exp(q)
		return t.low + e, e, q, 1
	case highFinite:
		e := math.Exp(q)
		return t.high - e, -e, q, 1
	}
	return q, 1, 0, 0
}

// logistic is constrain between two bounds, computed from the nearer one so that neither end loses digits.
func (t transform) logistic(q float64) (x, slope, logJacobian, jacobianSlope float64) {
	width := t.high - t.low
	e := math.Exp(-math.Abs(q))
	near := e / (1 + e) // share of the width to the nearer bound
	slope = width * near / (1 + e)
	logJacobian = math.Log(width) - math.Abs(q) - 2*math.Log1p(e)
	if q < 0 {
		return t.low + width*near, slope, logJacobian, 1 - 2*near
	}
	return t.high - width*near, slope, logJacobian, 2*near - 1
}

// unconstrain is the inverse; x must lie strictly within the bounds.
func (t transform) unconstrain(x float64) (float64, error) {
	if !(x > t.low && x < t.high) {
		return 0, fmt.Errorf("%v is not within (%v, %v)", x, t.low, t.high)
	}
	lowFinite, highFinite := !math.IsInf(t.low, 0), !math.IsInf(t.high, 0)
	switch {
	case lowFinite && highFinite:
		return math.Log((x - t.low) / (t.high - x)), nil
	case lowFinite:
		return math.Log(x - t.low), nil
	case highFinite:
		return math.Log(t.high - x), nil
	}
	return x, nil
}
