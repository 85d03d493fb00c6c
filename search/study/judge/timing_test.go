package judge

import (
	"math"
	"testing"
)

// TestSplit: the shares add up to 1, even if a gradient took longer when it was timed than in the fits.
func TestSplit(t *testing.T) {
	for gradient, want := range map[float64]float64{4: 0.4, 10.7: 0.7} {
		split := Timing{Total: 10, Binding: 1, Gradient: gradient, Summaries: 2, Fits: 3}.Split()
		sum := split["gradient"] + split["sampler"] + split["binding"] + split["summaries"]
		if !(math.Abs(split["gradient"]-want) <= 1e-15 && math.Abs(sum-1) <= 1e-15) { // a few roundings
			t.Errorf("gradients of %g s: %v, want %g, and 1 in all", gradient, split, want)
		}
	}
}
