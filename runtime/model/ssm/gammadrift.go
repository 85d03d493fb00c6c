package ssm

import "math"

// init registers a diffusion whose drift has a transient part, a gamma curve over time. In the diffusion model for conflict
// tasks of Ulrich et al. the transient part is the derivative of such a curve.
func init() {
	Register(&Model{
		Name:    "gamma_drift",
		Process: "dV = (v + c (x exp(1 - x))^sharp) dτ + dW between -a and +a, x = τ/peak",
		Cites:   "after Ulrich et al. (2015)",
		Notes: twoBoundaries + " The transient part of the drift has the shape of a gamma density and is c at its peak. ssm-simulators has " +
			"shape = 1 + sharp and scale = peak/sharp.",
		Params: []Param{drift(-3, 3), boundary(0.3, 3), start(0.1, 0.9), nonDecision(0.001, 2),
			{"c", -3, 3, "height of the transient drift", Negate, Finite},
			{"peak", 0.05, 1, "seconds after the onset at which the transient drift is largest", Same, Positive},
			{"sharp", 1, 9, "how sharp the peak is", Same, Positive}},
		Choices:  []float64{1, -1},
		Onset:    "t",
		Example:  []float64{1, 1.2, 0.45, 0.3, -1, 0.2, 2},
		Weak:     []string{"c", "peak", "sharp"},
		Evidence: "start a*(2*z - 1)  drift v + c*(tau/peak*exp(1 - tau/peak))^sharp  upper a",
		Diffusion: func(theta []float64) Diffusion {
			v, a, z, t, c, peak, sharp := theta[0], theta[1], theta[2], theta[3], theta[4], theta[5], theta[6]
			return Diffusion{Onset: t, Start: a * (2*z - 1), Bound: constant(a),
				Drift: func(tau, _ float64) float64 {
					x := tau / peak
					return v + c*math.Pow(x*math.Exp(1-x), sharp)
				}}
		},
	})
}
