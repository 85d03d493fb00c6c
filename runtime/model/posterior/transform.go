package posterior

import (
	"fmt"
	"math"

	"likc/runtime/num/elementary"
)

// transform maps one unconstrained coordinate q to a parameter x within its bounds, as Stan does: scaled logit between two
// bounds, logarithm with one bound, identity without bounds.
type transform struct {
	low, high float64
	between   bool    // whether both bounds are finite
	logWidth  float64 // log of the distance between the bounds
}

func newTransform(low, high float64) transform {
	return transform{low, high, !math.IsInf(low, 0) && !math.IsInf(high, 0), math.Log(high - low)}
}

// place returns the parameter x at the unconstrained coordinate q.
func (t *transform) place(q float64) float64 {
	x, _, _, _, _ := t.constrain(q)
	return x
}

// constrain returns x, dx/dq, and the log Jacobian log|dx/dq| = linear - 2log(factor), 1 <= factor <= 2, with its derivative
// tilt with respect to q. The log Jacobian has two parts, so that the caller computes one logarithm for a product of many
// factors.
func (t *transform) constrain(q float64) (x, slope, linear, factor, tilt float64) {
	if t.between {
		return t.logistic(q)
	}
	switch {
	case !math.IsInf(t.low, 0):
		e := math.Exp(q)
		return t.low + e, e, q, 1, 1
	case !math.IsInf(t.high, 0):
		e := math.Exp(q)
		return t.high - e, -e, q, 1, 1
	}
	return q, 1, 0, 1, 0
}

// logistic does the same as constrain between two bounds. It computes the distance from the nearer bound, so that x is accurate near both
// bounds.
func (t *transform) logistic(q float64) (x, slope, linear, factor, tilt float64) {
	width := t.high - t.low
	e := elementary.ExpNeg(math.Abs(q))
	factor = 1 + e
	near := e / factor // distance to the nearer bound, as a share of the width
	slope = width * near * (1 - near)
	linear = t.logWidth - math.Abs(q)
	if q < 0 {
		return t.low + width*near, slope, linear, factor, 1 - 2*near
	}
	return t.high - width*near, slope, linear, factor, 2*near - 1
}

// unconstrain returns the inverse of place; x must lie strictly within the bounds.
func (t *transform) unconstrain(x float64) (float64, error) {
	if !(x > t.low && x < t.high) {
		return 0, fmt.Errorf("%v is not within (%v, %v)", x, t.low, t.high)
	}
	switch {
	case t.between:
		return math.Log((x - t.low) / (t.high - x)), nil
	case !math.IsInf(t.low, 0):
		return math.Log(x - t.low), nil
	case !math.IsInf(t.high, 0):
		return math.Log(t.high - x), nil
	}
	return x, nil
}
