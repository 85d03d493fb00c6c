package gate

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"likc/runtime/model/ssm"
	"likc/runtime/num/statistic"
	"likc/search/study/bank"
)

// gateBank has subjects of the gate's role.
func gateBank(t *testing.T, subjects, trials int) *bank.Bank {
	t.Helper()
	s, err := bank.NewSettings("gate-100", "ddm", "exact", 1)
	if err != nil {
		t.Fatal(err)
	}
	s.Subjects = subjects
	s.SetTrials(trials)
	b, err := bank.Make(context.Background(), s, 1)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func pretrained(t *testing.T) *Network {
	t.Helper()
	n, err := ReadNetwork("../../../testdata/reference/networks/lan_ddm.json")
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func examine(t *testing.T, s Subject, b *bank.Bank, n *Network, recovery int) *Examination {
	t.Helper()
	settings := DefaultSettings()
	settings.Recovery = recovery
	e, err := Examine(context.Background(), s, b, n, settings)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range e.Figures {
		t.Log(f, f.Pass, f.Note)
	}
	return e
}

// TestExactPasses: the density that made the trials passes, with figures that noise alone leaves.
func TestExactPasses(t *testing.T) {
	s := Exact(ssm.DDM)
	e := examine(t, s, gateBank(t, 100, 1000), pretrained(t), 20)
	if !e.Pass {
		t.Fatalf("failed: %v", e.Failed())
	}
	for name, most := range map[string]float64{
		"ece": 0.004, "ece_subject": 0.015, "predictive_ks": 0.042, "choice_mae": 0.01, "mass_median": 1e-4, "mass_worst": 2e-3,
		"mass_below_t": 1e-12, "exact_mae": 1e-12,
	} {
		if f, ok := e.Figure(name); !ok || f.Value == nil || *f.Value > most {
			t.Errorf("%v, want at most %v", f, most)
		}
	}
	if f, _ := e.Figure("choice_r"); *f.Value < 0.999 {
		t.Errorf("%v", f)
	}
}

// changed is the exact density after a change of its arguments.
type changed struct {
	shift  float64 // shift of response times
	weight float64 // added to log densities
	flip   bool    // choices are exchanged
}

func (c changed) LogDensity(dst []float64, theta [][]float64, rt, choice []float64) {
	for i := range dst {
		side := choice[i]
		if c.flip {
			side = -side
		}
		dst[i] = c.weight + ssm.DDM.LogDensity(rt[i]+c.shift, side, theta[i])
	}
}

// TestFaultsFail: each kind of fault fails the figures that are there for it.
func TestFaultsFail(t *testing.T) {
	b := gateBank(t, 40, 300)
	s := Exact(ssm.DDM)
	for name, c := range map[string]struct {
		density Density
		fails   []string
	}{
		"late by half a second":  {changed{shift: -0.5}, []string{"ece", "ece_subject", "predictive_ks"}},
		"early by half a second": {changed{shift: 0.5}, []string{"ece", "predictive_ks", "mass_below_t"}},
		"too much mass":          {changed{weight: 0.2}, []string{"mass_median", "mass_worst"}},
		"choices exchanged":      {changed{flip: true}, []string{"predictive_ks", "choice_mae", "choice_r"}},
		"undefined":              {changed{weight: math.NaN()}, []string{"ece", "predictive_ks", "choice_mae", "choice_r", "mass_median", "mass_worst", "mass_below_t"}},
	} {
		s.Density = c.density
		e := examine(t, s, b, nil, 0)
		if e.Pass {
			t.Errorf("%s: passes", name)
		}
		for _, figure := range c.fails {
			if f, ok := e.Figure(figure); !ok || f.Pass {
				t.Errorf("%s: passes %v", name, f)
			}
		}
	}
}

// TestCalibrationError: uniform values have none, values that all lie at one end have the most, 1/2.
func TestCalibrationError(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	uniform, squares, ends := make([]float64, 40000), make([]float64, 40000), make([]float64, 100)
	for i := range uniform {
		uniform[i] = r.Float64()
		squares[i] = uniform[i] * uniform[i]
	}
	// P(U² ≤ x) = √x, so the error is the mean of √x - x over the levels.
	want := 0.0
	for i := range bins {
		x := (float64(i) + 0.5) / bins
		want += (math.Sqrt(x) - x) / bins
	}
	for _, c := range []struct {
		pit       []float64
		want, tol float64
	}{{uniform, 0, 0.004}, {squares, want, 0.006}, {ends, 0.5, 1e-12}} {
		if got := calibrationError(c.pit); !(math.Abs(got-c.want) <= c.tol) {
			t.Errorf("%v, want %v", got, c.want)
		}
	}
}

// TestDistanceFloor: two samples of one distribution are as far apart as Kolmogorov's distribution says: the median of
// √(nm/(n+m))·D is 0.8276.
func TestDistanceFloor(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var all []float64
	for range 400 {
		x, y := make([]float64, 1000), make([]float64, 1000)
		for i := range x {
			x[i], y[i] = r.NormFloat64(), r.NormFloat64()
		}
		all = append(all, statistic.KolmogorovSmirnov(x, y))
	}
	if got := statistic.Median(all); !(math.Abs(got-0.037) <= 0.0015) {
		t.Errorf("median distance %v, want .037", got)
	}
}

func TestChoiceError(t *testing.T) {
	got := choiceError([]float64{0.31, 0.33, 0.95, 1}, []int{100, 100, 50, 50}, []int{42, 42, 45, 50})
	if want := (0.10 + 0.025) / 2; !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestProfile: the grid's distribution function is the exact one, and its inverse inverts it.
func TestProfile(t *testing.T) {
	for _, theta := range [][]float64{{1, 1, 0.5, 0.3}, {3, 0.3, 0.9, 0}, {-2.5, 2.4, 0.15, 1.7}, {0, 2.5, 0.5, 1}} {
		p := newProfile(exact{ssm.DDM}, ssm.DDM.Choices, theta, theta[3])
		for k, choice := range ssm.DDM.Choices {
			if got, want := p.mass(k), ssm.DDM.CDF(math.Inf(1), choice, theta); !(math.Abs(got-want) <= 1e-3) {
				t.Errorf("θ %v, choice %v: mass %v, want %v", theta, choice, got, want)
			}
			for _, tau := range []float64{0.01, 0.1, 0.5, 2, 8} {
				rt := theta[3] + tau
				want := ssm.DDM.CDF(rt, choice, theta) / ssm.DDM.CDF(math.Inf(1), choice, theta)
				u := p.pit(rt, choice)
				if !(math.Abs(u-want) <= 2e-3) {
					t.Errorf("θ %v, choice %v, rt %v: F is %v, want %v", theta, choice, rt, u, want)
				}
				if u > 1e-6 && u < 1-1e-6 && !(math.Abs(p.quantile(u, choice)-rt) <= 1e-6*rt) {
					t.Errorf("θ %v, choice %v: quantile of %v is %v, want %v", theta, choice, u, p.quantile(u, choice), rt)
				}
			}
		}
	}
}

// TestReportRoundTrip: a report reads back as it was, and one whose verdict was changed is refused.
func TestReportRoundTrip(t *testing.T) {
	r := &Report{Format: format, Model: "ddm", Figures: []Figure{below("ece", 0.2, 0.1, "x"), notRun("cross_r", "y", "none")}}
	text, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Decode(text)
	if err != nil || again.Pass || len(again.Failed()) != 1 || again.Failed()[0] != "ece 0.2, want below 0.1" {
		t.Errorf("%v %v", again, err)
	}
	r.Pass = true
	if text, err = r.Encode(); err != nil {
		t.Fatal(err)
	}
	if _, err := Decode(text); err == nil {
		t.Error("a report that passes though its figures do not was read")
	}
}

// TestWeak: a model that declares all of its parameters weak admits no teacher, and a verdict names those that are declared so.
func TestWeak(t *testing.T) {
	m := *ssm.DDM
	m.Weak = []string{"v", "a", "z", "t"}
	s := Exact(&m)
	e := examine(t, s, gateBank(t, 100, 1000), nil, 24)
	if want := "all parameters are declared weak: none is left whose recovery decides"; !slices.Contains(e.Lacks, want) {
		t.Errorf("lacks %q, want %q", e.Lacks, want)
	}
	if want := "; the recovery of v, a, z, t decided nothing, because the model declares so (weak)"; !strings.HasSuffix(e.Verdict(), want) {
		t.Errorf("verdict %q, want %q", e.Verdict(), want)
	}
}
