package audit

import (
	"math"
	"slices"
	"strings"
	"testing"

	"likc/runtime/model/catalog"
	"likc/runtime/model/front"
	"likc/runtime/model/posterior"
	"likc/runtime/num/finite"
	"likc/search/study/bank"
	"likc/search/study/judge"
)

func numbers(x ...float64) []finite.Number { return finite.Numbers(x) }

func summaryBank() *bank.Bank {
	s := bank.Settings{Role: "test-60", Model: "ddm", Scheme: "exact",
		Params: []bank.Range{{Name: "v", Lower: -1, Upper: 1}, {Name: "a", Lower: 0, Upper: 10}}}
	return &bank.Bank{Settings: s}
}

var summaryModel = Model{Name: "m", Params: []posterior.Parameter{{Name: "v"}, {Name: "a"}}}

// TestSummarise: three limits and a failure are compared with results computed by hand. The truths 1 2 3 (or 3 5 7) and the
// argmaxes 1 3 2 deviate by -1 0 1 and -1 1 0 from their means, so r = 1/2.
func TestSummarise(t *testing.T) {
	limits := []Limit{
		{Subject: 0, Truth: numbers(-0.5, 3), Argmax: numbers(-0.5, 1)},
		{Subject: 1, Truth: numbers(0, 5), Argmax: numbers(0, 3)},
		{Subject: 2, Truth: numbers(0.5, 7), Argmax: numbers(0.5, 2)},
		{Subject: 3, Truth: numbers(9, 9), Argmax: numbers(math.NaN(), math.NaN()), Error: "no maximum found"},
	}
	fits := []Recovery{{R: numbers(0.75, 0.25)}, {Share: 0.01, R: numbers(0, 0)}}
	got := Summarise(summaryModel, summaryBank(), limits, fits, Guesses{From: 0.1, To: 0.3})
	if got.Model != "m" || got.Bank != "test-60" || got.Failed != 1 || len(got.Recoveries) != 2 || len(got.Limits) != 4 || got.Guesses.To != 0.3 {
		t.Errorf("%+v", got)
	}
	// a failure counts as an edge, for it recovers nothing
	want := []Param{{"v", 1, 0.75, 0.25, 0.25}, {"a", 0.5, 0.25, 0.25, 0.25}}
	for j, p := range got.Params {
		if w := want[j]; p.Name != w.Name || !(math.Abs(float64(p.Implied-w.Implied)) <= 1e-12) || p.Measured != w.Measured ||
			!(math.Abs(float64(p.Gap-w.Gap)) <= 1e-12) || p.Edge != w.Edge {
			t.Errorf("%+v, want %+v", p, w)
		}
	}
	if got.ImpliedPass { // 0.5 is not above LeastR
		t.Error("r = 0.5 passes")
	}
}

// TestMedianGap: the median of an odd number of gaps is the middle one; of an even number, the mean of the two in the middle.
func TestMedianGap(t *testing.T) {
	limits := []Limit{{Truth: numbers(-0.5, 3), Argmax: numbers(-0.5, 3)}, {Truth: numbers(0, 5), Argmax: numbers(0, 5)}, {Truth: numbers(0.5, 7), Argmax: numbers(0.5, 7)}}
	two := Summarise(summaryModel, summaryBank(), limits, []Recovery{{R: numbers(0.9, 0.5)}}, Guesses{})
	if !two.ImpliedPass || !(math.Abs(float64(two.MedianGap)-0.3) <= 1e-12) {
		t.Errorf("pass %v, median gap %v of 0.1 and 0.5", two.ImpliedPass, two.MedianGap)
	}
	three := Model{Params: []posterior.Parameter{{Name: "v"}, {Name: "a"}, {Name: "a"}}}
	b := summaryBank()
	b.Settings.Params = append(b.Settings.Params, b.Settings.Params[1])
	for i := range limits {
		limits[i].Truth, limits[i].Argmax = append(limits[i].Truth, limits[i].Truth[1]), append(limits[i].Argmax, limits[i].Argmax[1])
	}
	if s := Summarise(three, b, limits, []Recovery{{R: numbers(0.9, 0.5, 0.8)}}, Guesses{}); !(math.Abs(float64(s.MedianGap)-0.2) <= 1e-12) {
		t.Errorf("median gap %v of 0.1, 0.5 and 0.2", s.MedianGap)
	}
	one := summaryModel
	one.Params = one.Params[:1]
	if s := Summarise(one, summaryBank(), limits, []Recovery{{R: numbers(0.9)}}, Guesses{}); !(math.Abs(float64(s.MedianGap)-0.1) <= 1e-12) {
		t.Errorf("median gap %v of 0.1 alone", s.MedianGap)
	}
}

