package ssm

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// init registers races of 2 to 4 linear ballistic accumulators [brown2008]. Accumulator k starts at a point uniform on [0, A]
// and rises to A + B. Its rate is normal with mean v_k and standard deviation 1, conditional on being positive.
func init() {
	for n := 2; n <= maxRacers; n++ {
		Register(&Model{
			Name: fmt.Sprintf("lba%d", n),
			Process: fmt.Sprintf("race of %d: accumulator k rises from U(0, A) to A + B at a constant rate N(v_k, 1) given that it is positive; "+
				"the first one gives the choice", n),
			Cites: "Brown & Heathcote (2008)",
			Notes: "Choices are numbered from 0. B is the distance from the highest start to the threshold, as in EMC2; rtdists has b = A + B. " +
				"Rates are truncated at 0, as there by default.",
			Params: append(racers(n, "v", 0, 5, "mean rate of accumulator %d", Finite),
				Param{"A", 0, 2, "range of the starts", Same, NonNegative},
				Param{"B", 0.05, 3, "distance from the highest start to the threshold", Same, Positive}, nonDecision(0, 1)),
			Choices: numbered(n),
			Each:    []string{"v"},
			Onset:   "t",
			Example: append([]float64{2.5, 1.8, 1.4, 1}[:n:n], 0.6, 0.8, 0.2),
			Sampler: func(theta []float64) Sampler {
				v, start, gap, t := theta[:n], theta[n], theta[n+1], theta[n+2]
				return firstOf(n, t, func(r *rand.Rand, k int) float64 { return (gap + start*r.Float64()) / positiveNormal(r, v[k]) })
			},
		})
	}
}

// positiveNormal draws from the normal distribution with the given mean and standard deviation 1, conditional on a positive value.
// Far in the tail it uses rejection from an exponential distribution [robert1995].
func positiveNormal(r *rand.Rand, mean float64) float64 {
	if mean > -1 {
		for {
			if x := mean + r.NormFloat64(); x > 0 {
				return x
			}
		}
	}
	rate := (-mean + math.Sqrt(mean*mean+4)) / 2
	if math.IsInf(rate, 1) { // the square overflowed
		rate = -mean
	}
	for {
		x := r.ExpFloat64() / rate
		if d := x - mean - rate; r.Float64() < math.Exp(-d*d/2) {
			return x
		}
	}
}
