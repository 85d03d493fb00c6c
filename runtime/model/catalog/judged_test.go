package catalog

import (
	"math"
	"strings"
	"testing"

	"likc/runtime/model/honesty"
)

// Every built-in formula was judged. A formula that is not known to be honest has a caution with the size of its errors. Normalised
// formulas are honest or undecided, all others are not honest. Each verdict has bounds of coverage; for an honest model all of them are
// within the limits.
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
		if !known || (j.Honest != honesty.NotHonest) != m.Normalise || len(j.Params) != len(m.Params) || j.Subjects < 60 || len(j.At) == 0 ||
			(j.Honest == honesty.Honest) != (m.Caution(min(1000, j.Trials)) == "") {
			t.Errorf("%s: %+v: %q", m.Name, j, m.Caution(1000))
		}
		for _, p := range j.Params {
			within := p.CoveredBounds[0] >= honesty.LeastCovered && p.CoveredBounds[1] <= honesty.MostCovered && p.RatioBounds[1] < honesty.MostRMSE
			if j.Honest == honesty.Honest && !within || !(p.CoveredBounds[0] <= p.Covered90 && p.Covered90 <= p.CoveredBounds[1]) {
				t.Errorf("%s: %s: %+v", m.Name, p.Name, p)
			}
		}
	}
	m, _ := Open("found31")
	if want := "found31 ranks people and does not measure them: in 90 simulated subjects (holdout-90) its estimates correlated with the truth at 0.92 to 0.98, " +
		"errors were 3.7 to 12.1 times those of ddm, and 2 to 79 % of 90 % intervals held the truth"; m.Caution(100) != want {
		t.Errorf("%q", m.Caution(100))
	}
	// On 80 fresh subjects .76, .76, .86, .71 and .84 of the intervals of ornstein_formula held the truth: it was called honest at .80.
	m, _ = Open("ornstein_formula")
	if j, _ := m.Judged(); j.Honest == honesty.Honest || j.Subjects < 300 || j.UndecidedFor <= j.Subjects ||
		!strings.HasPrefix(m.Caution(100), "it is not known whether ornstein_formula measures people: in 600 simulated subjects (holdout-90) ") {
		t.Errorf("%+v: %q", j, m.Caution(100))
	}
	if m, _ = Open("expr4"); !strings.Contains(m.Caution(100), "does not give all of its parameters back") {
		t.Errorf("%q", m.Caution(100))
	}
}

// An honest model has a caution if the data have more trials than those for which it is known to be honest. If its reference is an exact
// density, the caution says that the reference has no bias.
func TestCautionOnManyTrials(t *testing.T) {
	for name, reference := range map[string]string{"found60": ". ddm has none", "expr2_lapseless": ". ddm has none"} {
		m, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		want := name + " is known to be honest up to 1000 trials a subject, and here 1001 share parameters: its bias is small beside the intervals there, and need not be " +
			"beside narrower ones" + reference
		if got := m.Caution(1001); got != want || m.Caution(1000) != "" {
			t.Errorf("%q at 1001 trials, %q at 1000", got, m.Caution(1000))
		}
	}
}

// Nothing is known about a user's formula, whatever its name. A user's density without a simulator needs no caution.
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

// The ranges of a normalised model cannot be widened: the grid of its integral is checked inside them. The ranges of the same expression
// without normalisation can be widened.
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

// The range of a standard deviation must not reach below 0. The density is the same for negative and positive values, so that the posterior
// would have two modes.
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

// The ranges of a model with an integral cannot be widened, because the number of nodes of its sum was chosen for the ranges. The same
// holds for a model that uses such a model.
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

// TestWhere compares the descriptions of the numbers of trials for which a formula is honest or undecided.
func TestWhere(t *testing.T) {
	yes, no, undecided := honesty.Honest, honesty.NotHonest, honesty.Undecided
	for want, at := range map[string][]JudgedAt{
		"to 5000 trials":                               {{Trials: 200, Honest: yes}, {Trials: 5000, Honest: yes}},
		"to 1000 trials; undecided at 5000":            {{Trials: 200, Honest: yes}, {Trials: 1000, Honest: yes}, {Trials: 5000, Honest: undecided}},
		"to 200 trials; undecided at 1000; no at 5000": {{Trials: 200, Honest: yes}, {Trials: 1000, Honest: undecided}, {Trials: 5000, Honest: no}},
		"at 1000 trials; undecided at 200":             {{Trials: 200, Honest: undecided}, {Trials: 1000, Honest: yes}},
		"undecided at 1000":                            {{Trials: 1000, Honest: undecided}},
		"no":                                           {{Trials: 0, Honest: no}, {Trials: 5000, Honest: no}},
	} {
		if got := (&Judged{At: at}).Where(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// If there are two verdicts for the same number of trials, the one without sampling errors does not count. The main verdict is the honest
// one with the most trials.
func TestVerdictsTogether(t *testing.T) {
	j := combine([]*Judged{
		{Trials: 1000, Honest: honesty.Undecided, older: true}, {Trials: 1000, Subjects: 400, Honest: honesty.Honest},
		{Trials: 5000, Honest: honesty.Undecided}, {Trials: 200, Honest: honesty.Honest},
	})
	if j.Subjects != 400 || len(j.At) != 3 || j.At[0].Trials != 200 || j.At[1].Subjects != 400 || j.Where() != "to 1000 trials; undecided at 5000" {
		t.Errorf("%+v", j)
	}
}
