// Package statistic computes summaries of samples for reports, such as quantiles and correlations.
package statistic

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Mean returns the mean of a sample, whose values it adds up in their order. It is NaN for an empty sample.
func Mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// Median returns the middle value of a sample, or the mean of the two middle values. It is NaN for an empty sample.
func Median(x []float64) float64 {
	n := len(x)
	if n == 0 {
		return math.NaN()
	}
	x = slices.Clone(x)
	slices.Sort(x)
	return (x[(n-1)/2] + x[n/2]) / 2
}

// Quantile interpolates between the order statistics of a sample in ascending order: it is the type-7 quantile, R's default. It returns NaN
// for an empty sample.
func Quantile(sorted []float64, p float64) float64 {
	n := len(sorted)
	if n == 0 || math.IsNaN(sorted[0]) || math.IsNaN(p) { // sort puts NaN first
		return math.NaN()
	}
	h := float64(n-1) * min(max(p, 0), 1)
	below := int(h)
	low, high := sorted[below], sorted[min(below+1, n-1)]
	part := h - float64(below)
	if part == 0 || low == high {
		return low
	}
	return (1-part)*low + part*high
}

// Correlation returns Pearson's correlation; NaN for fewer than three points.
func Correlation(x, y []float64) float64 {
	if len(x) < 3 {
		return math.NaN()
	}
	return stat.Correlation(x, y, nil)
}

// ChoiceOffset is the number of seconds that [Signed] adds to response times for each choice after choice 1. It is larger than any response
// time.
const ChoiceOffset = 1e7

// Signed maps response times and choices to single numbers, such that the numbers of two choices never overlap. So a distance between two
// samples of such numbers depends on times and choices. Times at the lower boundary, or of choice 0, become negative. Times at the upper
// boundary, or of choice 1, do not change. For a choice k ≥ 2, (k-1)·[ChoiceOffset] is added. If choice is nil, no time changes.
func Signed(rt, choice []float64) []float64 {
	if choice == nil {
		return slices.Clone(rt)
	}
	x := make([]float64, len(rt))
	for i := range rt {
		switch c := choice[i]; {
		case c <= 0:
			x[i] = -rt[i]
		default:
			x[i] = rt[i] + (c-1)*ChoiceOffset
		}
	}
	return x
}

// KolmogorovSmirnov returns the distance of Kolmogorov and Smirnov between two samples: the largest difference between their empirical
// distributions. It sorts both, and is NaN if one is empty.
func KolmogorovSmirnov(x, y []float64) float64 {
	if len(x) == 0 || len(y) == 0 {
		return math.NaN()
	}
	slices.Sort(x)
	slices.Sort(y)
	worst := 0.0
	for i, j := 0, 0; i < len(x) && j < len(y); {
		at := min(x[i], y[j])
		for i < len(x) && x[i] == at {
			i++
		}
		for j < len(y) && y[j] == at {
			j++
		}
		worst = max(worst, math.Abs(float64(i)/float64(len(x))-float64(j)/float64(len(y))))
	}
	return worst
}
