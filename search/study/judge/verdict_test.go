package judge

import (
	"math"
	"testing"

	"likc/runtime/num/finite"
	"likc/search/study"
	"likc/search/study/bank"
)

// byHand returns a bank of five subjects and their fits.
func byHand() (*bank.Bank, []Fit) {
	b := &bank.Bank{Settings: bank.Settings{Role: "test-60", Scheme: "exact", Params: []bank.Range{{Name: "w"}, {Name: "v", Lower: 0, Upper: 10}}},
		Subjects: make([]bank.Subject, 5)}
	fit := func(truth, mean, sd, rhat float64, rarer, divergences, gradients int) Fit {
		return Fit{Truth: finite.Numbers([]float64{truth}), Mean: finite.Numbers([]float64{mean}), SD: finite.Numbers([]float64{sd}), Rhat: finite.Number(rhat), Rarer: rarer, Divergences: divergences, Gradients: gradients}
	}
	fits := []Fit{
		fit(1, 3, 1.3, 1.002, 10, 7, 100), // the interval of ± 1.645 sds has the half width 2.1: covered
		fit(2, 1, 0.5, 1.03, 9, 0, 200),   // half width 0.82: not covered
		fit(3, 9.95, 9, 1.01, 50, 1, 300), // an estimate at an edge; R-hat 1.01 is not above 1.01
		fit(4, 0.05, 1, 1.5, 12, 30, 400), // an estimate at the other edge
	}
	failed := fit(5, math.NaN(), math.NaN(), math.NaN(), 0, 0, 50)
	failed.Error = "no trials"
	failed.Limited = true
	return b, append(fits, failed)
}

// TestFiguresByHand: each figure of a verdict on five subjects is compared with one computed by hand. One subject could not be
// fitted.
func TestFiguresByHand(t *testing.T) {
	b, fits := byHand()
	v := newVerdict(Candidate{Name: "m", Params: []string{"v"}}, b, []int{1}, fits, Settings{Sampling: study.Sampling{Chains: 2, Draws: 7}})
	p := v.Params[0]
	// the means 3, 1, 9.95, .05 have the mean 3.5, the truths 1, 2, 3, 4 have 2.5
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
	// subjects 1, 3 and 4: the truths 1, 3, 4 have the mean 8/3, the estimates 3, 9.95, .05 have 13/3
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
	if v = newVerdict(Candidate{Params: []string{"v"}}, b, []int{1}, fits, Settings{Sampling: study.Sampling{Chains: 1, Draws: 7}}); v.Note == "" {
		t.Error("nothing is said of a median of 4 divergences in 7 draws")
	}
	odd := newVerdict(Candidate{Params: []string{"v"}}, b, []int{1}, fits[:3], Settings{Sampling: study.Sampling{Chains: 2, Draws: 7}})
	if odd.DivergencesMedian != 1 || odd.RhatMax != 1.03 { // 7 0 1
		t.Errorf("median of 7, 0 and 1 is %v, largest R-hat %v", odd.DivergencesMedian, odd.RhatMax)
	}
}

// TestModesHaveNoInterval: a screen's verdict has no coverage and no R-hat.
func TestModesHaveNoInterval(t *testing.T) {
	b, fits := byHand()
	for i := range fits {
		fits[i].SD[0], fits[i].Rhat = undefined(), undefined()
	}
	v := newVerdict(Candidate{Params: []string{"v"}}, b, []int{1}, fits, Settings{Screen: true})
	if v.Method != "map" || !math.IsNaN(float64(v.Params[0].Covered)) || !math.IsNaN(float64(v.RhatMax)) || v.RhatHigh != 0 {
		t.Errorf("%+v", v)
	}
}

// TestGivenUp: the judge gives up if half of all subjects fail, or all that were tried. The reason is the most common one.
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

// TestSummaryAddsUp: forms are counted once, and fits are summed over forms.
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

