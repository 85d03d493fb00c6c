package judge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"likc/runtime/model/posterior"
	"likc/runtime/model/ssm"
	"likc/runtime/num/finite"
	"likc/search/study"
	"likc/search/study/bank"
)

// smallBank returns a bank of ddm with few subjects.
func smallBank(t *testing.T, subjects, trials int) *bank.Bank {
	t.Helper()
	s, err := bank.NewSettings("test-60", "ddm", "exact", 7)
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

// exactCandidate returns the density from which the bank was simulated, as a candidate.
func exactCandidate(b *bank.Bank) Candidate {
	c := Candidate{Name: "ddm"}
	for _, p := range b.Settings.Params {
		c.Params = append(c.Params, p.Name)
	}
	c.Bind = func(c *study.Case) (study.Problem, error) {
		lik, err := ssm.DDM.Bind(c.Columns[0], c.Choice)
		if err != nil {
			return study.Problem{}, err
		}
		var params []posterior.Parameter
		for _, p := range b.Settings.Params {
			params = append(params, posterior.Parameter{Name: p.Name, Lower: p.Lower, Upper: p.Upper})
		}
		fastest := math.Inf(1)
		for _, rt := range c.Columns[0] {
			fastest = min(fastest, rt)
		}
		return study.Problem{Sum: lik, Params: params}, posterior.CapUpper(params, "t", fastest)
	}
	return c
}

// quick returns settings with short chains.
func quick() Settings {
	s := DefaultSettings()
	s.Warmup, s.Draws = 200, 100
	return s
}

// The density from which trials were simulated recovers the parameters, and its intervals contain the truth about as often as
// they should.
func TestTrueDensityPasses(t *testing.T) {
	b := smallBank(t, 12, 200)
	v, err := Judge(context.Background(), exactCandidate(b), b, quick())
	if err != nil {
		t.Fatal(err)
	}
	if !v.Pass || v.Failed != 0 || !(v.WeakestR > 0.7) {
		t.Errorf("the true density: pass %v, failed %d, weakest r %v", v.Pass, v.Failed, v.WeakestR)
	}
	for _, p := range v.Params {
		if (p.Name == "v" || p.Name == "t") && p.R < 0.97 {
			t.Errorf("r of %s is %.3f", p.Name, p.R)
		}
		if p.Covered < 0.6 { // fewer than 8 of 12, with probability 0.9 each, has probability 1e-3
			t.Errorf("%s: only %.2f of the truths are within the 90%% interval", p.Name, p.Covered)
		}
	}
	if v.Timing.Fits != 12 || !(v.Timing.Gradient > 0) {
		t.Errorf("timing %+v", v.Timing)
	}
}

func TestThreadsDoNotChangeTheVerdict(t *testing.T) {
	b := smallBank(t, 4, 50)
	var first []byte
	for _, threads := range []int{1, 3} {
		s := quick()
		s.Threads = threads
		v, err := Judge(context.Background(), exactCandidate(b), b, s)
		if err != nil {
			t.Fatal(err)
		}
		line, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = line
		}
		if !bytes.Equal(first, line) {
			t.Errorf("%d threads: %s\nwant %s", threads, line, first)
		}
	}
}

// flat is a likelihood that does not depend on the trials, so its estimates are the middle of the ranges.
type flat struct{ dim int }

func (f flat) Dim() int                                 { return f.dim }
func (f flat) LogLik(theta []float64) float64           { return 0 }
func (f flat) LogLikGrad(theta, grad []float64) float64 { clear(grad); return 0 }
func (f flat) bind(b *bank.Bank) study.Bind {
	return func(c *study.Case) (study.Problem, error) {
		p, err := exactCandidate(b).Bind(c)
		p.Sum = f
		return p, err
	}
}

func TestIgnorantCandidateFails(t *testing.T) {
	b := smallBank(t, 12, 20)
	c := exactCandidate(b)
	c.Name, c.Bind = "flat", flat{4}.bind(b)
	v, err := Judge(context.Background(), c, b, quick())
	if err != nil {
		t.Fatal(err)
	}
	if v.Pass {
		t.Errorf("a flat likelihood passes: %+v", v.Params)
	}
}

// Subjects that cannot be fitted count against a candidate. A candidate that does not fit the bank is an error.
func TestFailures(t *testing.T) {
	b := smallBank(t, 4, 20)
	c := exactCandidate(b)
	c.Bind = func(*study.Case) (study.Problem, error) { return study.Problem{}, errors.New("will not bind") }
	v, err := Judge(context.Background(), c, b, quick())
	if err != nil {
		t.Fatal(err)
	}
	if v.Pass || v.Failed != 2 || v.Params[0].Edge != 1 || !math.IsNaN(float64(v.WeakestR)) || !strings.Contains(v.Reason, "will not bind") {
		t.Errorf("nothing was fitted, and: %+v", v)
	}
	line, err := json.Marshal(v)
	if err != nil || !bytes.Contains(line, []byte(`"weakest_r":null`)) || !bytes.Contains(line, []byte("will not bind")) {
		t.Errorf("JSON: %s, %v", line, err)
	}
	c.Params = []string{"v", "lapse"}
	if _, err := Judge(context.Background(), c, b, quick()); err == nil {
		t.Error("a parameter that the bank does not know, and no error")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Judge(ctx, exactCandidate(b), b, quick()); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// The rule is tested with invented estimates.
func TestRule(t *testing.T) {
	fit := func(truth, mean float64) Fit {
		return Fit{Truth: finite.Numbers([]float64{truth}), Mean: finite.Numbers([]float64{mean}), SD: finite.Numbers([]float64{0.1}), Rarer: 10}
	}
	theta := bank.Range{Name: "z", Lower: 0, Upper: 1}
	p := recovered("z", theta, 0, []Fit{fit(0.1, 0.005), fit(0.2, 0.2), fit(0.8, 0.992), fit(0.9, 0.9)})
	if p.Edge != 0.5 {
		t.Errorf("two of four are within 0.01 of a bound: edge %v", p.Edge)
	}
	if p.R < 0.98 || p.RBoth != p.R || p.Covered != 0.75 {
		t.Errorf("%+v", p)
	}
	if want := ((0.005 - 0.1) + (0.992 - 0.8)) / 4; !(math.Abs(float64(p.Bias)-want) <= 1e-15) {
		t.Errorf("bias %v, want %v", p.Bias, want)
	}
	all := []*Verdict{{Model: "a", WeakestR: undefined()}, {Model: "b", WeakestR: 0.2}, {Model: "c", WeakestR: 0.9}}
	Rank(all)
	if all[0].Model != "c" || all[1].Model != "b" || all[2].Model != "a" {
		t.Errorf("ranked %s %s %s", all[0].Model, all[1].Model, all[2].Model)
	}
}
