package chains

import "math"

// Rhat returns the rank-normalised split R-hat. It is the larger of two: of the draws, and of their distances
// from the median. So it detects chains that differ in location or in scale, even if the distribution has
// heavy tails. x holds one slice for each chain, all equally long. It is NaN if undefined. [vehtari2021],
// sec. 4.
func Rhat(x [][]float64) float64 {
	if undefined(x) {
		return math.NaN()
	}
	bulk := basicRhat(normalScores(split(x)))
	tail := basicRhat(normalScores(split(fold(x))))
	return max(bulk, tail) // the builtin max keeps NaN
}

// basicRhat returns the potential scale reduction sqrt(((n-1)/n W + B/n)/W) of chains that are not split or
// transformed. W and B are the variances within and between chains, n the number of draws in each.
func basicRhat(x [][]float64) float64 {
	if undefined(x) {
		return math.NaN()
	}
	n := float64(len(x[0]))
	means, within := make([]float64, len(x)), 0.0
	for i, chain := range x {
		var variance float64
		means[i], variance = meanAndVariance(chain)
		within += variance / float64(len(x))
	}
	_, ofMeans := meanAndVariance(means)
	between := n * ofMeans
	return math.Sqrt((between/within + n - 1) / n)
}
