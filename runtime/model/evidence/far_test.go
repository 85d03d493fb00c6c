package evidence

import (
	"math"
	"testing"
)

// TestJoinedBlocks: early panels that are joined leave densities as they were, and there are fewer sources.
func TestJoinedBlocks(t *testing.T) {
	for _, c := range []struct {
		text    string
		theta   []float64
		columns []float64
	}{
		{urgencyText, []float64{1, 1, 0.5, 0.3, 1, 1}, nil},
		{ddmText, []float64{-2, 2, 0.3, 0.2}, nil},
		{leakText, []float64{0.7, 1, 0.5, 0.1, 1.5, 0.3}, nil},
		{dmcText, []float64{4.2, 0.38, 0.3, 0.03, 0.05, 2, 0.1, 3}, []float64{-1}},
	} {
		d := density(t, c.text)
		var all [2]*Curve
		for i, joined := range []float64{math.Inf(1), usual.joined} {
			set := usual
			set.joined = joined
			all[i] = &Curve{d.newSpace(set)}
			copy(all[i].space.values, append(c.theta, c.columns...))
			d.solve(all[i].space, 2.5, true)
		}
		apart, joined := all[0].space.work[0].equations.far.list, all[1].space.work[0].equations.far.list
		if !(4*len(joined) < 3*len(apart)) {
			t.Errorf("%s: %d blocks of %d", d.Model.Name, len(joined), len(apart))
		}
		want, got := make([]float64, d.dim), make([]float64, d.dim)
		top := math.Inf(-1)
		for pass := range 2 {
			for rt := 0.35; rt < 2.5; rt += 0.02 {
				for choice := range 2 {
					x, y := all[0].Log(rt, choice, want), all[1].Log(rt, choice, got)
					if top = max(top, x); pass == 0 || x < top-18 {
						continue
					}
					if !(math.Abs(x-y) <= 1e-8*max(1, math.Abs(x))) {
						t.Errorf("%s at %.2f, choice %d: log density %v, and %v with joined panels", d.Model.Name, rt, choice, x, y)
					}
					for p := range want {
						if !(math.Abs(want[p]-got[p]) <= 2e-6*max(1, math.Abs(want[p]))) {
							t.Errorf("%s at %.2f, choice %d: derivative %d is %v, and %v with joined panels", d.Model.Name, rt, choice, p, want[p], got[p])
						}
					}
				}
			}
		}
	}
}
