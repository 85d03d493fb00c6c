package compiler

import (
	"math"
	"strings"
	"testing"

	"likc/compiler/ir"
	"likc/compiler/syntax"
)

// TestRanged: if a requirement follows from the declared ranges and the support, dropping it cannot hide a NaN, so the model need not be
// compiled as written. Every other dropped requirement still forces that.
func TestRanged(t *testing.T) {
	const header = "model m { trial rt choice c param v in [-3, 3] param a in [0.3, 2.5] param z in [0.1, 0.9] param t in [0, 2] " +
		"support t < rt lower { v = -v z = 1 - z } loglik = "
	tests := []struct {
		loglik    string
		plain     bool // whether the model is compiled as written if parameters may take any value
		ranged    bool // whether it is compiled as written if parameters stay within their ranges
		tabulated bool
	}{
		{"(v + log(z / (rt - t)) - a) / exp(v) - (rt - t) / (a^2 / ((z + sqrt((rt - t) * v^2)) * z))", true, false, true},
		{"sqrt(rt)^2 * v - a", true, false, true},
		{"a / (a / (a - rt)) + v", true, true, false},
		{"v * rt - a", false, false, true},
	}
	for _, test := range tests {
		models, err := syntax.Read("m.lik", strings.NewReader(header+test.loglik+" }"))
		if err != nil {
			t.Fatal(err)
		}
		for ranged, want := range map[bool]bool{false: test.plain, true: test.ranged} {
			u, err := Compile(models[0], Options{Ranged: ranged, Check: true})
			if err != nil {
				t.Fatal(err)
			}
			if u.AsWritten != want {
				t.Errorf("%s, ranged %v: as written is %v (%v)", test.loglik, ranged, u.AsWritten, u.Dropped)
			}
			if streams := ir.Describe(u.Program).Tier == ir.Streaming; ranged && streams == test.tabulated {
				t.Errorf("%s: streaming is %v", test.loglik, streams)
			}
			if e := disagreement(NewTreeBinder(u.Model), u.Program); !(e <= separationTolerance) || math.IsNaN(e) {
				t.Errorf("%s, ranged %v: %v from the model as written", test.loglik, ranged, e)
			}
		}
	}
}
