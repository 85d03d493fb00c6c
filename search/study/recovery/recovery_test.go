package recovery

import (
	"math"
	"os"
	"strings"
	"testing"

	"likc/runtime/model/catalog"
	"likc/search/study"
)

// TestCompare: figures of invented estimates are compared with ones computed by hand.
func TestCompare(t *testing.T) {
	all := []Estimate{
		{Truth: 1, Mean: 1.5, In50: Interval{1.4, 1.6}, In90: Interval{1, 2}},
		{Truth: 2, Mean: 2, In50: Interval{1.9, 2.1}, In90: Interval{1, 3}},
		{Truth: 3, Mean: 2.5, In50: Interval{2, 3}, In90: Normal(2.5, 1.645, 0.3)},
		{Truth: 4, Mean: 5, In50: Interval{4.5, 5.5}, In90: Normal(5, 1.645, 0.5)},
	}
	got := Compare(all)
	// Means 1.5 2 2.5 5 against 1 2 3 4: Σdxdy = 5.5, Σdx² = 5, Σdy² = 7.25.
	want := Figures{R: 0.9135002783911396, Bias: 0.25, RMSE: 0.6123724356957945, Covered50: 0.5, Covered90: 0.5}
	if !(math.Abs(float64(got.R-want.R)) <= 1e-12) {
		t.Errorf("r %v, want %v", got.R, want.R)
	}
	if got.R = want.R; !(math.Abs(float64(got.RMSE-want.RMSE)) <= 1e-15) {
		t.Errorf("RMSE %v", got.RMSE)
	}
	if got.RMSE = want.RMSE; got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if r := Compare(all[:2]).R; r == r {
		t.Errorf("two points have the correlation %v", r)
	}
}

// Bands equal those of R: qbinom(c(.005, .995), 400, .9) is 344 375, and with 10 and .5 it is 1 9.
func TestBand(t *testing.T) {
	if b := Band(400, 0.9); b != (Interval{344. / 400, 375. / 400}) {
		t.Errorf("of 400: %v", b)
	}
	if b := Band(10, 0.5); b != (Interval{0.1, 0.9}) {
		t.Errorf("of 10: %v", b)
	}
}

func plan(t *testing.T, name string, s study.Settings) *Plan {
	t.Helper()
	m, err := catalog.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(m, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func recoverAll(t *testing.T, p *Plan) Summary {
	t.Helper()
	out, err := p.Run(t.Context(), study.InMemory(0), nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// True values come from the priors, and estimates follow them.
func TestRecoversWhatThePriorGives(t *testing.T) {
	s := study.Settings{Subjects: 6, Trials: 200, Seed: 3, Priors: []string{"v=normal(2,0.01)", "t=uniform(0.2,0.21)"}, Sampling: study.Sampling{Chains: 2, Warmup: 200, Draws: 200}}
	out := recoverAll(t, plan(t, "ddm", s))
	if out.Failed > 0 {
		t.Fatal(out.Why)
	}
	for _, e := range out.Params[0].Estimates {
		if !(math.Abs(e.Truth-2) < 0.05 && math.Abs(e.Mean-2) < 0.05) {
			t.Errorf("v: %+v, the prior is normal(2, 0.01)", e)
		}
	}
	for _, e := range out.Params[3].Estimates {
		if !(e.Truth >= 0.2 && e.Truth <= 0.21 && e.Mean >= 0.2 && e.Mean <= 0.21) {
			t.Errorf("t: %+v, the prior is uniform(0.2, 0.21)", e)
		}
	}
	if r := out.Params[1].R; !(r > 0.9) { // a of 0.3 to 2.5 from 200 trials: its standard error is below 0.2
		t.Errorf("a: r is %v", r)
	}
}

// A fixed parameter is simulated and fitted at its value and is not estimated. True values lie in the range that the user gives.
func TestFixedAndRanged(t *testing.T) {
	s := study.Settings{Subjects: 3, Trials: 2000, Seed: 2, Ranges: []string{"a=0.6,0.9"}, Fixed: []string{"z=0.2", "t=0.3"}, Sampling: study.Sampling{Chains: 2, Warmup: 200, Draws: 200}}
	out := recoverAll(t, plan(t, "ddm", s))
	if len(out.Params) != 2 || out.Params[0].Name != "v" || out.Params[1].Name != "a" || out.Failed > 0 {
		t.Fatalf("%+v", out)
	}
	for _, e := range out.Params[1].Estimates {
		if !(e.Truth >= 0.6 && e.Truth <= 0.9) {
			t.Errorf("a: the true value %v is outside its range", e.Truth)
		}
	}
	for _, e := range out.Params[0].Estimates {
		if !(math.Abs(e.Mean-e.Truth) < 0.4) { // with 2,000 trials the standard error of v is below 0.1; at z = 0.5 the error would be 1
			t.Errorf("v: %+v", e)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	m, err := catalog.Open("drift") // the model has a covariate, which nothing can draw
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(m, study.DefaultSettings()); err == nil || !strings.Contains(err.Error(), "has no simulator, and none can be made") {
		t.Errorf("%v", err)
	}
}

// A model without a simulator is simulated from its own density.
func TestRecoversWithoutSimulator(t *testing.T) {
	out := recoverAll(t, plan(t, "lognormal", study.Settings{Subjects: 4, Trials: 1000, Seed: 1, Sampling: study.Sampling{Chains: 2, Warmup: 200, Draws: 200}}))
	if out.Failed > 0 {
		t.Fatal(out.Why)
	}
	for _, e := range out.Params[0].Estimates {
		if !(math.Abs(e.Mean-e.Truth) < 0.3) { // with 1,000 trials the standard error of mu is sigma/32, and sigma is below 3
			t.Errorf("mu: %+v", e)
		}
	}
}

// Intervals of an exact density, a teacher and two densities in the language contain the truth as often as they should, over 400
// values.
func TestCoverage(t *testing.T) {
	if os.Getenv("LIKC_LONG") == "" {
		t.Skip("a minute of fits: LIKC_LONG=1")
	}
	for _, name := range []string{"ddm", "../../../testdata/teacher/spline", "testdata/shiftedwald.lik", "testdata/exgaussian.lik"} {
		s := study.DefaultSettings()
		if strings.HasSuffix(name, ".lik") {
			s.Subjects = 134 // enough subjects for three parameters
		}
		out := recoverAll(t, plan(t, name, s))
		half, ninety, n := 0.0, 0.0, 0
		for _, p := range out.Params {
			half += float64(p.Covered50) * float64(len(p.Estimates))
			ninety += float64(p.Covered90) * float64(len(p.Estimates))
			n += len(p.Estimates)
		}
		if n < 400 || !Band(n, 0.5).Holds(half/float64(n)) || !Band(n, 0.9).Holds(ninety/float64(n)) {
			t.Errorf("%s: %d values, intervals of 50 %% hold %v, of 90 %% %v: want within %v and %v", name, n, half/float64(n), ninety/float64(n), Band(n, 0.5), Band(n, 0.9))
		}
	}
}
