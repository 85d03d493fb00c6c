package statistic

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Ranks returns the ranks of values, counted from 1. Equal values share the mean of their ranks. NaN ranks below all numbers.
func Ranks(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(x[i], x[j]) })
	out := make([]float64, len(x))
	for from := 0; from < len(x); {
		to := from
		for to < len(x) && cmp.Compare(x[order[to]], x[order[from]]) == 0 {
			to++
		}
		for _, i := range order[from:to] {
			out[i] = float64(from+1+to) / 2
		}
		from = to
	}
	return out
}

// Spearman returns the correlation of ranks. It is NaN if all values of one sample are equal.
func Spearman(x, y []float64) float64 { return stat.Correlation(Ranks(x), Ranks(y), nil) }

// Partition moves elements of x. Afterwards the element at index k is the one that sorting would put there; smaller ones are
// before it, and larger ones after it.
func Partition(x []float64, k int) {
	for low, high := 0, len(x)-1; low < high; {
		pivot := middle(x[low], x[(low+high)/2], x[high])
		i, j := low, high
		for i <= j {
			for x[i] < pivot {
				i++
			}
			for x[j] > pivot {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			high = j
		case k >= i:
			low = i
		default:
			return
		}
	}
}

// middle returns the middle one of three values.
func middle(a, b, c float64) float64 { return max(min(a, b), min(max(a, b), c)) }
