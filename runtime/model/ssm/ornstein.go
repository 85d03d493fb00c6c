package ssm

// init registers ornstein: a diffusion with leak between two boundaries. The ranges are those of ssm-simulators.
func init() {
	Register(&Model{
		Name:    "ornstein",
		Process: "dV = (v - g V) dτ + dW between -a and +a",
		Cites:   "Busemeyer & Townsend (1993)",
		Notes:   twoBoundaries,
		Params: []Param{drift(-2, 2), boundary(0.3, 3), start(0.1, 0.9),
			{"g", -1, 1, "leak: pull towards zero, away from it when negative", Same, Finite}, nonDecision(0.001, 2)},
		Choices:  []float64{1, -1},
		Weak:     []string{"g"},
		Onset:    "t",
		Example:  []float64{1, 1.2, 0.45, 0.2, 0.3},
		Evidence: "start a*(2*z - 1)  drift v - g*x  upper a",
		Diffusion: func(theta []float64) Diffusion {
			v, a, z, g, t := theta[0], theta[1], theta[2], theta[3], theta[4]
			return Diffusion{Onset: t, Start: a * (2*z - 1), Bound: constant(a),
				Drift: func(_, y float64) float64 { return v - g*y }}
		},
	})
}
