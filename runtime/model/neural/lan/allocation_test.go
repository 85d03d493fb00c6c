//go:build !race

package lan

import (
	"math/rand/v2"
	"testing"
)

// TestNoAllocation is not run under the race detector, with which a sync.Pool drops objects at random, so that calls allocate.
func TestNoAllocation(t *testing.T) {
	b, theta := benchmarkBound(t, randomNetwork(rand.New(rand.NewPCG(7, 0)), 4, 100, 100), 100)
	grad := make([]float64, 4)
	if n := testing.AllocsPerRun(100, func() { b.LogLikGrad(theta, grad); b.LogLik(theta) }); n >= 1 {
		t.Errorf("%v allocations an evaluation", n)
	}
}
