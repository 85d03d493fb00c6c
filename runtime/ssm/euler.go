package ssm

import (
	"math"
	"math/rand/v2"
)

// euler draws trials by the Euler-Maruyama scheme with the conventions of
// ssm-simulators: start at a(2z-1), steps of dt until |y| ≥ b(τ) or τ > max,
// and a jitter (1/2-u)dt of the decision time, u uniform.
//
// The scheme sees the boundary only at the steps, so excursions between them
// are missed, and decisions come late: as if the boundary were at a + 0.58√dt.
// At dt = 1 ms the mean decision time without drift is 4 % too long for a = 1
// and 13 % for a = 0.3.
type euler struct {
	bound      func(tau float64) float64
	drift      func(y float64) float64
	start, t   float64
	step, most float64 // dt and the largest τ
}

func (e *euler) draw(r *rand.Rand) (rt, choice float64) {
	noise := math.Sqrt(e.step)
	y, tau := e.start, 0.0
	for n := 1.0; math.Abs(y) < e.bound(tau) && tau <= e.most; n++ {
		y += e.drift(y)*e.step + noise*r.NormFloat64()
		tau = n * e.step
	}
	jitter := (0.5 - r.Float64()) * e.step
	if tau == 0 || tau > e.most {
		jitter = math.Abs(jitter) // keep rt after t
	}
	if y > 0 {
		return e.t + tau + jitter, 1
	}
	return e.t + tau + jitter, -1
}
