//go:build !race

package flow

import "testing"

// TestNoAllocation is not run under the race detector, with which a sync.Pool drops objects at random, so that calls allocate.
func TestNoAllocation(t *testing.T) {
	b, err := wild(t, 5, 16, 16).Bind([]float64{0.6, 0.9, 1.4}, []float64{1, -1, 1})
	if err != nil {
		t.Fatal(err)
	}
	grad := make([]float64, 4)
	b.LogLikGrad(places[0], grad)
	if n := testing.AllocsPerRun(20, func() { b.LogLikGrad(places[0], grad) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
