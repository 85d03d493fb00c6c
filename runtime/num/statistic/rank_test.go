package statistic

import (
	"math"
	"math/rand/v2"
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

// TestPartition: at each index is the number that sorting puts there, with smaller ones before it and larger ones after it.
func TestPartition(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for n := 1; n < 60; n++ {
		x := make([]float64, n)
		for i := range x {
			x[i] = math.Log(float64(random.IntN(n))) // ties, and -Inf for 0
		}
		sorted := slices.Sorted(slices.Values(x))
		for k := range n {
			y := slices.Clone(x)
			if Partition(y, k); y[k] != sorted[k] || slices.Max(y[:k+1]) != y[k] || slices.Min(y[k:]) != y[k] {
				t.Fatalf("index %d of %v: %v", k, sorted, y)
			}
		}
	}
}