// TestImpliedEdges: a limit within 1% of the range from either bound is at an edge. If half of the limits are at an edge, the
// parameter does not pass.
func TestImpliedEdges(t *testing.T) {
	of := func(argmaxes ...float64) Param {
		var limits []Limit
		for i, x := range argmaxes {
			limits = append(limits, Limit{Truth: numbers(float64(i)), Argmax: numbers(x)})
		}
		return implied("a", bank.Range{Lower: 0, Upper: 10}, 0, limits)
	}
	for _, c := range []struct {
		at   []float64
		edge finite.Number
	}{
		{[]float64{0.1, 5, 9.9, 4}, 0},
		{[]float64{0.0999, 5, 9.9, 4}, 0.25},
		{[]float64{0.1, 5, 9.9001, 4}, 0.25},
		{[]float64{0, 5, 10, 4}, 0.5},
		{[]float64{0, 5, -1, 11}, 0.75},
	} {
		if got := of(c.at...); got.Edge != c.edge {
			t.Errorf("argmaxes %v: %v at an edge, want %v", c.at, got.Edge, c.edge)
		}
	}
	if p := of(1, 2); !math.IsNaN(float64(p.Implied)) {
		t.Errorf("two subjects correlate by %v", p.Implied)
	}
	if p := of(1, 2, 3); !(math.Abs(float64(p.Implied)-1) <= 1e-12) {
		t.Errorf("three correlate by %v", p.Implied)
	}
	atEdges := []Limit{{Truth: numbers(1), Argmax: numbers(0)}, {Truth: numbers(2), Argmax: numbers(5)}, {Truth: numbers(3), Argmax: numbers(6)}, {Truth: numbers(4), Argmax: numbers(10)}}
	m := Model{Params: []posterior.Parameter{{Name: "a"}}}
	b := &bank.Bank{Settings: bank.Settings{Params: []bank.Range{{Lower: 0, Upper: 10}}}}
	if s := Summarise(m, b, atEdges, []Recovery{{R: numbers(0.9)}}, Guesses{}); s.ImpliedPass {
		t.Errorf("%v at an edge, and it passes", s.Params[0].Edge)
	}
}

// TestCompareFew: a model without a gap is ignored; two models have no correlation, and no model has no median gap.
func TestCompareFew(t *testing.T) {
	model := func(implied, measured float64) Summary {
		return Summary{Params: []Param{{Name: "v", Implied: finite.Number(implied), Measured: finite.Number(measured), Gap: finite.Number(implied - measured)}},
			Recoveries: []Recovery{{Edge: numbers(0)}}}
	}
	nan := math.NaN()
	two := Compare([]Summary{model(0.9, 0.7), model(0.9, 0.5), model(nan, 0.5)}).Params[0]
	if !(math.Abs(float64(two.MedianGap)-0.3) <= 1e-12) || !math.IsNaN(float64(two.Correlation)) {
		t.Errorf("of gaps 0.2, 0.4 and none: %+v", two)
	}
	if none := Compare([]Summary{model(nan, 0.5)}).Params[0]; !math.IsNaN(float64(none.MedianGap)) || none.ImpliedCount != 0 || none.MeasuredCount != 0 {
		t.Errorf("of no gap: %+v", none) // 0.5 is not above LeastR
	}
	half := model(0.9, 0.9)
	half.Params[0].Edge, half.Recoveries[0].Edge = 0.5, numbers(0.5)
	if c := Compare([]Summary{half}).Params[0]; c.ImpliedCount != 0 || c.MeasuredCount != 0 {
		t.Errorf("half at an edge pass: %+v", c)
	}
}

// TestNewRecovery keeps a verdict's figures in the order of its parameters.
func TestNewRecovery(t *testing.T) {
	v := &judge.Verdict{Pass: true, WeakestR: 0.6, Failed: 2, Params: []judge.Param{{Name: "v", R: 0.9, Edge: 0.1}, {Name: "a", R: 0.6, Edge: 0.2}}}
	got := NewRecovery(0.01, v)
	if got.Share != 0.01 || !got.Pass || got.WeakestR != 0.6 || got.Failed != 2 || !slices.Equal(got.R, numbers(0.9, 0.6)) || !slices.Equal(got.Edge, numbers(0.1, 0.2)) {
		t.Errorf("%+v", got)
	}
}

