package chains

import "math"

// Rhat returns the rank-normalised split R-hat: the larger of the bulk's and the folded draws', so that it sees chains
// that differ in location or in scale, whatever the tails. x holds one slice for each chain, all equally long. It is NaN if
// undefined.
// [vehtari2021], sec. 4.
func Rhat(x [][]float64) float64 {
	if undefined(x) {
		return math.NaN()
	}
	bulk := basicRhat(normalScores(split(x)))
	tail := basicRhat(normalScores(split(fold(x))))
	return max(bulk, tail) // the builtin max keeps NaN
}

// basicRhat returns the potential scale reduction sqrt(((n-1)/n W + B/n)/W) of the chains as they are.
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
