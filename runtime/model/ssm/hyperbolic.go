package ssm

// init registers a diffusion whose boundaries collapse hyperbolically: by the share kappa in the end, and by half of that after
// `half` seconds.
func init() {
	Register(&Model{
		Name:    "hyperbolic",
		Process: "dV = v dτ + dW, bounds collapse as b(τ) = a (1 - kappa τ/(τ + half))",
		Cites:   "Voskuilen, Ratcliff & Smith (2016)",
		Notes:   twoBoundaries,
		Params: []Param{drift(-3, 3), boundary(0.3, 2.5), start(0.1, 0.9), nonDecision(0, 2),
			{"kappa", 0, 1, "share of the boundary that is gone in the end", Same, NonNegative},
			{"half", 0.1, 3, "seconds after which half of that is gone", Same, Positive}},
		Choices:  []float64{1, -1},
		Onset:    "t",
		Example:  []float64{1, 1.2, 0.45, 0.3, 0.6, 0.8},
		Weak:     []string{"kappa", "half"},
		Evidence: "start a*(2*z - 1)  drift v  upper a*(1 - kappa*tau/(tau + half))",
		Diffusion: func(theta []float64) Diffusion {
			v, a, z, t, kappa, half := theta[0], theta[1], theta[2], theta[3], theta[4], theta[5]
			return Diffusion{Onset: t, Start: a * (2*z - 1), Drift: steady(v),
				Bound: func(tau float64) float64 { return max(0, a*(1-kappa*tau/(tau+half))) }}
		},
	})
}
