package ssm

import (
	"fmt"
	"math/rand/v2"
)

// init registers races of 2 to 4 diffusions [tillman2020]. Accumulator k starts at a point uniform on [0, A] and drifts to A +
// B at the rate v_k, with unit noise and no lower boundary. So its first-passage time is inverse Gaussian.
func init() {
	for n := 2; n <= maxRacers; n++ {
		Register(&Model{
			Name:    fmt.Sprintf("rdm%d", n),
			Process: fmt.Sprintf("race of %d: accumulator k drifts from U(0, A) to A + B, dX = v_k dτ + dW; the first one gives the choice", n),
			Cites:   "Tillman, Van Zandt & Logan (2020)",
			Notes:   "Choices are numbered from 0. B is the distance from the highest start to the threshold, as in EMC2. The noise is 1.",
			Params: append(racers(n, "v", 0, 6, "drift rate of accumulator %d", NonNegative),
				Param{"A", 0, 2, "range of the starts", Same, NonNegative},
				Param{"B", 0.1, 3, "distance from the highest start to the threshold", Same, Positive}, nonDecision(0, 1)),
			Choices:  numbered(n),
			Each:     []string{"v"},
			Onset:    "t",
			Example:  append([]float64{3, 2, 1.5, 1}[:n:n], 0.5, 1, 0.2),
			Evidence: "start uniform(0, A)  drift v[k]  upper A + B",
			Sampler: func(theta []float64) Sampler {
				v, start, gap, t := theta[:n], theta[n], theta[n+1], theta[n+2]
				return firstOf(n, t, func(r *rand.Rand, k int) float64 { return firstPassage(r, gap+start*r.Float64(), v[k]) })
			},
		})
	}
}

// firstPassage draws the time at which a Brownian motion with the given drift, which is not negative, has covered a distance.
// Without drift it is the squared distance divided by the square of a normal number.
func firstPassage(r *rand.Rand, distance, drift float64) float64 {
	if drift < 1e-100 {
		x := distance / r.NormFloat64()
		return x * x
	}
	return distance * distance * inverseGaussian(r, 1/(distance*drift))
}
