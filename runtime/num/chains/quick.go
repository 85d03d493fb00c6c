package chains

import (
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mathext"
)

// QuickRhat returns the same as Rhat up to the last digits. It is faster, because it sorts once and computes
// normal quantiles once for each number of draws. It is for thousands of fits with equally many draws.
func QuickRhat(x [][]float64) float64 {
	w := rankers.Get().(*ranker)
	defer rankers.Put(w)
	return w.rhat(x)
}

var rankers = sync.Pool{New: func() any { return new(ranker) }}

// ranker is the memory that QuickRhat uses. It is not safe for concurrent use.
type ranker struct {
	sorted, folded []ranked
	score          []float64 // normal score of each draw
	quantiles      []float64 // element k is the normal score of rank k/2
}

// ranked is a draw, or its distance from the median, with its position among the draws of all chains.
type ranked struct {
	value float64
	at    int
}

// rhat returns the R-hat of x, which has one slice for each chain, all equally long.
func (w *ranker) rhat(x [][]float64) float64 {
	w.sorted = w.sorted[:0]
	if len(x) == 0 || len(x[0])%2 == 1 || len(x[0]) < 4 {
		return Rhat(x)
	}
	for _, chain := range x {
		for _, v := range chain {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				w.sorted = w.sorted[:0]
				return math.NaN()
			}
			w.sorted = append(w.sorted, ranked{v, len(w.sorted)})
		}
	}
	slices.SortFunc(w.sorted, func(a, b ranked) int { // no draw is NaN, so cmp.Compare is not needed
		switch {
		case a.value < b.value:
			return -1
		case a.value > b.value:
			return 1
		}
		return 0
	})
	n := len(w.sorted)
	if w.sorted[n-1].value-w.sorted[0].value < 0x1p-52 {
		return math.NaN()
	}
	half := len(x[0]) / 2
	bulk := w.basic(w.sorted, half)
	w.fold()
	return max(bulk, w.basic(w.folded, half))
}

// fold orders the draws by their distance from the median, from the middle outwards.
func (w *ranker) fold() {
	n := len(w.sorted)
	low, high := w.sorted[(n-1)/2].value, w.sorted[n/2].value
	median := low
	if low != high {
		median = 0.5*low + 0.5*high
	}
	w.folded = w.folded[:0]
	below, above := n/2-1, n/2
	for below >= 0 || above < n {
		left, right := math.Inf(1), math.Inf(1)
		if below >= 0 {
			left = math.Abs(w.sorted[below].value - median)
		}
		if above < n {
			right = math.Abs(w.sorted[above].value - median)
		}
		if left <= right {
			w.folded = append(w.folded, ranked{left, w.sorted[below].at})
			below--
		} else {
			w.folded = append(w.folded, ranked{right, w.sorted[above].at})
			above++
		}
	}
}

// basic replaces ordered draws by the normal scores of their ranks, ties averaged, and returns the potential scale
// reduction of the half chains.
func (w *ranker) basic(ordered []ranked, half int) float64 {
	n := len(ordered)
	w.prepare(n)
	if ordered[n-1].value-ordered[0].value < 0x1p-52 {
		return math.NaN()
	}
	for first := 0; first < n; {
		after := first + 1
		for after < n && ordered[after].value == ordered[first].value {
			after++
		}
		q := w.quantiles[first+after+1] // twice the mean of ranks first+1 to after
		for ; first < after; first++ {
			w.score[ordered[first].at] = q
		}
	}
	var means []float64
	within := 0.0
	for from := 0; from < n; from += half {
		mean, variance := moments(w.score[from : from+half])
		means = append(means, mean)
		within += variance
	}
	within /= float64(len(means))
	_, ofMeans := moments(means)
	length := float64(half)
	return math.Sqrt((length*ofMeans/within + length - 1) / length)
}

// prepare allocates memory for n draws, and fills the table of normal scores.
func (w *ranker) prepare(n int) {
	if len(w.score) == n {
		return
	}
	w.score, w.quantiles = make([]float64, n), make([]float64, 2*n+1)
	for k := 2; k <= 2*n; k++ {
		w.quantiles[k] = mathext.NormalQuantile((float64(k)/2 - 0.375) / (float64(n) + 0.25))
	}
}

// moments returns the mean and the variance, divisor n-1.
func moments(x []float64) (mean, variance float64) {
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	for _, v := range x {
		variance += (v - mean) * (v - mean)
	}
	return mean, variance / float64(len(x)-1)
}
