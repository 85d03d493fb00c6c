package ssm

import (
	"fmt"
	"math"
	"slices"
)

// fromZero is the remark on parameters that all models of this file share.
const fromZero = "Choices are numbered from 0. Evidence is never below 0, where it is reflected; a is the distance of the bound from 0, and z is relative to it. The noise is 1."

// init registers races of 2 to 4 diffusions with one bound that collapses linearly, and races of 2 to 4 leaky, competing
// accumulators. A few hundred trials show which accumulator is faster. They hardly determine the speed of all and the bound,
// because a higher bound can compensate for higher speed.
func init() {
	for n := 2; n <= maxRacers; n++ {
		Register(&Model{
			Name:    fmt.Sprintf("race_angle%d", n),
			Process: fmt.Sprintf("race of %d: dX_k = v_k dτ + dW reflected at 0; the first one at max(0, a - τ tan theta) gives the choice", n),
			Cites:   "Fengler et al. (2021)",
			Notes:   fromZero,
			Params: append(racers(n, "v", 0, 2.5, "drift rate of accumulator %d", Finite),
				Param{"a", 1, 3, "bound, at the start of the trial", Same, Positive},
				Param{"z", 0.01, 0.9, "start point of all: relative, 1 at the bound", Same, Unit}, nonDecision(0, 2),
				Param{"theta", -0.1, 1.45, "angle of collapse in radians", Same, Acute}),
			Choices:  numbered(n),
			Each:     []string{"v"},
			Onset:    "t",
			Weak:     append(each(n, "v"), "a", "z", "theta"),
			Example:  append([]float64{1.5, 1, 0.5, 0.2}[:n:n], 1.5, 0.3, 0.3, 0.2),
			Evidence: "start a*z  drift v[k]  upper a - tau*sin(theta)/cos(theta)  reflect 0",
			Accumulators: func(theta []float64) Accumulators {
				v, a, z, t, slope := theta[:n], theta[n], theta[n+1], theta[n+2], math.Tan(theta[n+3])
				return Accumulators{Onset: t, Start: slices.Repeat([]float64{a * z}, n), Bound: func(tau float64) float64 { return max(0, a-tau*slope) },
					Drift: func(dst, _ []float64) { copy(dst, v) }}
			},
		})
		Register(&Model{
			Name:    fmt.Sprintf("lca%d", n),
			Process: fmt.Sprintf("leaky competing accumulators, %d: dX_k = (v_k - g X_k - beta Σ X_j) dτ + dW over the other j, reflected at 0; the first one at a gives the choice", n),
			Cites:   "Usher & McClelland (2001)",
			Notes:   fromZero,
			Params: append(racers(n, "v", 0, 2.5, "input of accumulator %d", Finite),
				Param{"a", 1, 3, "bound", Same, Positive}, Param{"z", 0.01, 0.9, "start point of all: relative, 1 at the bound", Same, Unit},
				Param{"g", -1, 1, "leak: pull towards 0, away from it when negative", Same, Finite},
				Param{"beta", -1, 1, "inhibition by the evidence of each of the others", Same, Finite}, nonDecision(0, 2)),
			Choices: numbered(n),
			Each:    []string{"v"},
			Onset:   "t",
			Weak:    append(each(n, "v"), "a", "z", "g", "beta"),
			Example: append([]float64{1.5, 1, 0.5, 0.2}[:n:n], 1.5, 0.3, 0.2, 0.3, 0.3),
			Accumulators: func(theta []float64) Accumulators {
				v, a, z, g, beta, t := theta[:n], theta[n], theta[n+1], theta[n+2], theta[n+3], theta[n+4]
				return Accumulators{Onset: t, Start: slices.Repeat([]float64{a * z}, n), Bound: constant(a), Drift: competing(v, g, beta)}
			},
		})
	}
}

// competing returns the drifts of leaky competing accumulators.
func competing(v []float64, leak, inhibition float64) func(dst, x []float64) {
	return func(dst, x []float64) {
		total := 0.0
		for _, evidence := range x {
			total += evidence
		}
		for k, evidence := range x {
			dst[k] = v[k] - leak*evidence - inhibition*(total-evidence)
		}
	}
}
