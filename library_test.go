package likc

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
)

func open(t *testing.T, name string) *Model {
	t.Helper()
	m, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func bind(t *testing.T, m *Model, columns map[string][]float64) *Data {
	t.Helper()
	d, err := m.Bind(columns)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// TestNumberedChoices compares a race of two lognormal accumulators, whose choices are 0 and 1, with its formula: the density of the winner times
// the survival probability of the other.
func TestNumberedChoices(t *testing.T) {
	m := open(t, "lnr2")
	rt, choice := []float64{0.9, 0.6}, []float64{0, 1}
	d := bind(t, m, map[string][]float64{"rt": rt, m.Columns()[1]: choice})
	theta := []float64{-0.7, -0.4, 0.5, 0.2} // m0, m1, s, t
	got, err := d.LogDensities(theta)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i := range rt {
		x := math.Log(rt[i] - theta[3])
		win, lose := (x-theta[int(choice[i])])/theta[2], (x-theta[1-int(choice[i])])/theta[2]
		want := -win*win/2 - math.Log(theta[2]*(rt[i]-theta[3])*math.Sqrt(2*math.Pi)) + math.Log(math.Erfc(lose/math.Sqrt2)/2)
		near(t, "the log density of a trial", got[i], want, 1e-12)
		sum += want
	}
	near(t, "the log-likelihood", d.LogLik(theta), sum, 1e-12)
	if _, err := m.Bind(map[string][]float64{"rt": {1}, m.Columns()[1]: {2}}); err == nil || !strings.Contains(err.Error(), "row 1: 2 is none of the choices 0 to 1") {
		t.Error(err)
	}
}

// waiting is a model with an exponential response time after a shift, and two equally probable choices.
const waiting = `model waiting {
  trial rt positive
  choice side
  param rate in [0.1, 20]
  param t in [0, 2]
  support t < rt
  lower { rate = rate }
  loglik = log(rate) - rate*(rt - t) - log(2)
}`

// TestDeadlinesAndLapses compares trials without response, and lapses, with formulas for an exponential density.
func TestDeadlinesAndLapses(t *testing.T) {
	base := parse(t, waiting)
	late, err := base.WithDeadlines()
	if err != nil {
		t.Fatal(err)
	}
	both, err := late.WithLapses(0, 2)
	if err != nil {
		t.Fatal(err)
	}
	nan := math.NaN()
	columns := map[string][]float64{"rt": {0.5, nan, 0.9}, "side": {1, 0, -1}, Deadline: {1, 1, 1.2}}
	const rate, onset, p = 2, 0.3, 0.1
	density := func(rt float64) float64 { return rate * math.Exp(-rate*(rt-onset)) / 2 }
	survival := math.Exp(-rate * (1 - onset))
	d := bind(t, late, columns)
	near(t, "with deadlines", d.LogLik([]float64{rate, onset}), math.Log(density(0.5)*density(0.9)*survival), 1e-9)
	mixed := func(f, uniform float64) float64 { return (1-p)*f + p*uniform }
	x := bind(t, both, columns)
	near(t, "with lapses too", x.LogLik([]float64{rate, onset, p}), math.Log(mixed(density(0.5), 0.25)*mixed(density(0.9), 0.25)*mixed(survival, 0.5)), 1e-9)
	if got := both.Params(); !slices.Equal(got, []string{"rate", "t", Lapse}) {
		t.Error(got)
	}
	if columns["rt"][1] == columns["rt"][1] {
		t.Error("the caller's column was changed")
	}
	for want, c := range map[string]map[string][]float64{
		"row 1: a response after 3 s, and the deadline was 1 s: want NaN for a trial without response": {"rt": {3}, "side": {1}, Deadline: {1}},
		"column deadline, row 1: 0 is not a number of seconds above 0":                                 {"rt": {nan}, "side": {1}, Deadline: {0}},
		"row 1: no lapse has the response time 2.5 s: they are uniform from 0 to 2 s":                  {"rt": {2.5}, "side": {1}, Deadline: {3}},
		"column deadline has 2 rows: column rt has 1":                                                  {"rt": {0.5}, "side": {1}, Deadline: {1, 1}},
		"no column deadline; want rt, side, deadline":                                                  {"rt": {0.5}, "side": {1}},
		"column side, row 1: NaN is neither +1 nor -1":                                                 {"rt": {0.5}, "side": {-999}, Deadline: {1}},
		"column side, row 1: 0 is neither +1 nor -1":                                                   {"rt": {0.5}, "side": {0}, Deadline: {1}},
	} {
		if _, err := both.Bind(c); err == nil || err.Error() != "likc: waiting: "+want {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	if _, err := both.WithDeadlines(); err == nil {
		t.Error("deadlines after lapses are accepted")
	}
}

// TestRegressionFindsTheTruth: a regression recovers the drifts of two conditions. Its predictions have as many trials without response as the data.
func TestRegressionFindsTheTruth(t *testing.T) {
	base := open(t, "ddm")
	columns, labels := map[string][]float64{}, []string(nil)
	for i, v := range []float64{0.8, 1.8} {
		some, err := base.Simulate(t.Context(), []float64{v, 1, 0.5, 0.3}, 300, uint64(i+1))
		if err != nil {
			t.Fatal(err)
		}
		for name, x := range some {
			columns[name] = append(columns[name], x...)
		}
		labels = append(labels, slices.Repeat([]string{[]string{"hard", "easy"}[i]}, 300)...)
	}
	const deadline = 1.0
	omitted := 0
	for i, rt := range columns["rt"] {
		columns[Deadline] = append(columns[Deadline], deadline)
		if rt > deadline {
			columns["rt"][i] = math.NaN()
			omitted++
		}
	}
	m, err := base.WithDeadlines()
	if err != nil {
		t.Fatal(err)
	}
	fit, err := bind(t, m, columns).Fit(context.Background(), Settings{Seed: 1, Chains: 2, Warmup: 400, Draws: 400, LOO: true,
		Regress: &Regression{Formulas: []string{"v ~ 0 + condition"}, Labels: map[string][]string{"condition": labels}}})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]Cell{}
	for _, c := range fit.Cells() {
		found[c.Name] = c
	}
	for name, want := range map[string]float64{"v[condition=hard]": 0.8, "v[condition=easy]": 1.8} {
		c, ok := found[name]
		if near(t, name, c.Mean, want, 4*c.SD); !ok || !(c.SD > 0.02 && c.SD < 0.2) {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if l, err := fit.LOO(); err != nil || !(l.P > 2 && l.P < 9) || !(l.SE > 0) {
		t.Errorf("%+v, %v: five coefficients and parameters", l, err)
	}
	predicted, err := fit.Predict(t.Context(), 50, 1)
	if err != nil {
		t.Fatal(err)
	}
	omittedAgain, trials := 0, 0
	for _, one := range predicted {
		for _, rt := range one["rt"] {
			if trials++; math.IsNaN(rt) {
				omittedAgain++
			} else if rt > deadline {
				t.Fatalf("a predicted response after %v s", rt)
			}
		}
	}
	share := float64(omitted) / 600
	near(t, "the predicted share of trials without response", float64(omittedAgain)/float64(trials), share, 4*math.Sqrt(share*(1-share)/600))
	if _, err := fit.Predict(t.Context(), 801, 1); err == nil {
		t.Error("more predictions than draws")
	}
}

// TestFixedRangesAndPrediction: a fit without regression respects fixed values and ranges, and predicts the shares of choices.
func TestFixedRangesAndPrediction(t *testing.T) {
	m := open(t, "ddm")
	columns, err := m.Simulate(t.Context(), []float64{1, 1, 0.5, 0.3}, 400, 3)
	if err != nil {
		t.Fatal(err)
	}
	fit, err := bind(t, m, columns).Fit(t.Context(), Settings{Seed: 1, Chains: 2, Warmup: 300, Draws: 300, Fixed: map[string]float64{"z": 0.5},
		Ranges: map[string][2]float64{"v": {-8, 8}}, Priors: map[string]string{"v": "normal(0,3)"}})
	if err != nil {
		t.Fatal(err)
	}
	if s := fit.Summary(); len(s) != 3 || math.Abs(s[0].Mean-1) > 4*s[0].SD {
		t.Errorf("%+v", s)
	}
	if fit.Cells() != nil || fit.Lapses() != nil {
		t.Error("cells or lapses without a regression or lapses")
	}
	if _, err := fit.LOO(); err == nil || !strings.Contains(err.Error(), "the settings did not ask for it") {
		t.Error(err)
	}
	predicted, err := fit.Predict(t.Context(), 100, 1)
	if err != nil {
		t.Fatal(err)
	}
	upper := func(choice []float64) (n int) {
		for _, c := range choice {
			if c == 1 {
				n++
			}
		}
		return n
	}
	choice, upperCount, total := m.Columns()[1], 0, 0
	for _, one := range predicted {
		upperCount, total = upperCount+upper(one[choice]), total+len(one[choice])
	}
	share := float64(upper(columns[choice])) / 400
	near(t, "the predicted share of upper responses", float64(upperCount)/float64(total), share, 4*math.Sqrt(share*(1-share)/400))
}

// TestRecover: 90 % intervals of fits to a model's own simulations contain the truth in about 90 % of them.
func TestRecover(t *testing.T) {
	all, err := parse(t, waiting).Recover(t.Context(), Design{Subjects: 60, Trials: 50}, Settings{Seed: 2, Chains: 1, Warmup: 150, Draws: 250})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if p.Fits != 60 || p.Covered90 < 0.75 || !(p.R > 0.9) { // 45 of 60 or fewer have a probability of .0008 if the true coverage is .9
			t.Errorf("%+v", p)
		}
	}
	late, err := open(t, "ddm").WithDeadlines()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		model   *Model
		design  Design
		regress *Regression
		want    string
	}{
		{late, Design{Subjects: 1, Trials: 50, Deadline: 1}, nil, "1 subjects: want 2"},
		{late, Design{Subjects: 2, Trials: 50}, nil, "a deadline of 0 s: the model has deadlines"},
		{open(t, "ddm"), Design{Subjects: 2, Trials: 50, Deadline: 1}, nil, "a deadline of 1 s: want 0"},
		{late, Design{Subjects: 2, Trials: 50, Deadline: 1, Studies: 3}, nil, "3 studies: want 0"},
		{late, Design{Subjects: 2, Trials: 50, Deadline: 1}, &Regression{Formulas: []string{"v ~ 1"}}, "0 studies: want 2"},
		{late, Design{Subjects: 2, Trials: 5, Deadline: 1, Studies: 2}, &Regression{Formulas: []string{"v ~ x"}, Numbers: map[string][]float64{"x": {1}}}, "column x has 1 rows: there are 10 trials"},
		{late, Design{Subjects: 1, Trials: 2, Studies: 2}, &Regression{Formulas: []string{"v ~ 1"}, Numbers: map[string][]float64{Deadline: {1, -1}}}, "column deadline: holds other values than numbers above 0"},
	} {
		if _, err := c.model.Recover(t.Context(), c.design, Settings{Regress: c.regress}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestRecoverRegression: in a regression with lapses, and with deadlines that differ between conditions, estimates of the coefficients follow
// the truth.
func TestRecoverRegression(t *testing.T) {
	m := open(t, "shifted_wald")
	for _, add := range []func(*Model) (*Model, error){(*Model).WithDeadlines, func(m *Model) (*Model, error) { return m.WithLapses(0, 2) }} {
		var err error
		if m, err = add(m); err != nil {
			t.Fatal(err)
		}
	}
	d := Design{Subjects: 3, Trials: 20, Studies: 6}
	deadlines, condition := make([]float64, d.Subjects*d.Trials), make([]string, d.Subjects*d.Trials)
	for i := range deadlines {
		deadlines[i], condition[i] = []float64{2, 4}[i%2], []string{"a", "b"}[i%2]
	}
	all, err := m.Recover(t.Context(), d, Settings{Seed: 2, Chains: 1, Warmup: 100, Draws: 100, Fixed: map[string]float64{"lapse": 0.05}, Ranges: map[string][2]float64{"t": {0.1, 0.5}},
		Regress: &Regression{Formulas: []string{"v ~ 1 + condition + (1 | who)"}, Numbers: map[string][]float64{Deadline: deadlines}, Labels: map[string][]string{"condition": condition}}})
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]Recovery{}
	for _, p := range all {
		names[p.Name] = p
	}
	for _, name := range []string{"v_Intercept", "v_condition[b]", "v_1|who_sigma", "b", "t"} {
		if p := names[name]; p.Fits != d.Studies || p.Covered90 < 3./6 { // 2 of 6 or fewer have a probability of .001 if the true coverage is .9
			t.Errorf("%s: %+v", name, p)
		}
	}
	if p := names["v_condition[b]"]; !(p.R > 0.8) {
		t.Errorf("the difference of conditions: %+v", p)
	}
}

func TestSimulateRefuses(t *testing.T) {
	m := open(t, "ddm")
	if _, err := m.Simulate(t.Context(), []float64{1}, 10, 1); err == nil {
		t.Error("one parameter of four is accepted")
	}
	if _, err := m.Simulate(t.Context(), []float64{1, 1, 0.5, 0.3}, 0, 1); err == nil {
		t.Error("no trials are accepted")
	}
	if _, err := m.WithLapses(2, 1); err == nil {
		t.Error("a window that ends before it begins is accepted")
	}
	if _, err := m.WithGoNoGo(0); err == nil {
		t.Error("no choice that responds is accepted")
	}
}