// TestCompareCorrelates: correlations of the numbers of recovered parameters, and of the weakest r where both files have one, are
// compared with ones computed by hand.
func TestCompareCorrelates(t *testing.T) {
	v := func(form string, weakest float64, n int) *Verdict {
		return &Verdict{Model: form, Simplified: form, WeakestR: finite.Number(weakest), Recovered: make([]string, n)}
	}
	first := []*Verdict{v("a", 0.1, 1), v("b", 0.2, 2), v("c", 0.3, 3), v("d", math.NaN(), 0), v("e", 0.9, 2)}
	second := []*Verdict{v("a", 0.5, 1), v("b", 0.9, 3), v("c", 0.7, 2), v("d", 0.6, 0), v("e", math.NaN(), 2)}
	c, err := Compare(first, second)
	// weakest: .1 .2 .3 and .5 .9 .7 deviate by -1 0 1 and -2 2 0 tenths, so r = 2/√(2·8)
	// recovered: 1 2 3 0 2 and 1 3 2 0 2 about 1.6
	xy, xx, yy := 0.0, 0.0, 0.0
	for _, n := range [][2]float64{{1, 1}, {2, 3}, {3, 2}, {0, 0}, {2, 2}} {
		dx, dy := n[0]-1.6, n[1]-1.6
		xy, xx, yy = xy+dx*dy, xx+dx*dx, yy+dy*dy
	}
	if err != nil || c.Common != 5 || !(math.Abs(float64(c.RWeakest)-0.5) <= 1e-12) || !(math.Abs(float64(c.R)-xy/math.Sqrt(xx*yy)) <= 1e-12) || c.Same != 0.6 {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err = Compare(first[:1], second[:1]); err != nil || c.Common != 1 || c.Only != [2]int{} {
		t.Errorf("one in common: %+v, %v", c, err)
	}
}

// TestVerdictIsOfItsEntry: a verdict from a file belongs to an entry only if all fields that identify the entry agree.
func TestVerdictIsOfItsEntry(t *testing.T) {
	e := found(t, 2)[0]
	for name, change := range map[string]func(v *Verdict){
		"":        func(*Verdict) {},
		"name":    func(v *Verdict) { v.Model += "x" },
		"formula": func(v *Verdict) { v.Expr += "+0" },
		"file":    func(v *Verdict) { v.File += "x" },
		"line":    func(v *Verdict) { v.Line++ },
		"seed":    func(v *Verdict) { v.Seed++ },
		"teacher": func(v *Verdict) { v.Teacher = "sum" },
	} {
		v := &Verdict{Model: e.Name}
		v.identify(e)
		change(v)
		if v.isOf(e) != (name == "") {
			t.Errorf("with another %q: %v", name, v.isOf(e))
		}
	}
}

// TestVerdictsNameBankAndMethod: a line without a bank or without a method is no verdict.
func TestVerdictsNameBankAndMethod(t *testing.T) {
	for text, ok := range map[string]bool{
		`{"model":"m","bank":"test-60","method":"nuts"}`: true,
		`{"model":"m","bank":"test-60"}`:                 false,
		`{"model":"m","method":"nuts"}`:                  false,
	} {
		if all, err := parse([]byte(text + "\n")); (err == nil) != ok || ok && len(all) != 1 {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestLargestRhat: the R-hat of a fit is that of the parameter whose chains agree least. It may be below 1.
func TestLargestRhat(t *testing.T) {
	b := smallBank(t, 1, 60)
	s := quick()
	s.Fits = true
	v, err := Judge(t.Context(), exactCandidate(b), b, s)
	if err != nil {
		t.Fatal(err)
	}
	if f := v.Fits[0]; math.IsInf(float64(f.Rhat), 0) || !(float64(f.Rhat) > 0.9 && float64(f.Rhat) < 1.5) || v.RhatMax != finite.Number(float64(f.Rhat)) {
		t.Errorf("R-hat %v of a fit, %v of all", f.Rhat, v.RhatMax)
	}
}

// TestGroupsCountForms: recovered parameters and limited fits count each form once.
func TestGroupsCountForms(t *testing.T) {
	v := func(form string, limited int, recovered ...string) *Verdict {
		return &Verdict{Simplified: form, Limited: limited, Recovered: recovered, Params: []Param{{Name: "v"}, {Name: "a"}}, Lambda: 1, File: form}
	}
	g := Summarise([]*Verdict{v("x", 3, "v", "a"), v("y", 0, "v"), v("y", 0, "v"), v("z", 1), v("w", 0, "v")}).All
	if g.Unique != 4 || g.Limited != 2 || len(g.Params) != 2 {
		t.Fatalf("%+v", g)
	}
	for _, p := range g.Params {
		if want := map[string]finite.Number{"v": 0.75, "a": 0.25}[p.Name]; p.Share != want {
			t.Errorf("%s is recovered by a share of %v, want %v", p.Name, p.Share, want)
		}
	}
}
