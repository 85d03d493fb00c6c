package ssm

import (
	"math"
	"math/rand/v2"
)

// Diffusion is a process between two boundaries, at given parameters. The evidence V follows dV = Drift(τ, V) dτ + dW from Start until
// |V(τ)| ≥ Bound(τ), with unit noise. τ is the decision time, and the response time is Onset + τ. Times are in seconds.
type Diffusion struct {
	Onset, Start float64
	Bound        func(tau float64) float64
	Drift        func(tau, y float64) float64
}

// euler draws trials by the Euler-Maruyama scheme with the conventions of
// ssm-simulators: steps of dt until |y| ≥ b(τ) or τ > max,
// and a jitter (1/2-u)dt of the decision time, u uniform.
//
// The scheme sees the boundary only at the steps, so excursions between them
// are missed, and decisions come late: as if the boundary were at a + 0.58√dt.
// At dt = 1 ms the mean decision time without drift is 4 % too long for a = 1
// and 13 % for a = 0.3.
type euler struct {
	Diffusion
	step, most float64 // dt and the largest τ
}

// draw returns one trial.
func (e *euler) draw(r *rand.Rand) (rt, choice float64) {
	noise := math.Sqrt(e.step)
	y, tau := e.Start, 0.0
	for n := 1.0; math.Abs(y) < e.Bound(tau) && tau <= e.most; n++ {
		y += e.Drift(tau, y)*e.step + noise*r.NormFloat64()
		tau = n * e.step
	}
	jitter := (0.5 - r.Float64()) * e.step
	if tau == 0 || tau > e.most {
		jitter = math.Abs(jitter) // keep rt after t
	}
	if y > 0 {
		return e.Onset + tau + jitter, 1
	}
	return e.Onset + tau + jitter, -1
}
