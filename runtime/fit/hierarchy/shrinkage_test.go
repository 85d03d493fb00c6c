package hierarchy

import (
	"math"
	"testing"

	"likc/runtime/model/bound"
)

// The estimate of a level from its own trials maximises their likelihood times a prior as wide as the range; a search over drifts
// finds the same. The estimate from the whole study is the mean of the level's draws.
func TestShrinkage(t *testing.T) {
	m, b, data := simulated(t, "ddm", 5, 20)
	s, err := New(m, b, Spec{Params: map[string]Regression{"v": regression(t, "v ~ 1 + (1 | subject)")}}, data)
	if err != nil {
		t.Fatal(err)
	}
	means := map[string]float64{"v_Intercept": 0.3, "v_1|subject_sigma": 0.4, "a": 1.1, "z": 0.5, "t": 0.2, "v_1|subject[2]": -0.5}
	tiny := map[string]float64{}
	for _, name := range s.Names() {
		tiny[name] = 1e-9
	}
	all, err := s.Shrinkage(t.Context(), fakeDraws(s.Names(), means, tiny))
	if err != nil || len(all) != 1 {
		t.Fatalf("%d, %v", len(all), err)
	}
	got := all[0]
	for level := range 5 {
		if want := 0.3 + means["v_1|subject["+got.Levels[level]+"]"]; !(math.Abs(got.Pooled[level]-want) < 1e-6) {
			t.Errorf("level %d together: %v, want %v", level, got.Pooled[level], want)
		}
		rows, own := membersOf(s.groups[0])[level], data.trials()
		lik, err := b.Bind(own.At(rows), bound.Design{})
		if err != nil {
			t.Fatal(err)
		}
		best, most := 0.0, math.Inf(-1)
		for v := -4.0; v < 4; v += 0.002 {
			offset := v - 0.3
			if lp := lik.LogLik([]float64{v, 1.1, 0.5, 0.2}) - offset*offset/(2*6*6); lp > most { // drifts have a width of 6
				best, most = v, lp
			}
		}
		if !(math.Abs(got.Unpooled[level]-best) < 0.003) {
			t.Errorf("level %d alone: %.4f, want %.4f", level, got.Unpooled[level], best)
		}
	}
}
