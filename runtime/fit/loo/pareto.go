package loo

import (
	"math"

	"likc/runtime/num/vec"
)

// pareto is a generalised Pareto distribution above 0.
type pareto struct{ shape, scale float64 }

// quantile returns the value below which the share p of the distribution lies.
func (d pareto) quantile(p float64) float64 {
	x := -math.Log1p(-p)
	if d.shape == 0 {
		return d.scale * x
	}
	return d.scale * math.Expm1(d.shape*x) / d.shape
}

// fitter fits generalised Pareto distributions.
type fitter struct {
	grid, logs []float64 // candidates for -shape/scale, and the logs of their likelihoods
	scratch    []float64 // working memory: one number for each value
}

func newFitter(longest int) *fitter {
	n := gridSize(longest)
	return &fitter{make([]float64, n), make([]float64, n), make([]float64, longest)}
}

// gridSize returns the number of candidates for n values.
func gridSize(n int) int { return 30 + int(math.Sqrt(float64(n))) }

// fit returns the distribution fitted to ascending values that are not negative. -shape/scale is its mean over an approximate
// posterior [zhang2009]. The shape is moved towards 0.5, as if ten more values had that shape [vehtari2024]. The shape is +Inf if
// no distribution fits, for example because the values are nearly equal.
func (f *fitter) fit(x []float64) pareto {
	const prior = 3
	n, size := len(x), gridSize(len(x))
	grid, logs := f.grid[:size], f.logs[:size]
	largest, quartile := x[n-1], x[int(math.Floor(float64(n)/4+0.5))-1]
	for j := range grid {
		grid[j] = 1/largest + (1-math.Sqrt(float64(size)/(float64(j)+0.5)))/prior/quartile
		k := f.shape(x, grid[j])
		logs[j] = float64(n) * (math.Log(-grid[j]/k) - k - 1)
	}
	theta := weightedMean(grid, logs)
	k := f.shape(x, theta)
	scale := -k / theta
	const pseudo, centre = 10, 0.5
	k = (float64(n)*k + pseudo*centre) / float64(n+pseudo)
	if !(scale > 0) || math.IsInf(scale, 1) || math.IsNaN(k) {
		return pareto{shape: math.Inf(1)}
	}
	return pareto{k, scale}
}

// shape returns the most likely shape of x, where -shape/scale is theta: the mean of log(1 - theta x).
func (f *fitter) shape(x []float64, theta float64) float64 {
	s := f.scratch[:len(x)]
	vec.MulScalar(s, x, -theta)
	vec.Log1p(s, s)
	return vec.Sum(s) / float64(len(x))
}

// weightedMean returns the mean of x with weights whose logs are given; NaN if one of the logs is NaN.
func weightedMean(x, logs []float64) float64 {
	high := math.Inf(-1)
	for _, l := range logs {
		high = max(high, l)
	}
	sum, total := 0.0, 0.0
	for j, l := range logs {
		w := math.Exp(l - high)
		sum += w * x[j]
		total += w
	}
	return sum / total
}
