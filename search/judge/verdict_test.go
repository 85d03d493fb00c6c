package judge

import (
	"errors"
	"math"
	"testing"

	"likc/runtime/finite"
	"likc/search/bank"
)

func byHand() (*bank.Bank, []Fit) {
	b := &bank.Bank{Settings: bank.Settings{Role: "test-60", Scheme: "exact", Params: []bank.Range{{Name: "w"}, {Name: "v", Lower: 0, Upper: 10}}},
		Subjects: make([]bank.Subject, 5)}
	fit := func(truth, mean, sd, rhat float64, rarer, divergences, gradients int) Fit {
		return Fit{Truth: []float64{truth}, Mean: []float64{mean}, SD: []float64{sd}, Rhat: rhat, Rarer: rarer, Divergences: divergences, Gradients: gradients}
	}
	fits := []Fit{
		fit(1, 3, 1.3, 1.002, 10, 7, 100), // 1.645 sds are 2.1: covered
		fit(2, 1, 0.5, 1.03, 9, 0, 200),   // 0.82: not
		fit(3, 9.95, 9, 1.01, 50, 1, 300), // at an edge; 1.01 is not above 1.01
		fit(4, 0.05, 1, 1.5, 12, 30, 400), // at the other
	}
	failed := fit(5, math.NaN(), math.NaN(), math.NaN(), 0, 0, 50)
	failed.Err = errors.New("no trials")
	failed.Limited = true
	return b, append(fits, failed)
}

// TestFiguresByHand: every figure of a verdict on five subjects, one of whom could not be fitted.
func TestFiguresByHand(t *testing.T) {
	b, fits := byHand()
	v := newVerdict(Candidate{Name: "m", Params: []string{"v"}}, b, []int{1}, fits, Settings{Chains: 2, Draws: 7})
	p := v.Params[0]
	// means 3 1 9.95 .05 about 3.5, truths 1 2 3 4 about 2.5
	xy, xx, yy := 1.5*0.5+0.5*2.5+0.5*6.45-1.5*3.45, 5.0, 0.25+6.25+6.45*6.45+3.45*3.45
	for name, f := range map[string]struct {
		got  finite.Number
		want float64
	}{
		"r":          {p.R, xy / math.Sqrt(xx*yy)},
		"edge":       {p.Edge, 3. / 5},
		"bias":       {p.Bias, (2 - 1 + 6.95 - 3.95) / 4},
		"rmse":       {p.RMSE, math.Sqrt((4 + 1 + 6.95*6.95 + 3.95*3.95) / 4)},
		"covered":    {p.Covered, 2. / 4},
		"weakest r":  {v.WeakestR, xy / math.Sqrt(xx*yy)},
		"largest":    {v.RhatMax, 1.5},
		"share":      {v.RhatShare, 2. / 4},
		"divergence": {v.DivergencesMedian, 4}, // 0 1 7 30
	} {
		if !(math.Abs(float64(f.got)-f.want) <= 1e-12) {
			t.Errorf("%s is %v, want %v", name, f.got, f.want)
		}
	}
	// of subjects 1, 3 and 4: truths 1 3 4 about 8/3, means 3 9.95 .05 about 13/3
	xy, xx, yy = 0, 0, 0
	for _, c := range [][2]float64{{1, 3}, {3, 9.95}, {4, 0.05}} {
		dx, dy := c[0]-8./3, c[1]-13./3
		xy, xx, yy = xy+dx*dy, xx+dx*dx, yy+dy*dy
	}
	if !(math.Abs(float64(p.RBoth)-xy/math.Sqrt(xx*yy)) <= 1e-12) {
		t.Errorf("r of subjects with both responses is %v, want %v", p.RBoth, xy/math.Sqrt(xx*yy))
	}
	if v.Pass || len(v.Recovered) != 0 || v.Reason != "" || v.Subjects != 5 || v.Fitted != 5 || v.Both != 3 || v.Failed != 1 || v.Limited != 1 ||
		v.RhatHigh != 2 || v.Divergences != 38 || v.Divergent != 3 || v.Gradients != 1050 || v.Why["no trials"] != 1 {
		t.Errorf("%+v", v)
	}
	if v.Note != "" { // 4 of 14 draws
		t.Errorf("note %q", v.Note)
	}
	if v = newVerdict(Candidate{Params: []string{"v"}}, b, []int{1}, fits, Settings{Chains: 1, Draws: 7}); v.Note == "" {
		t.Error("nothing is said of a median of 4 divergences in 7 draws")
	}
	odd := newVerdict(Candidate{Params: []string{"v"}}, b, []int{1}, fits[:3], Settings{Chains: 2, Draws: 7})
	if odd.DivergencesMedian != 1 || odd.RhatMax != 1.03 { // 7 0 1
		t.Errorf("median of 7, 0 and 1 is %v, largest R-hat %v", odd.DivergencesMedian, odd.RhatMax)
	}
}

// TestModesHaveNoInterval: a screen's verdict has no coverage and no R-hat.
func TestModesHaveNoInterval(t *testing.T) {
	b, fits := byHand()
	for i := range fits {
		fits[i].SD[0], fits[i].Rhat = math.NaN(), math.NaN()
	}
	v := newVerdict(Candidate{Params: []string{"v"}}, b, []int{1}, fits, Settings{Screen: true})
	if v.Method != "map" || !math.IsNaN(float64(v.Params[0].Covered)) || !math.IsNaN(float64(v.RhatMax)) || v.RhatHigh != 0 {
		t.Errorf("%+v", v)
	}
}

// TestGivenUp: half of all subjects that fail, or all that were tried, are too many; the reason is the most common one.
func TestGivenUp(t *testing.T) {
	for _, c := range []struct {
		failed, fitted, subjects int
		why                      map[string]int
		want                     string
	}{
		{0, 5, 5, nil, ""},
		{2, 5, 5, map[string]int{"b": 2}, ""},
		{3, 5, 6, map[string]int{"b": 1, "c": 2}, "3 of the first 5 subjects could not be fitted: c"},
		{2, 2, 60, map[string]int{"b": 1, "a": 1}, "none of the first 2 subjects could be fitted: a"},
	} {
		v := Verdict{Failed: c.failed, Fitted: c.fitted, Subjects: c.subjects, Why: c.why}
		if got := v.givenUp(); got != c.want {
			t.Errorf("%d of %d failed: %q, want %q", c.failed, c.fitted, got, c.want)
		}
	}
}

// TestSummaryAddsUp counts forms once and fits of all forms.
func TestSummaryAddsUp(t *testing.T) {
	s := Summarise([]*Verdict{
		{Model: "a", Simplified: "v", Tier: "constant", Fitted: 60, Failed: 2, Limited: 1, Gradients: 1000, RhatHigh: 5},
		{Model: "b", Simplified: "v", Tier: "constant", Fitted: 60, Failed: 2, Limited: 1, Gradients: 1000, RhatHigh: 5}, // the same form
		{Model: "c", Simplified: "a", Fitted: 4, Failed: 4, Gradients: 30, Reason: "none"},
		{Model: "d", Fitted: 10, Failed: 1, Gradients: 7, RhatHigh: 8},
	})
	if s.Candidates != 4 || s.Unique != 3 || s.Fits != 74 || s.Failed != 7 || s.Limited != 1 || s.Gradients != 1037 || s.GivenUp != 1 ||
		s.Tiers["constant"] != 1 || s.Tiers["other"] != 2 || s.RhatShare != finite.Number(13./67) {
		t.Errorf("%+v", s)
	}
}
