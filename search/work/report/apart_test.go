package report

import (
	"math"
	"slices"
	"testing"
)

// Names that are apart stay, and names that would cover each other move in their order, without leaving the chart.
func TestApart(t *testing.T) {
	for _, c := range []struct{ heights, want []float64 }{
		{[]float64{0.5, 0.1}, []float64{0.5, 0.1}},
		{[]float64{1, 0.98, 0.2}, []float64{1, 0.9, 0.2}},
		{[]float64{0.3, 0.3, 0.35}, []float64{0.3, 0.4, 0.5}},
		{nil, nil},
	} {
		got := apart(c.heights, 0.1)
		if !slices.EqualFunc(got, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
			t.Errorf("%v moved to %v, want %v", c.heights, got, c.want)
		}
	}
}