// TestForms: Forms returns the best forms first, each form once, and no more than asked for.
func TestForms(t *testing.T) {
	b := &bank.Bank{Settings: bank.Settings{Role: "test-60", Model: "ddm", Scheme: "exact"}}
	verdict := func(model string, r float64, change func(v *judge.Verdict)) *judge.Verdict {
		v := &judge.Verdict{Model: model, Bank: "test-60", Scheme: "exact", Method: "nuts", WeakestR: finite.Number(r)}
		if change != nil {
			change(v)
		}
		return v
	}
	good := []*judge.Verdict{
		verdict("expr1", 0.3, nil),
		verdict("expr2", 0.7, nil),
		verdict("expr3", 0.9, func(v *judge.Verdict) { v.Duplicate = 1 }),
		verdict("expr4", 0.8, func(v *judge.Verdict) { v.Reason = "none of the first 2 subjects could be fitted" }),
		verdict("flow", 0.95, func(v *judge.Verdict) { v.Teacher = "sum" }),
		verdict("expr5", 0.5, nil),
	}
	for most, want := range map[int]string{0: "expr2 expr5 expr1", 2: "expr2 expr5", 9: "expr2 expr5 expr1"} {
		list, known, err := Forms("V.jsonl", slices.Clone(good), most, b, catalog.Open)
		var names []string
		for _, m := range list {
			names = append(names, m.Name)
			if v := known[m.Name]; v == nil || v.Model != m.Name {
				t.Errorf("%s has the verdict %+v", m.Name, v)
			}
		}
		if got := strings.Join(names, " "); err != nil || got != want || len(known) != len(list) {
			t.Errorf("at most %d: %s, want %s (%v)", most, got, want, err)
		}
	}
	for want, v := range map[string]*judge.Verdict{
		"V.jsonl: expr2: judged on holdout-90 (exact, nuts), not on test-60 (exact, nuts)": verdict("expr2", 1, func(v *judge.Verdict) { v.Bank = "holdout-90" }),
		"V.jsonl: expr2: judged on test-60 (euler, nuts)":                                  verdict("expr2", 1, func(v *judge.Verdict) { v.Scheme = "euler" }),
		"V.jsonl: expr2: judged on test-60 (exact, map)":                                   verdict("expr2", 1, func(v *judge.Verdict) { v.Method = "map" }),
		"V.jsonl: expr1: two verdicts have this name":                                      verdict("expr1", 1, nil),
		"V.jsonl: nothing: ": verdict("nothing", 1, nil),
		"V.jsonl: angled: is on angle, and the bank on ddm": verdict("angled", 1, func(v *judge.Verdict) {
			v.Search, v.Expr, v.Size = &front.Search{Line: front.Line{Model: "angle"}}, "log(a)", 2
		}),
	} {
		if _, _, err := Forms("V.jsonl", []*judge.Verdict{good[0], v}, 0, b, catalog.Open); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if _, _, err := Forms("V.jsonl", good[2:5], 0, b, catalog.Open); err == nil || err.Error() != "V.jsonl: no form was fitted" {
		t.Errorf("of duplicates and failures: %v", err)
	}
}

// TestShares: a form with a verdict is fitted only with guesses, and only if it recovers all parameters without guesses.
func TestShares(t *testing.T) {
	all := []float64{0, 0.01, 0.1}
	model := func(name string) *catalog.Model {
		m, err := catalog.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	good, bad := model("expr2"), model("expr1")
	known := Judged{"expr2": {Pass: true, WeakestR: 0.7}, "expr1": {WeakestR: 0.2}}
	for _, c := range []struct {
		known Judged
		model *catalog.Model
		fit   []float64
	}{{nil, good, all}, {known, good, all[1:]}, {known, bad, []float64{}}} {
		fit := c.known.shares(c.model, all)
		if !slices.Equal(fit, c.fit) {
			t.Errorf("%s is fitted with %v, want %v", c.model.Name, fit, c.fit)
		}
		var fitted []Recovery
		for _, share := range fit {
			fitted = append(fitted, Recovery{Share: share, WeakestR: 0.6})
		}
		complete := c.known.complete(c.model, all, fitted)
		if len(complete) != len(all) {
			t.Fatalf("%s has %d recoveries", c.model.Name, len(complete))
		}
		for k, r := range complete {
			missing := c.model == bad && k > 0
			if r.Share != all[k] || math.IsNaN(float64(r.WeakestR)) != missing || missing && r.Pass {
				t.Errorf("%s, share %v: %+v", c.model.Name, all[k], r)
			}
		}
		if v := c.known[c.model.Name]; v != nil && (complete[0].Pass != v.Pass || complete[0].WeakestR != v.WeakestR) {
			t.Errorf("%s without guesses: %+v, its verdict %+v", c.model.Name, complete[0], v)
		}
	}
}

// TestAdmits: the parameters of a model must be those of the bank.
func TestAdmits(t *testing.T) {
	b := &bank.Bank{Settings: bank.Settings{Model: "ddm"}}
	open := func(name string) *catalog.Model {
		m, err := catalog.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	if err := Admits(open("expr2"), b, nil); err != nil {
		t.Error(err)
	}
	if err := Admits(open("lognormal"), b, nil); err == nil || !strings.Contains(err.Error(), "its parameters are not those of ddm") {
		t.Error(err)
	}
	found, err := catalog.Parse("model form {\n trial rt\n param v in [-3, 3]\n param a in [0.3, 2]\n loglik = v - a*rt\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	if err := Admits(found, b, Judged{"form": {}}); err != nil {
		t.Errorf("of a front whose model Forms has compared: %v", err)
	}
	if err := Admits(found, b, nil); err == nil {
		t.Error("a model without a simulator is admitted")
	}
}
