package evidence

import (
	"math"
	"testing"

	"likc/runtime/model/ssm"
	"likc/testdata"
)

// TestBuiltin: densities of the processes that come with likc are as accurate as the documentation promises, over their ranges.
func TestBuiltin(t *testing.T) {
	for _, name := range testdata.ProcessNames() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, _ := testdata.Model(name)
			limit := 2e-4
			if name == "addm" {
				limit = 1e-3 // just after a change of gaze, the derivative by the onset goes as the root of the time since then
			}
			if a := density(t, text).Check(); !a.Kept() || !(a.Gradient < limit) || !(a.Mass < 1e-6) {
				t.Errorf("%+v", a)
			}
		})
	}
}

// TestGaze: while gaze rests on one side, attentional drift diffusion is drift diffusion with the drift of that side.
func TestGaze(t *testing.T) {
	text, _ := testdata.Model("addm")
	d := density(t, text)
	ddm, err := ssm.Lookup("ddm")
	if err != nil {
		t.Fatal(err)
	}
	theta := []float64{0.8, 0.3, 1.1, 0.45, 0.2}
	for _, first := range []float64{1, -1} {
		drift := 0.8 * (2 - 0.3*3)
		if first < 0 {
			drift = 0.8 * (0.3*2 - 3)
		}
		curve := d.At(theta, []float64{2, 3, first, 99, 99, 99, 99, 99}, 4)
		for _, rt := range []float64{0.3, 0.5, 1, 2, 3.5} {
			for c, choice := range []float64{1, -1} {
				want := ddm.LogDensity(rt, choice, []float64{drift, 1.1, 0.45, 0.2})
				if got := curve.Log(rt, c, nil); !(math.Abs(got-want) < 1e-7*max(1, math.Abs(want))) {
					t.Errorf("gaze %v, rt %v, choice %v: %v, drift diffusion has %v", first, rt, choice, got, want)
				}
			}
		}
	}
}
