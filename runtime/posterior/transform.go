package posterior

import (
	"fmt"
	"math"
)

// transform maps one unconstrained coordinate q to a parameter x within its bounds, as Stan does: scaled logit between
// two bounds, log from one bound, identity without.
type transform struct{ low, high, logWidth float64 }

func newTransform(low, high float64) transform { return transform{low, high, math.Log(high - low)} }

// image is what a transform makes of q. The log Jacobian log|dx/dq| is linear - 2log(factor), in two parts so that the
// logarithm can be taken of many factors' product.
type image struct {
	x, slope float64 // slope: dx/dq
	linear   float64
	factor   float64 // from 1 to 2
	tilt     float64 // derivative of the log Jacobian in q
}

func (t *transform) constrain(q float64) image {
	lowFinite, highFinite := !math.IsInf(t.low, 0), !math.IsInf(t.high, 0)
	switch {
	case lowFinite && highFinite:
		return t.logistic(q)
	case lowFinite:
		e := math.Exp(q)
		return image{x: t.low + e, slope: e, linear: q, factor: 1, tilt: 1}
	case highFinite:
		e := math.Exp(q)
		return image{x: t.high - e, slope: -e, linear: q, factor: 1, tilt: 1}
	}
	return image{x: q, slope: 1, factor: 1}
}

// logistic is constrain between two bounds, computed from the nearer one so that neither end loses digits.
func (t *transform) logistic(q float64) image {
	width := t.high - t.low
	e := math.Exp(-math.Abs(q))
	factor := 1 + e
	near := e / factor // share of the width to the nearer bound
	to := image{slope: width * near / factor, linear: t.logWidth - math.Abs(q), factor: factor}
	if q < 0 {
		to.x, to.tilt = t.low+width*near, 1-2*near
	} else {
		to.x, to.tilt = t.high-width*near, 2*near-1
	}
	return to
}

// unconstrain is the inverse; x must lie strictly within the bounds.
func (t *transform) unconstrain(x float64) (float64, error) {
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
