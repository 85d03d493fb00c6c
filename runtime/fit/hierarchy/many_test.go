package hierarchy

import (
	"math"
	"testing"
)

// The offsets of an effect at different levels do not interact, and neither do offsets of independent groups. So moving all of
// them together gives each one's own curvature.
func TestIndependentCoordinates(t *testing.T) {
	for _, formulas := range [][]string{{"v ~ 1 + (1 | subject)"}, {"v ~ 1 + cond + (1 + cond | subject)", "t ~ 1 + (1 | subject)"}} {
		s := newStudy(t, "ddm", NonCentred, formulas...)
		for _, g := range s.groups {
			g.setShares(0)
		}
		seen := map[int]int{}
		for _, set := range s.independent() {
			for _, i := range set {
				seen[i]++
			}
		}
		if len(seen) != len(s.coords) {
			t.Fatalf("%d of %d coordinates are in a set: %v", len(seen), len(s.coords), seen)
		}
		post, _, err := s.posterior()
		if err != nil {
			t.Fatal(err)
		}
		mode, err := post.MAPConditional(t.Context(), s.withinSupport(post), s.independent())
		if err != nil {
			t.Fatal(err)
		}
		high, low, known := make([]float64, len(s.coords)), make([]float64, len(s.coords)), 0
		for i := range s.coords {
			at, h := append([]float64(nil), mode.Theta...), 1e-4*max(0.1, math.Abs(mode.Theta[i]))
			at[i] += h
			post.LogDensityGrad(at, high)
			at[i] -= 2 * h
			post.LogDensityGrad(at, low)
			want := 1 / math.Sqrt((low[i]-high[i])/(2*h))
			if mode.AtBound[i] || mode.Level[i] {
				continue
			}
			if known++; !(math.Abs(mode.SD[i]/want-1) < 1e-3) {
				t.Errorf("%v: %s: standard deviation %v, want %v", formulas, s.coords[i].Name, mode.SD[i], want)
			}
		}
		if known < len(s.coords)-4 {
			t.Errorf("%v: %d of %d standard deviations are known", formulas, known, len(s.coords))
		}
	}
}

// Preparing a study of many participants takes few gradients: their number does not grow with the number of participants.
func TestManyLevels(t *testing.T) {
	m, b, d := simulated(t, "shifted_wald", mostDense+100, 2)
	d.Choice = nil
	r := regression(t, "v ~ 1 + (1 | subject)")
	s, err := New(m, b, Spec{Params: map[string]Regression{"v": r}}, d)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if p.Gradients > 500 {
		t.Errorf("%d gradients", p.Gradients)
	}
	starts, err := p.Starts(2, 1, 0)
	if err != nil || len(starts) != 2 || len(starts[0]) != len(s.coords) || starts[0][0] == starts[1][0] {
		t.Errorf("%d starts, %v", len(starts), err)
	}
}
