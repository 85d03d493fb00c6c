package statistic

import (
	"math"
	"slices"
)

// Kernel returns the estimated density of a sample at a point; see [KernelParts].
func Kernel(x []float64, at, low, high float64) float64 {
	density, _ := KernelParts(x, at, low, high)
	return density
}

// KernelParts estimates the density of a sample x at the point `at` by Gaussian kernels. It also returns the contribution of each
// value to the estimate. These parts have the mean 1, and the standard error of their mean is the relative error of the density.
// The sample lies between low and high, which may be infinite. If an end is finite, the sample is reflected there, and the
// bandwidth is Silverman's, .9 min(sd, IQR/1.34) n^(-1/5) [silverman1986, eq. 3.31]. If both ends are infinite, the log density is
// fitted locally by a parabola [hjort1996], with the bandwidth 1.1 min(sd, IQR/1.34) n^(-1/9). So tails are not flattened, and the
// estimate has no bias for a normal sample. The density is 0, with nil parts, if the sample has fewer than two values or only
// equal ones.
//
//	[silverman1986] Silverman (1986). Density estimation for statistics and data analysis. Chapman & Hall.
//	[hjort1996]     Hjort, Jones (1996). Locally parametric nonparametric density estimation. Annals of Statistics 24, 1619-1647.
func KernelParts(x []float64, at, low, high float64) (density float64, parts []float64) {
	if len(x) < 2 || at < low || at > high {
		return 0, nil
	}
	n, spread := float64(len(x)), spreadOf(x)
	switch {
	case !(spread > 0):
		return 0, nil
	case math.IsInf(low, 0) && math.IsInf(high, 0):
		return parabola(x, at, 1.1*spread*math.Pow(n, -1.0/9))
	}
	return reflected(x, at, low, high, 0.9*spread*math.Pow(n, -0.2))
}

// spreadOf returns the smaller of two estimates of the standard deviation: the usual one, and the interquartile range divided by 1.34.
func spreadOf(x []float64) float64 {
	sorted := slices.Sorted(slices.Values(x))
	n, mean, squares := float64(len(x)), 0.0, 0.0
	for _, v := range x {
		mean += v / n
	}
	for _, v := range x {
		squares += (v - mean) * (v - mean) / (n - 1)
	}
	spread := math.Sqrt(squares)
	if r := (Quantile(sorted, 0.75) - Quantile(sorted, 0.25)) / 1.34; r > 0 {
		spread = min(spread, r)
	}
	return spread
}

// reflected returns the kernel density of the values and of their reflections at low and high.
func reflected(x []float64, at, low, high, width float64) (density float64, parts []float64) {
	parts, total := make([]float64, len(x)), 0.0
	for i, v := range x {
		for _, image := range []float64{v, 2*low - v, 2*high - v} {
			if k := (at - image) / width; math.Abs(k) < 40 { // an infinite end has no image
				parts[i] += math.Exp(-k * k / 2)
			}
		}
		total += parts[i] / float64(len(x))
	}
	for i := range parts {
		parts[i] /= total
	}
	return total / (width * math.Sqrt(2*math.Pi)), parts
}

// parabola returns the density whose logarithm is a parabola around the point. The product of this density and the kernel is a normal
// density. Its mean and variance are those of the values, weighted by the kernel.
func parabola(x []float64, at, width float64) (density float64, parts []float64) {
	n, weights := float64(len(x)), make([]float64, len(x))
	total, first, second := 0.0, 0.0, 0.0
	for i, v := range x {
		k := (v - at) / width
		weights[i] = math.Exp(-k * k / 2)
		total, first, second = total+weights[i]/n, first+weights[i]*k/n, second+weights[i]*k*k/n
	}
	mean := first / total
	variance := second/total - mean*mean
	if !(variance > 0) {
		return 0, nil
	}
	slope, curve := mean/variance, (1-mean*mean/variance)/(2*variance)
	for i, v := range x { // the derivative of log density in the weight of each value
		k := (v-at)/width - mean
		weights[i] *= (1 - slope*k - curve*(k*k-variance)) / total
	}
	return total / (width * math.Sqrt(2*math.Pi)) * math.Exp(-mean*mean/(2*variance)) / math.Sqrt(variance), weights
}
