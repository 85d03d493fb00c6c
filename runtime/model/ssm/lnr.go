package ssm

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// init registers lognormal races of 2 to 4 accumulators [heathcote2012]. Accumulator k finishes at t + exp(m_k + s N) with a
// standard normal N, and the first one gives the choice.
func init() {
	for n := 2; n <= maxRacers; n++ {
		Register(&Model{
			Name:    fmt.Sprintf("lnr%d", n),
			Process: fmt.Sprintf("race of %d: accumulator k finishes at τ = exp(m_k + s N), N standard normal; the first one gives the choice", n),
			Cites:   "Heathcote & Love (2012)",
			Notes:   "Choices are numbered from 0. Times are in seconds.",
			Params: append(racers(n, "m", -3, 2, "mean of the log finishing time of accumulator %d", Finite),
				Param{"s", 0.1, 2, "standard deviation of the log finishing times", Same, Positive}, nonDecision(0, 1)),
			Choices: numbered(n),
			Each:    []string{"m"},
			Onset:   "t",
			Example: append([]float64{-1, -0.5, -0.3, 0}[:n:n], 0.6, 0.2),
			Sampler: func(theta []float64) Sampler {
				m, s, t := theta[:n], theta[n], theta[n+1]
				return firstOf(n, t, func(r *rand.Rand, k int) float64 { return math.Exp(m[k] + s*r.NormFloat64()) })
			},
		})
	}
}
