package process

import (
	"slices"
	"strings"
	"testing"

	"likc/runtime/model/ssm"

	"github.com/google/go-cmp/cmp"
)

const doubled = `model m { trial rt positive choice c param s in [-2, 2] param a in [0.5, 2] param w in [0.1, 0.9] param t in [0, 0.5]
  simulator ddm { v = 2*s   a = a   z = w   t = t } }`

// TestDerived checks that a model which declares another process as its simulator draws trials of that process, at the declared parameters.
func TestDerived(t *testing.T) {
	m, err := Of("m", doubled)
	if err != nil {
		t.Fatal(err)
	}
	var got, want [2][100]float64
	if err := m.Simulate(ssm.NewRand(1, 2), []float64{0.7, 1.1, 0.4, 0.2}, ssm.ExactScheme(), got[0][:], got[1][:]); err != nil {
		t.Fatal(err)
	}
	if err := ssm.DDM.Simulate(ssm.NewRand(1, 2), []float64{1.4, 1.1, 0.4, 0.2}, ssm.ExactScheme(), want[0][:], want[1][:]); err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Error("other trials than those of ddm at twice the drift")
	}
	if m.Onset != "t" || m.Lopsided || !slices.Equal(m.SchemeNames(), ssm.DDM.SchemeNames()) {
		t.Errorf("onset %q, lopsided %v, schemes %v", m.Onset, m.Lopsided, m.SchemeNames())
	}
	reflected := make([]float64, 4)
	if m.Reflect(reflected, []float64{0.7, 1.1, 0.4, 0.2}); !cmp.Equal(reflected, []float64{-0.7, 1.1, 0.6, 0.2}) {
		t.Errorf("the reflection is %v", reflected)
	}
	again, err := Of("m", m.Text)
	if err != nil || again.Text != m.Text {
		t.Errorf("the text of the process reads as another one: %v\n%s\n%s", err, m.Text, again.Text)
	}
	if err := m.Check([]float64{0, -1, 0.5, 0.2}); err == nil || !strings.Contains(err.Error(), "a = -1") {
		t.Errorf("parameters at which ddm is not defined: %v", err)
	}
}

// TestDerivedLopsided checks a model for which no change of the parameters swaps the boundaries: no bank for searches can be made of it.
func TestDerivedLopsided(t *testing.T) {
	m, err := Of("m", strings.Replace(doubled, "2*s", "s + 0.5", 1))
	if err != nil {
		t.Fatal(err)
	}
	if err := m.CheckBoundaries(); !m.Lopsided || err == nil {
		t.Errorf("lopsided %v, %v", m.Lopsided, err)
	}
}

// TestDerivedRefused checks that models which define no process are refused with one line.
func TestDerivedRefused(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"v = 2*s   ", "", "model m: simulator ddm: no value for v"},
		{"ddm {", "nothing {", "model m: simulator: "},
		{"2*s", "2*rt", `simulator uses "rt", expected only parameters and numbers`},
		{"v = 2*s", "q = 2*s", "model m: simulator ddm: has no parameter q"},
	} {
		_, err := Of("m", strings.Replace(doubled, c.old, c.new, 1))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", c.new, err, c.want)
		}
	}
}
