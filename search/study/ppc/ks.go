package ppc

import (
	"math"
	"slices"
)

// KS is the distance of Kolmogorov and Smirnov between two samples: the largest difference between their empirical
// distributions. It sorts both, and is NaN if one is empty.
func KS(x, y []float64) float64 {
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
