package ssm

import "math"

// init registers weibull: a diffusion whose boundaries collapse as a Weibull function. The ranges are those of ssm-simulators.
func init() {
	Register(&Model{
		Name:    "weibull",
		Process: "dV = v dτ + dW, bounds collapse as b(τ) = a exp(-(τ/beta)^alpha)",
		Cites:   "Hawkins et al. (2015)",
		Notes:   twoBoundaries,
		Params: []Param{drift(-2.5, 2.5), boundary(0.3, 2.5), start(0.2, 0.8), nonDecision(0.001, 2),
			{"alpha", 0.31, 4.99, "shape of the collapse", Same, Positive},
			{"beta", 0.31, 6.99, "time scale of the collapse in seconds", Same, Positive}},
		Choices:  []float64{1, -1},
		Weak:     []string{"alpha", "beta"},
		Onset:    "t",
		Example:  []float64{1, 1.2, 0.45, 0.3, 2, 3},
		Evidence: "start a*(2*z - 1)  drift v  upper a*exp(-(tau/beta)^alpha)",
		Diffusion: func(theta []float64) Diffusion {
			v, a, z, t, alpha, beta := theta[0], theta[1], theta[2], theta[3], theta[4], theta[5]
			return Diffusion{Onset: t, Start: a * (2*z - 1), Drift: steady(v),
				Bound: func(tau float64) float64 { return a * math.Exp(-math.Pow(tau/beta, alpha)) }}
		},
	})
}
