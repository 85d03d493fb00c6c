package recovery

import (
	"math"

	"likc/runtime/num/finite"
	"likc/runtime/num/statistic"
)

// Estimate holds the posterior mean and intervals of a parameter, and its true value.
type Estimate struct {
	Truth, Mean float64
	In50, In90  Interval // intervals that hold the parameter with probability 0.5 and 0.9
}

// Interval is a range of values. An interval between NaN holds no value.
type Interval struct{ Low, High float64 }

// Holds reports whether x lies in the interval.
func (i Interval) Holds(x float64) bool { return x >= i.Low && x <= i.High }

// Normal returns the interval that extends the given number of standard deviations to each side of a mean.
func Normal(mean, deviations, sd float64) Interval {
	return Interval{mean - deviations*sd, mean + deviations*sd}
}

// Figures say how well a parameter is recovered. Undefined figures are NaN.
type Figures struct {
	R         finite.Number `json:"r"`          // correlation of estimates with the truth: 1 is best
	Bias      finite.Number `json:"bias"`       // mean of estimate - truth
	RMSE      finite.Number `json:"rmse"`       // root of the mean of (estimate - truth)²
	Covered50 finite.Number `json:"covered_50"` // share of 50 % intervals that contain the truth: 0.5 for an honest posterior
	Covered90 finite.Number `json:"covered_90"` // the same for 90 % intervals: 0.9 for an honest posterior

	Power *finite.Number `json:"power,omitempty"` // share of 90 % intervals that exclude 0; nil if no true value is stated
}

// Power returns the share of estimates whose 90 % interval excludes 0.
func Power(all []Estimate) finite.Number {
	excluded := 0
	for _, e := range all {
		if !e.In90.Holds(0) {
			excluded++
		}
	}
	return finite.Number(float64(excluded) / float64(len(all)))
}

// Compare compares estimates with the truth.
func Compare(all []Estimate) Figures {
	truth, mean := make([]float64, len(all)), make([]float64, len(all))
	bias, square, half, ninety := 0.0, 0.0, 0, 0
	for i, e := range all {
		truth[i], mean[i] = e.Truth, e.Mean
		miss := e.Mean - e.Truth
		bias, square = bias+miss, square+miss*miss
		if e.In50.Holds(e.Truth) {
			half++
		}
		if e.In90.Holds(e.Truth) {
			ninety++
		}
	}
	n := float64(len(all))
	return Figures{R: finite.Number(statistic.Correlation(truth, mean)), Bias: finite.Number(bias / n), RMSE: finite.Number(math.Sqrt(square / n)),
		Covered50: finite.Number(float64(half) / n), Covered90: finite.Number(float64(ninety) / n)}
}

// Band returns the interval that contains, in 99 of 100 cases, the share of n honest intervals of the given level that contain the
// truth. Its ends are central quantiles of the binomial distribution, divided by n.
func Band(n int, level float64) Interval {
	end := func(p float64) float64 { return float64(statistic.BinomialQuantile(n, level, p)) / float64(n) }
	return Interval{end(0.005), end(0.995)}
}
