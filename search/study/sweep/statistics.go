package sweep

import (
	"math"
	"math/rand/v2"
	"slices"

	"likc/runtime/num/statistic"
)

// bootstrap returns the 95 % percentile interval of the mean over searches.
func bootstrap(x []float64, s Settings) [2]float64 {
	if len(x) == 0 || s.Resamples < 1 {
		return [2]float64{}
	}
	random := rand.New(rand.NewPCG(s.Seed, uint64(len(x))))
	means := make([]float64, s.Resamples)
	for i := range means {
		for range x {
			means[i] += x[random.IntN(len(x))] / float64(len(x))
		}
	}
	return [2]float64{quantile(means, 0.025), quantile(means, 0.975)}
}

// quantile returns a quantile, interpolated between order statistics; it sorts x.
func quantile(x []float64, p float64) float64 {
	if len(x) == 0 {
		return 0
	}
	slices.Sort(x)
	return statistic.Quantile(x, p)
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(max(1, len(x)))
}

// share returns n/of; 0 if of is 0.
func share(n, of int) float64 { return float64(n) / float64(max(1, of)) }

// rated is a figure of an expression, with the judge's verdict and the number of the search that found it.
type rated struct {
	figure float64
	pass   bool
	search int
}

// auc returns the probability that an expression that passes has a larger figure than one that does not, where a tie counts half.
// This is Mann and Whitney's U divided by the number of pairs. The list must be sorted by figures; weights[i] is the weight of
// search i. It returns NaN if there is no pair.
func auc(list []rated, weights []float64) float64 {
	wins, passing, failing := 0.0, 0.0, 0.0
	for from := 0; from < len(list); {
		p, f, to := 0.0, 0.0, from
		for ; to < len(list) && list[to].figure == list[from].figure; to++ {
			if w := weights[list[to].search]; list[to].pass {
				p += w
			} else {
				f += w
			}
		}
		wins += p * (failing + f/2)
		passing, failing, from = passing+p, failing+f, to
	}
	return wins / (passing * failing)
}

// aucInterval returns the 95 % percentile interval of auc when searches are resampled within each stratum, which lists their
// numbers.
func aucInterval(list []rated, strata [][]int, s Settings) [2]float64 {
	random := rand.New(rand.NewPCG(s.Seed, uint64(len(list))))
	var all []float64
	n := 0
	for _, stratum := range strata {
		n += len(stratum)
	}
	weights := make([]float64, n)
	for range s.Resamples {
		clear(weights)
		for _, stratum := range strata {
			for range stratum {
				weights[stratum[random.IntN(len(stratum))]]++
			}
		}
		if a := auc(list, weights); !math.IsNaN(a) { // a resample may have no passing expression
			all = append(all, a)
		}
	}
	if len(all) == 0 {
		return [2]float64{math.NaN(), math.NaN()}
	}
	return [2]float64{quantile(all, 0.025), quantile(all, 0.975)}
}
