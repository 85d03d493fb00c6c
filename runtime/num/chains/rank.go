package chains

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"likc/runtime/num/statistic"
)

// undefined reports whether diagnostics of x have no value: no draws, a draw that is not finite, or draws that are all
// equal (they differ by less than 2.2e-16, the limit of R's posterior).
func undefined(x [][]float64) bool {
	low, high := math.Inf(1), math.Inf(-1)
	for _, chain := range x {
		for _, v := range chain {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return true
			}
			low, high = min(low, v), max(high, v)
		}
	}
	const epsilon = 0x1p-52
	return !(high-low >= epsilon)
}

// split cuts every chain into its first and last half; the middle draw of an odd chain is dropped. [vehtari2021], sec. 3.
func split(x [][]float64) [][]float64 {
	halves := make([][]float64, 0, 2*len(x))
	for _, chain := range x {
		half := len(chain) / 2
		halves = append(halves, chain[:half], chain[len(chain)-half:])
	}
	return halves
}

// each applies f to every draw.
func each(x [][]float64, f func(float64) float64) [][]float64 {
	y := make([][]float64, len(x))
	for i, chain := range x {
		y[i] = make([]float64, len(chain))
		for k, v := range chain {
			y[i][k] = f(v)
		}
	}
	return y
}

// pooled returns all draws in ascending order.
func pooled(x [][]float64) []float64 {
	all := slices.Concat(x...)
	slices.Sort(all)
	return all
}

// normalScores replaces every draw by the normal quantile of its rank over all chains, ties averaged:
// Φ⁻¹((r - 3/8)/(S + 1/4)). [vehtari2021], eq. 14.
func normalScores(x [][]float64) [][]float64 {
	sorted := pooled(x)
	size := float64(len(sorted))
	return each(x, func(v float64) float64 {
		first, _ := slices.BinarySearch(sorted, v)
		after, _ := slices.BinarySearch(sorted[first:], math.Nextafter(v, math.Inf(1)))
		rank := float64(2*first+after+1) / 2
		return mathext.NormalQuantile((rank - 0.375) / (size + 0.25))
	})
}

// fold returns the distances of draws from the median, so that R-hat detects differences of scale. [vehtari2021], sec. 4.
func fold(x [][]float64) [][]float64 {
	median := statistic.Quantile(pooled(x), 0.5)
	return each(x, func(v float64) float64 { return math.Abs(v - median) })
}

// Mean returns the mean over all draws.
func Mean(x [][]float64) float64 {
	sum, count := 0.0, 0
	for _, chain := range x {
		for _, v := range chain {
			sum += v
		}
		count += len(chain)
	}
	return sum / float64(count)
}

// SD returns the standard deviation over all draws (divisor S-1).
func SD(x [][]float64) float64 {
	mean, sum, count := Mean(x), 0.0, 0
	for _, chain := range x {
		for _, v := range chain {
			sum += (v - mean) * (v - mean)
		}
		count += len(chain)
	}
	return math.Sqrt(sum / float64(count-1))
}

// meanAndVariance returns the mean and the variance (divisor n-1) of one chain.
func meanAndVariance(chain []float64) (mean, variance float64) {
	one := [][]float64{chain}
	sd := SD(one)
	return Mean(one), sd * sd
}
