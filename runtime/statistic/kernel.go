package statistic

import (
	"math"
	"slices"
)

// Kernel returns the density of a sample at a place, by Gaussian kernels with Silverman's bandwidth, .9 min(sd, IQR/1.34) n^(-1/5)
// [silverman1986, eq. 3.31]. The sample lies between low and high, which may be infinite. At an end that is finite it is reflected;
// between infinite ends kernels correct a normal density, so that the tails of a nearly normal sample are not flattened
// [hjort1995]. The density is 0 for a sample of fewer than two values, and for equal ones.
//
//	[silverman1986] Silverman (1986). Density estimation for statistics and data analysis. Chapman & Hall.
//	[hjort1995]     Hjort, Glad (1995). Nonparametric density estimation with a parametric start. Annals of Statistics 23, 882-904.
func Kernel(x []float64, at, low, high float64) float64 {
	if len(x) < 2 || at < low || at > high {
		return 0
	}
	sorted := slices.Clone(x)
	slices.Sort(sorted)
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
	width := 0.9 * spread * math.Pow(n, -0.2)
	if !(width > 0) {
		return 0
	}
	sum, z := 0.0, func(v float64) float64 { return (v - mean) / spread }
	if math.IsInf(low, 0) && math.IsInf(high, 0) {
		for _, v := range x {
			k := (at - v) / width
			sum += math.Exp(-(k*k + z(at)*z(at) - z(v)*z(v)) / 2)
		}
		return sum / (n * width * math.Sqrt(2*math.Pi))
	}
	for _, v := range x {
		for _, image := range []float64{v, 2*low - v, 2*high - v} {
			if k := (at - image) / width; math.Abs(k) < 40 { // an infinite end has no image
				sum += math.Exp(-k * k / 2)
			}
		}
	}
	return sum / (n * width * math.Sqrt(2*math.Pi))
}
