package loo

import (
	"cmp"
	"math"
	"slices"

	"likc/runtime/num/statistic"
	"likc/runtime/num/vec"
)

const (
	// flat is the smallest difference of log weights that counts. R uses the same number.
	flat = 0x1p-52 / 100
	// fewest is the smallest number of weights to which a distribution can be fitted.
	fewest = 5
)

// tailLength returns how many of the largest weights are smoothed: a fifth of the draws, but no more than 3 √(draws/relative).
// [vehtari2024].
func tailLength(draws int, relative float64) int {
	return int(math.Ceil(min(0.2*float64(draws), 3*math.Sqrt(float64(draws)/relative))))
}

// tail smooths the largest weights of a trial.
type tail struct {
	sorted []float64 // weights, partly sorted
	draws  []int     // the draws with the largest weights, in ascending order of their weights
	excess []float64 // how far these weights exceed the cutoff
	fit    *fitter
}

func newTail(draws int) *tail {
	longest := int(math.Ceil(0.2 * float64(draws)))
	return &tail{make([]float64, draws), make([]int, 0, longest), make([]float64, longest), newFitter(longest)}
}

// smooth replaces the n largest log weights by the expected order statistics of a generalised Pareto distribution fitted to them.
// They are cut off at 0, which must be the largest log weight. It returns the distribution's shape, or +Inf if none could be
// fitted; then the weights are unchanged.
func (t *tail) smooth(weight []float64, n int) (shape float64) {
	if n < fewest {
		return math.Inf(1)
	}
	cutoff := t.collect(weight, n)
	least := weight[t.draws[0]]
	if -least < flat {
		return math.Inf(1)
	}
	base := math.Exp(cutoff)
	excess := t.excess[:n]
	for i, s := range t.draws {
		excess[i] = math.Exp(weight[s]) - base
	}
	d := t.fit.fit(excess)
	if math.IsInf(d.shape, 1) {
		return d.shape
	}
	for i, s := range t.draws {
		p := (float64(i) + 0.5) / float64(n)
		weight[s] = min(math.Log(base+d.quantile(p)), 0)
	}
	return d.shape
}

// collect finds the draws with the n largest weights, and returns the largest of the other weights.
func (t *tail) collect(weight []float64, n int) (cutoff float64) {
	copy(t.sorted, weight)
	at := len(weight) - n - 1
	statistic.Partition(t.sorted, at)
	cutoff = t.sorted[at]
	t.draws = t.draws[:0]
	for s, w := range weight {
		if w > cutoff {
			t.draws = append(t.draws, s)
		}
	}
	for s := 0; len(t.draws) < n; s++ { // draws whose weight equals the cutoff
		if weight[s] == cutoff {
			t.draws = append(t.draws, s)
		}
	}
	slices.SortFunc(t.draws, func(a, b int) int {
		return cmp.Or(cmp.Compare(weight[a], weight[b]), a-b)
	})
	return cutoff
}

// Smooth smooths the largest of the log weights of independent draws in place, and then divides all weights by their sum. It
// returns the shape of the Pareto distribution that was fitted to the largest weights: up to [Threshold], the weights can be
// trusted. The shape is 0 if all weights are equal, and +Inf if no distribution could be fitted. A log weight may be -Inf, which
// is a weight of 0; if all are -Inf, the shape is +Inf. Log weights of NaN or +Inf are not allowed.
func Smooth(weight []float64) (shape float64) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, w := range weight {
		low, high = min(low, w), max(high, w)
	}
	if math.IsInf(high, -1) {
		return math.Inf(1)
	}
	vec.AddScalar(weight, weight, -high)
	if high-low >= flat {
		shape = newTail(len(weight)).smooth(weight, tailLength(len(weight), 1))
	}
	total := 0.0
	for _, w := range weight {
		total += math.Exp(w)
	}
	vec.AddScalar(weight, weight, -math.Log(total))
	return shape
}
