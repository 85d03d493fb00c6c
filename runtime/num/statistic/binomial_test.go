package statistic

import (
	"math"
	"testing"
)

// No level equals a cumulative probability, because rounding would decide then. The reference adds up probabilities, which follow from each other by (n-k)/(k+1) · p/(1-p).
func TestBinomialQuantile(t *testing.T) {
	for _, n := range []int{1, 7, 40, 300} {
		for _, p := range []float64{0.001, 0.03, 0.5, 0.9} {
			for _, level := range []float64{0.005, 0.05, 0.45, 0.95} {
				want, term := 0, math.Pow(1-p, float64(n))
				for sum := term; sum < level && want < n; want++ {
					term *= float64(n-want) / float64(want+1) * p / (1 - p)
					sum += term
				}
				if got := BinomialQuantile(n, p, level); got != want {
					t.Errorf("n %d, p %v, level %v: %d, want %d", n, p, level, got, want)
				}
			}
		}
	}
	if low, high := BinomialQuantile(9, 0, 0.95), BinomialQuantile(9, 1, 0.05); low != 0 || high != 9 {
		t.Errorf("certain failure and certain success: %d and %d of 9", low, high)
	}
}
