package ssm

import (
	"math"
	"math/rand/v2"
)

// bridge draws trials of a diffusion in steps, like [euler], and also finds crossings between the steps. Between two steps the
// process is a Brownian bridge, and the boundary is almost a straight line. So the probability that the bridge touches the
// boundary is known, and so is the distribution of the time. If the drift is constant and the boundaries are straight, as in
// angle, the only error comes from crossings of both boundaries in one step, which have a probability below 1e-6. Otherwise the
// error is of second order in the time step: from Heun's method for the drift, and from the curvature of the boundary.
type bridge struct {
	Diffusion
	step, most float64 // longest step and the largest τ, in seconds
}

// A step is at most stepSquare times the squared half-distance of the boundaries, so that no step crosses both: exp(-8/stepSquare) is
// 1e-7. It is at most stepGrowth times τ, and at least 1/stepParts of the longest one, because boundaries and drifts may change fast at first.
const (
	stepSquare = 0.5
	stepGrowth = 0.125
	stepParts  = 256
	// touching is the distance at which boundaries count as having met.
	touching = 1e-6
	// never is the exponent of a probability that is below the resolution of a uniform number.
	never = 40
)

// draw returns one trial. If no boundary is reached in time, the choice is the side on which the evidence is.
func (w *bridge) draw(r *rand.Rand) (rt, choice float64) {
	y, tau, b := w.Start, 0.0, w.Bound(0)
	for tau <= w.most && math.Abs(y) < b {
		h := min(w.step, max(stepGrowth*tau, w.step/stepParts), stepSquare*b*b)
		next := w.move(r, tau, h, y)
		bound := w.Bound(tau + h)
		if side := crossed(r, h, b-y, bound-next, b+y, bound+next); side != 0 {
			return w.Onset + tau + touchTime(r, h, b-side*y, bound-side*next), side
		}
		y, tau, b = next, tau+h, bound
		if b < touching {
			break
		}
	}
	rt = w.Onset + tau
	if tau == 0 { // the evidence began on a boundary
		rt = math.Nextafter(rt, math.Inf(1))
	}
	if y > 0 {
		return rt, 1
	}
	return rt, -1
}

// move returns the evidence after a time h, by a step of Heun's method.
func (w *bridge) move(r *rand.Rand, tau, h, y float64) float64 {
	noise := math.Sqrt(h) * r.NormFloat64()
	first := w.Drift(tau, y)
	second := w.Drift(tau+h, y+first*h+noise)
	return y + (first+second)*h/2 + noise
}

// crossed returns the boundary that a bridge touches in a step of length h: 1 for the upper one, -1 for the lower one, 0 for
// none. It is given the distances from both boundaries at the beginning and the end. A distance below 0 at the end is a
// crossing.
func crossed(r *rand.Rand, h, upper, upperEnd, lower, lowerEnd float64) float64 {
	switch {
	case upperEnd <= 0 && upperEnd <= lowerEnd:
		return 1
	case lowerEnd <= 0:
		return -1
	}
	up, low := 2*upper*upperEnd/h, 2*lower*lowerEnd/h
	if up > never && low > never {
		return 0
	}
	u := r.Float64() - math.Exp(-up)
	switch {
	case u < 0:
		return 1
	case u < math.Exp(-low):
		return -1
	}
	return 0
}

// touchTime draws the first time s at which a Brownian bridge of length h touches a line, provided that it does. It is given the bridge's
// distances from the line at the beginning and the end. Measured in the time u = s h/(h-s), the bridge is a Brownian motion with a drift
// towards the line. So it touches the line after an inverse Gaussian time u.
func touchTime(r *rand.Rand, h, from, to float64) float64 {
	drift := max(math.Abs(to)/h, 1e-12)
	u := firstPassage(r, from, drift)
	return h * u / (h + u)
}
