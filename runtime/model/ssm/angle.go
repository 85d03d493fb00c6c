package ssm

import (
	"math"
)

// init registers angle: a diffusion between boundaries that collapse linearly. The ranges are those of ssm-simulators.
func init() {
	Register(&Model{
		Name:    "angle",
		Process: "dV = v dτ + dW, bounds collapse linearly: b(τ) = max(0, a - τ tan theta)",
		Cites:   "Fengler et al. (2021)",
		Notes:   twoBoundaries,
		Params: []Param{drift(-3, 3), boundary(0.3, 3), start(0.1, 0.9), nonDecision(0.001, 2),
			{"theta", -0.1, 1.3, "angle of collapse in radians", Same, Acute}},
		Choices:  []float64{1, -1},
		Onset:    "t",
		Example:  []float64{1, 1.2, 0.45, 0.3, 0.3},
		Evidence: "start a*(2*z - 1)  drift v  upper a - tau*sin(theta)/cos(theta)",
		Diffusion: func(theta []float64) Diffusion {
			v, a, z, t, slope := theta[0], theta[1], theta[2], theta[3], math.Tan(theta[4])
			return Diffusion{Onset: t, Start: a * (2*z - 1), Drift: steady(v),
				Bound: func(tau float64) float64 { return max(0, a-tau*slope) }}
		},
		Density: &Density{Log: angleDensity, Rows: newAngleRows},
	})
}
