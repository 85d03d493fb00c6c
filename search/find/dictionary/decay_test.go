package dictionary

import (
	"math"
	"testing"

	"likc/compiler/expr"
)

// TestDecay: the rate is the least eigenvalue of -f”/2 + (κ²y² − κ)f/2 between -1 and 1, found by differences.
func TestDecay(t *testing.T) {
	tape := expr.NewTape([]string{"k"}, decayOf(expr.Var("k")))
	for _, k := range []float64{-9, -3, -0.5, 0, 0.5, 2, 4, 9} {
		got, _ := tape.Eval(nil, []float64{k})
		if want := leastEigenvalue(k); !(math.Abs(got[0]-want) < 0.01) {
			t.Errorf("κ = %v: %v, want %v", k, got[0], want)
		}
	}
}

// leastEigenvalue bisects by the number of negative pivots, which is that of the eigenvalues below.
func leastEigenvalue(k float64) float64 {
	const n = 400
	h := 2. / (n + 1)
	low, high := 0., 60.
	for range 50 {
		x := (low + high) / 2
		pivot, negative := math.Inf(1), 0
		for i := range n {
			y := -1 + h*float64(i+1)
			if pivot = 1/(h*h) + (k*k*y*y-k)/2 - x - 0.25/(h*h*h*h)/pivot; pivot < 0 {
				negative++
			}
		}
		if negative > 0 {
			high = x
		} else {
			low = x
		}
	}
	return high
}
