package statistic

import (
	"math"
	"slices"
	"testing"
)

func TestSpearman(t *testing.T) {
	if got := Ranks([]float64{3, 1, 3, 2}); !slices.Equal(got, []float64{3.5, 1, 3.5, 2}) {
		t.Errorf("ranks %v", got)
	}
	// No ties: 1 − 6 Σd²/(n(n²−1)) with d = 0, 1, 1, 0, so 1 − 12/60.
	if got := Spearman([]float64{1, 20, 300, 4000}, []float64{-4, -2, -3, 9}); !(math.Abs(got-0.8) <= 1e-12) {
		t.Errorf("ρ %v, want 0.8", got)
	}
}

// TestRanksOfNaN checks that the loop over equal values ends for NaN too.
func TestRanksOfNaN(t *testing.T) {
	nan := math.NaN()
	if got := Ranks([]float64{2, nan, 1, nan}); !slices.Equal(got, []float64{4, 1.5, 3, 1.5}) {
		t.Errorf("ranks %v", got)
	}
}
