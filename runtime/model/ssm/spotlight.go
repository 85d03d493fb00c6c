package ssm

import "math"

// init registers the shrinking spotlight. The stimulus is a row of five items, each one unit wide, with the target in the
// middle. Attention is a normal curve around the target. It narrows in time, so that the other items contribute less and less
// to the evidence.
func init() {
	Register(&Model{
		Name:    "shrinking_spotlight",
		Process: "dV = Σ p_i A_i(τ) dτ + dW between -a and +a, A_i the share of N(0, max(sd - r τ, 0.001)²) over item i of five",
		Cites:   "White, Ratcliff & Starns (2011)",
		Notes:   twoBoundaries + " Each p is the evidence a second of an item that has all attention; flankers that point elsewhere have another sign than the target.",
		Params: []Param{boundary(0.3, 3), start(0.1, 0.9), nonDecision(0.001, 2),
			{"target", -5.5, 5.5, "evidence of the target", Negate, Finite},
			{"inner", -5.5, 5.5, "evidence of each of the two flankers beside the target", Negate, Finite},
			{"outer", -5.5, 5.5, "evidence of each of the two outer flankers", Negate, Finite},
			{"sd", 1, 3, "width of the spotlight at first, in items", Same, Positive},
			{"r", 0.01, 20, "items a second by which it narrows", Same, NonNegative}},
		Choices: []float64{1, -1},
		Onset:   "t",
		Weak:    []string{"a", "z", "inner", "outer", "sd", "r"}, // at many drifts all responses are at one boundary, which makes a and z weak
		Example: []float64{1, 0.5, 0.3, 4, -4, -4, 1.8, 10},
		Evidence: "start a*(2*z - 1)  drift target*(1 - 2*normcdf(-0.5/max(sd - r*tau, 0.001))) + " +
			"2*inner*(normcdf(-0.5/max(sd - r*tau, 0.001)) - normcdf(-1.5/max(sd - r*tau, 0.001))) + 2*outer*normcdf(-1.5/max(sd - r*tau, 0.001))  upper a",
		Diffusion: func(theta []float64) Diffusion {
			a, z, t, target, inner, outer, width, rate := theta[0], theta[1], theta[2], theta[3], theta[4], theta[5], theta[6], theta[7]
			return Diffusion{Onset: t, Start: a * (2*z - 1), Bound: constant(a),
				Drift: func(tau, _ float64) float64 {
					sd := max(width-rate*tau, 0.001)
					near, far := upperTail(0.5/sd), upperTail(1.5/sd)
					return target*(1-2*near) + 2*inner*(near-far) + 2*outer*far
				}}
		},
	})
}

// upperTail returns the probability that a standard normal number is above x.
func upperTail(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }
