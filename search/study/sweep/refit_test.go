package sweep

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"likc/runtime/model/front"
	"likc/runtime/num/finite"
	"likc/search/study/judge"
)

// verdict returns a verdict on an expression of a search, with the given weakest r and further changes.
func verdict(expr string, lambda float64, seed uint64, weakest float64, change ...func(*judge.Verdict)) *judge.Verdict {
	v := &judge.Verdict{Model: expr, Bank: "test-60", Method: "nuts", Settings: "standard", File: "F.jsonl", Lambda: finite.Number(lambda), Seed: seed,
		Expr: expr, Simplified: expr, Search: &front.Search{Line: front.Line{Model: "ddm"}}, Pass: weakest > 0.5, WeakestR: finite.Number(weakest), Fitted: 60,
		Params: []judge.Param{{Name: "v", R: finite.Number(weakest)}}}
	if v.Pass {
		v.Recovered = []string{"v"}
	}
	for _, f := range change {
		f(v)
	}
	return v
}

func of(t *testing.T, lambda float64, verdicts ...*judge.Verdict) *Result {
	t.Helper()
	s := Search{Lambda: lambda, Seed: 1, Judge: judgeOf(verdicts[0]), verdicts: verdicts, Expressions: expressions(verdicts)}
	r, err := New([]Search{s}, Settings{Resamples: 50, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// twenty returns verdicts on the forms f0 … f19 with weakest r 0, 0.05, …. Near the criterion are 0.40 to 0.60, so f8 to f12. f19
// and f18 have the most divergences, f0 and f19 the highest share of large R-hat. f3 could not be fitted.
func twenty() []*judge.Verdict {
	var all []*judge.Verdict
	for i := range 20 {
		all = append(all, verdict(fmt.Sprintf("f%d", i), 1, 1, 0.05*float64(i), func(v *judge.Verdict) {
			v.Divergences, v.RhatShare = i, 0.1
			switch i {
			case 0, 19:
				v.RhatShare = 0.9
			case 3:
				v.WeakestR, v.Divergences, v.RhatShare = finite.Number(math.NaN()), 999, 1
			}
		}))
	}
	return all
}

func TestDoubtful(t *testing.T) {
	r := of(t, 1, twenty()...)
	forms, why := Doubtful(append(r.Pool, r.Pool...)) // forms count once
	names := ""
	for _, e := range forms {
		names += e.Text + " "
	}
	if names != "f0 f8 f9 f10 f11 f12 f18 f19 " {
		t.Errorf("forms %s", names)
	}
	for name, want := range map[string]string{"f0": LeastMixed, "f8": NearCriterion, "f12": NearCriterion, "f18": MostDivergent,
		"f19": MostDivergent + LeastMixed} {
		if got := strings.Join(why[name], ""); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	lines := r.RefitList()
	if len(lines) != 8 || lines[0].Expr != "f0" || lines[0].Model != "ddm" || lines[0].Lambda != 1 {
		t.Errorf("lines %+v", lines)
	}
	if lines := of(t, 1, verdict("f", 1, 1, 0.9)).RefitList(); len(lines) != 0 {
		t.Errorf("nothing to doubt: %+v", lines)
	}
}

// TestAddLong: with longer chains f8 (0.40) passes, f12 (0.60) no longer passes, and f9 and f19 stay the same. A form that is not
// in the pool is ignored.
func TestAddLong(t *testing.T) {
	r := of(t, 1, twenty()...)
	long := func(expr string, weakest float64) *judge.Verdict {
		return verdict(expr, 1, 1, weakest, func(v *judge.Verdict) { v.Settings, v.RhatShare, v.Limited = "long", 0.05, len(expr)-2 })
	}
	if err := r.AddLong([]*judge.Verdict{long("f8", 0.56), long("f12", 0.48), long("f9", 0.46), long("f19", 0.95), long("other", 1)}); err != nil {
		t.Fatal(err)
	}
	want := []struct {
		name                      string
		forms, gained, lost, same int
		median, before            float64
	}{
		{"all", 4, 1, 1, 2, 0.005, 0.3}, // shifts −0.12, 0, 0.01, 0.16; R-hat 0.1, 0.1, 0.1, 0.9
		{NearCriterion, 3, 1, 1, 1, 0.01, 0.1},
		{MostDivergent, 1, 0, 0, 1, 0, 0.9},
		{LeastMixed, 1, 0, 0, 1, 0, 0.9},
	}
	for i, g := range r.Refit.Groups {
		w := want[i]
		if g.Name != w.name || g.Forms != w.forms || g.Gained != w.gained || g.Lost != w.lost || g.Same != w.same ||
			!near(g.Median, w.median) || !near(g.RhatShare[0], w.before) || !near(g.RhatShare[1], 0.05) {
			t.Errorf("%+v, want %+v", g, w)
		}
	}
	if g := r.Refit.Groups; g[0].Limited != 2 || g[1].Limited != 1 || g[2].Limited != 1 { // f12 and f19 have three letters
		t.Errorf("cut short: %+v", g)
	}
	// Between order statistics: 5% of three steps is 0.15 of the first, which goes from −0.12 to 0.
	if i := r.Refit.Groups[0].Interval; !near(i[0], -0.12+0.15*0.12) || !near(i[1], 0.16-0.15*0.15) {
		t.Errorf("interval %v", i)
	}
	for name, list := range map[string][]*judge.Verdict{
		"as the others": {verdict("f8", 1, 1, 0.5)},
		"the same bank": {verdict("f8", 1, 1, 0.5, func(v *judge.Verdict) { v.Settings, v.Bank = "long", "holdout-90" })},
		"no form has":   {long("other", 1)},
	} {
		if err := r.AddLong(list); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("want %s…: %v", name, err)
		}
	}
}

func near(x finite.Number, want float64) bool { return math.Abs(float64(x)-want) < 1e-9 }

// TestAddScreen: at λ 0, the screen passes b, which NUTS does not. At λ 1, it does not pass c, which NUTS does, and agrees on d.
func TestAddScreen(t *testing.T) {
	zero := []*judge.Verdict{verdict("a", 0, 1, 0.1), verdict("b", 0, 1, 0.2)}
	one := []*judge.Verdict{verdict("c", 1, 1, 0.7), verdict("d", 1, 1, 0.8)}
	r, err := New([]Search{
		{Lambda: 0, Seed: 1, verdicts: zero, Expressions: expressions(zero)},
		{Lambda: 1, Seed: 1, verdicts: one, Expressions: expressions(one)}}, Settings{Resamples: 10})
	if err != nil {
		t.Fatal(err)
	}
	var screen []*judge.Verdict
	for i, weakest := range []float64{0, 0.9, 0.3, 0.8} {
		v := *slices.Concat(zero, one)[i]
		v.Method, v.Bank, v.Pass, v.WeakestR, v.Recovered = "map", "screen-40", weakest > 0.5, finite.Number(weakest), nil
		if v.Pass {
			v.Recovered = []string{"v"}
		}
		screen = append(screen, &v)
	}
	if err := r.AddScreen(screen); err != nil {
		t.Fatal(err)
	}
	s := r.Screen
	if len(s.Rows) != 2 || s.Rows[0].Share != 0.5 || s.Rows[1].Share != 0.5 || s.Rows[0].Pass != [2][2]int{{1, 0}, {1, 0}} ||
		s.Rows[1].Pass != [2][2]int{{0, 1}, {0, 1}} || s.All.Common != 4 || len(s.All.Differ) != 2 || s.All.Same != 0.5 {
		t.Errorf("screen %+v", s)
	}
	if err := r.AddScreen(one); err == nil || !strings.Contains(err.Error(), "--screen") {
		t.Errorf("full posteriors as a screen: %v", err)
	}
}
