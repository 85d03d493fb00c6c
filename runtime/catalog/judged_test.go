package catalog

import (
	"math"
	"strings"
	"testing"
)

// Every formula that comes with the program was judged, and a fit by one that is not honest says by how much. The densities are honest.
func TestCaution(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		if m.Origin.Kind != Formula {
			if m.Caution(100) != "" {
				t.Errorf("%s: %q", m.Name, m.Caution(100))
			}
			continue
		}
		j, known := m.Judged()
		honest := m.Normalise
		if !known || j.Honest != honest || len(j.Params) != len(m.Params) || j.Subjects < 60 || honest != (m.Caution(min(1000, j.Trials)) == "") {
			t.Errorf("%s: %+v: %q", m.Name, j, m.Caution(1000))
		}
	}
	m, _ := Open("found31")
	if want := "found31 ranks people and does not measure them: in 90 simulated subjects (holdout-90) its estimates correlated with the truth at 0.92 to 0.98, " +
		"errors were 3.7 to 12.1 times those of ddm, and 2 to 79 % of 90 % intervals held the truth"; m.Caution(100) != want {
		t.Errorf("%q", m.Caution(100))
	}
	if m, _ = Open("expr4"); !strings.Contains(m.Caution(100), "does not give all of its parameters back") {
		t.Errorf("%q", m.Caution(100))
	}
}

// An honest density says so where the data have more trials than it was judged on, and that its reference has no bias where that is exact.
func TestCautionOnManyTrials(t *testing.T) {
	for name, reference := range map[string]string{"found60": ". ddm has none", "angle_formula": ". angle has none", "weibull_formula": ""} {
		m, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		want := name + " was judged only up to 1000 trials a subject, and here 1001 share parameters: its bias is small beside the intervals there, and need not be " +
			"beside narrower ones" + reference
		if got := m.Caution(1001); got != want || m.Caution(1000) != "" {
			t.Errorf("%q at 1001 trials, %q at 1000", got, m.Caution(1000))
		}
	}
}

// Of a model of one's own nothing is known, whatever its name; a density without a process of its own needs no word.
func TestCautionOnOwnModels(t *testing.T) {
	for text, want := range map[string]string{
		"model found31 { trial rt param v in [0, 1] simulator ddm { v = v a = 1 z = 0.5 t = 0 } loglik = -v*rt }": "nothing is known of the errors of found31",
		"model own { trial rt param v in [0, 1] loglik = -v*rt }":                                                 "",
	} {
		m, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Caution(100); !strings.HasPrefix(got, want) || (want == "") != (got == "") {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The ranges of a normalised model cannot be widened: the grid of its integral is checked inside them. Those of the same expression can.
func TestLimitsOfANormalisedModel(t *testing.T) {
	const text = "model own { trial rt param k in [1, 2] loglik = -k*rt normalise }"
	m, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if r, why := m.Limits(0); r != (Range{1, 2}) || why != "the integral of own is known for k in [1, 2] only; the file declares the range" {
		t.Errorf("%v, %q", r, why)
	}
	if m, err = Parse(strings.Replace(text, " normalise", "", 1)); err != nil {
		t.Fatal(err)
	}
	if r, _ := m.Limits(0); r.High < 1e300 {
		t.Errorf("%v without the word", r)
	}
}

// A standard deviation has no negative values, which the density would take for positive ones: its posterior would have two modes.
func TestLimitsOfAStandardDeviation(t *testing.T) {
	m, err := Open("ddm_sdv")
	if err != nil {
		t.Fatal(err)
	}
	if r, why := m.Limits(4); r != (Range{0, math.Inf(1)}) || why != "sv must be 0 or more" {
		t.Errorf("%v, %q", r, why)
	}
	process := m.simulator.Process
	if err := process.Check([]float64{1, 1, 0.5, 0.2, 0}); err != nil {
		t.Error(err)
	}
	if err := process.Check([]float64{1, 1, 0.5, 0.2, -1}); err == nil || err.Error() != "model ddm_sdv: sv = -1 is not 0 or more" {
		t.Errorf("a negative deviation: %v", err)
	}
}

// The ranges of a model with an integral cannot be widened, nor those of a model that takes it over: its sum has as many nodes as the ranges need.
func TestLimitsOfAnIntegral(t *testing.T) {
	const mixed = "model mixed { trial rt positive param m in [-1, 1] param s in [0.1, 1] loglik = log(integral(u in [-5, 5]: exp(-(log(rt) - m - s*u)^2/2 - u^2/2))) }"
	m, err := Parse(mixed)
	if err != nil {
		t.Fatal(err)
	}
	if r, why := m.Limits(1); r != (Range{0.1, 1}) || why != "the sums for the integrals of mixed are chosen for s in [0.1, 1] only; the file declares the range" {
		t.Errorf("%v, %q", r, why)
	}
	if m, err = Open("stop_signal"); err != nil {
		t.Fatal(err)
	}
	if r, _ := m.Limits(0); r != (Range{0.2, 1.5}) {
		t.Errorf("stop_signal: %v", r)
	}
}
