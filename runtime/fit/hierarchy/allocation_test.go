//go:build !race

package hierarchy

import "testing"

// An evaluation of the density allocates nothing. The race detector is excluded, because with it sync.Pool drops items at random.
func TestTargetAllocatesNothing(t *testing.T) {
	for _, model := range everyModel {
		s := newStudy(t, model, Auto, "v ~ x + (1 + x | subject)", "a ~ 1 + (1 | subject)")
		target, err := s.Target()
		if err != nil {
			t.Fatal(err)
		}
		q, grad := make([]float64, target.Dim()), make([]float64, target.Dim())
		if n := testing.AllocsPerRun(20, func() { target.LogDensityGrad(q, grad) }); n > 0 {
			t.Errorf("%s: %v allocations", model, n)
		}
	}
}
