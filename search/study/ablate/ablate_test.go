package ablate

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"likc/compiler/expr"
	"likc/compiler/syntax"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/num/finite"
	"likc/search/study"
	"likc/search/study/bank"

	"github.com/google/go-cmp/cmp"
)

// parsed returns an expression of the drift-diffusion model.
func parsed(t *testing.T, text string) *catalog.Model {
	t.Helper()
	header, err := catalog.Header("ddm")
	if err != nil {
		t.Fatal(err)
	}
	m, err := syntax.ParseExpr(text, header)
	if err != nil {
		t.Fatal(err)
	}
	return catalog.OfExpression(m)
}

func open(t *testing.T, name string) *catalog.Model {
	t.Helper()
	m, err := catalog.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func newBank(t *testing.T, subjects, trials int) *bank.Bank {
	t.Helper()
	s, err := bank.NewSettings("test-60", "ddm", "", 3)
	if err != nil {
		t.Fatal(err)
	}
	s.Subjects, s.Trials, s.Simulated = subjects, trials, trials
	b, err := bank.Make(context.Background(), s, 1)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestTerms: each term is found once, longest first. Numbers, symbols and the first parts of sums and products are not terms.
func TestTerms(t *testing.T) {
	for _, c := range []struct {
		text   string
		leaves bool
		want   []string // terms of the formula; a * marks a term that depends only on parameters
	}{
		{"v*a + 3*(exp(z) - t) - exp(z)^2", false, []string{"exp(z)^2*", "3 * (exp(z) - t)*", "exp(z) - t*", "exp(z)", "v * a*"}},
		{"v*a*z*(rt - t)", false, []string{"rt - t"}},
		{"if(rt < 1, a*v, log(z)) + t", false, []string{"if(rt < 1, a * v, log(z))*", "log(z)", "a * v"}},
		{"-(a/2) + v", true, []string{"v*", "-(a / 2)*", "a / 2*", "2", "a*"}},
	} {
		f, err := newFormula(parsed(t, c.text), c.leaves)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, n := range f.terms {
			text := f.text(n)
			if f.outer[n] {
				text += "*"
			}
			got = append(got, text)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.text, d)
		}
	}
}

// TestNames: a term that the model names is written with its name, and the named expression is a term too.
func TestNames(t *testing.T) {
	f, err := newFormula(open(t, "expr2"), false)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range f.terms {
		got = append(got, f.text(n))
	}
	for _, want := range []string{"D / tau - v", "tau", "D", "exp(z^2)"} {
		if !slices.Contains(got, want) {
			t.Errorf("terms %q, want %s among them", got, want)
		}
	}
}

// TestRefused: models without terms, and calibrated ones, are refused.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		m    *catalog.Model
		want string
	}{
		{open(t, "ddm"), "ddm is an exact density, expected an expression"},
		{open(t, "wald_calibrated"), "is calibrated"},
		{parsed(t, "v"), "has no terms"},
	} {
		if _, err := newFormula(c.m, false); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.m.Name, err, c.want)
		}
	}
}

// TestReplacements: 0, 1 and the mean replace each term everywhere. The mean is computed by hand, with the reflection of the
// drift-diffusion model. Replacements that are not finite are omitted.
func TestReplacements(t *testing.T) {
	b := newBank(t, 8, 50)
	f, err := newFormula(parsed(t, "exp(v*z)*a - (v*z)*t + 1/(z - 1)"), false)
	if err != nil {
		t.Fatal(err)
	}
	sum, n := 0.0, 0.0
	for _, s := range b.Subjects {
		for _, c := range s.Choice {
			v, z := s.Theta[0], s.Theta[2]
			if c < 0 {
				v, z = -v, 1-z
			}
			sum, n = sum+v*z, n+1
		}
	}
	mean := expr.Literal(expr.Rounded(sum/n, 4))
	got := map[string]bool{}
	forms, all := f.replace(b)
	for _, r := range all {
		got[f.text(f.terms[r.term])+" = "+r.by+": "+forms[r.form].model.LogLik.String()] = true
	}
	for _, want := range []string{
		"v * z = 0: exp(0) * a - 0 * t + 1 / (z - 1)",
		"v * z = 1: exp(1) * a - 1 * t + 1 / (z - 1)",
		"v * z = mean: exp(" + mean + ") * a - " + mean + " * t + 1 / (z - 1)",
		"exp(v * z) = 0: 0 - v * z * t + 1 / (z - 1)", // the same formula as for exp(v * z) * a = 0
		"exp(v * z) * a = 0: 0 - v * z * t + 1 / (z - 1)",
		"z - 1 = 1: exp(v * z) * a - v * z * t + 0", // the same formula as for 1 / (z - 1) = 0
	} {
		if !got[want] {
			t.Errorf("%s is not among the replacements", want)
		}
	}
	for text := range got {
		if strings.HasPrefix(text, "z - 1 = 0") || strings.HasPrefix(text, "exp(v * z) * a = 1") {
			t.Errorf("%s is not finite, or has the same posterior as another", text)
		}
	}
}

// TestFormsOnce: replacements with the same posterior are one form. A replacement that changes nothing is the complete formula.
func TestFormsOnce(t *testing.T) {
	f, err := newFormula(parsed(t, "v*(a - rt)^2 + sqrt(exp(z)*exp(z)) - exp(t)^0"), false)
	if err != nil {
		t.Fatal(err)
	}
	forms, all := f.replace(newBank(t, 8, 20))
	of := map[string]int{}
	for _, r := range all {
		of[f.text(f.terms[r.term])+" = "+r.by] = r.form
	}
	for pair, same := range map[[2]string]bool{
		{"v * (a - rt)^2 = 0", "a - rt = 0"}: true,
		{"a - rt = 0", "(a - rt)^2 = 0"}:     true,
		{"a - rt = 1", "a - rt = 0"}:         false,
		{"exp(z) = 0", "exp(z) = 1"}:         true,
	} {
		if (of[pair[0]] == of[pair[1]]) != same {
			t.Errorf("%s is form %d, and %s form %d", pair[0], of[pair[0]], pair[1], of[pair[1]])
		}
	}
	if of["exp(t) = 1"] != 0 || forms[0].model.LogLik != f.LogLik {
		t.Errorf("exp(t)^0 with 1 in the place of exp(t) is form %d, want the whole formula", of["exp(t) = 1"])
	}
}

// TestOuter: for terms that are only added, another number changes the log density by a constant.
func TestOuter(t *testing.T) {
	f, err := newFormula(parsed(t, "v*a*2 - (exp(z) - a/(rt - t))/3 - -(z*t)"), false)
	if err != nil {
		t.Fatal(err)
	}
	outer := 0
	for _, n := range f.terms {
		if !f.outer[n] {
			continue
		}
		outer++
		zero, five := expr.NewTape(f.symbols(), f.without(n, 0).LogLik), expr.NewTape(f.symbols(), f.without(n, 5).LogLik)
		difference := func(values ...float64) float64 {
			a, _ := zero.Eval(nil, values)
			b, _ := five.Eval(nil, values)
			return a[0] - b[0]
		}
		one, other := difference(1, 0.5, 1, 0.4, 0.3, 1), difference(0.7, -2, 2, 0.8, 0.1, -1)
		if math.Abs(one-other) > 1e-12 {
			t.Errorf("%s: the log density changes by %v and by %v", f.text(n), one, other)
		}
	}
	if outer != 7 {
		t.Errorf("%d terms are only added, want 7", outer)
	}
}

// drift is the density of a first passage of one boundary. Its term v*(rt - t) determines v.
const drift = "log(a*(1 - z)) - 1.5*log(rt - t) - (2*a*(1 - z) - v*(rt - t))^2/(2*(rt - t))"

// short returns settings of a short test.
func short() Settings {
	return Settings{Subjects: 12, Sampling: study.Sampling{Chains: 1, Warmup: 60, Draws: 60}, MaxGradients: 3000, Seed: 1}
}

// study12 returns an ablation of two terms of the formula, on twelve subjects. It is interpreted, because building takes longer
// than fitting.
func study12(t *testing.T) *ablation {
	t.Helper()
	st, err := newAblation(parsed(t, drift), newBank(t, 12, 40), short())
	if err != nil {
		t.Fatal(err)
	}
	st.job.Settings.Engine = bound.Ready
	few, entries := st.replacements[:0], st.job.Entries[:1]
	for _, r := range st.replacements {
		if text := st.text(st.terms[r.term]); text == "v * (rt - t)" || text == "log(a * (1 - z))" {
			entries = append(entries, st.job.Entries[r.form])
			r.form = len(entries) - 1
			few = append(few, r)
		}
	}
	st.replacements, st.job.Entries = few, entries
	return st
}

// TestStudy: without its term, a parameter is no longer recovered, but others are. The complete formula has lost nothing. An
// interrupted and resumed study writes the same bytes as an uninterrupted one, on any number of threads.
func TestStudy(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	st := study12(t)
	if err := st.judge(t.Context(), study.Where{Folder: dir, Threads: 2}); err != nil {
		t.Fatal(err)
	}
	sum := st.summarise(short())
	if sum.Whole.Carried != 0 || sum.Whole.WorstRatio() != 1 {
		t.Errorf("the whole formula has lost %v, its errors are %v times its own", sum.Whole.Carried, sum.Whole.WorstRatio())
	}
	for i := range sum.Terms {
		if term := &sum.Terms[i]; term.Text == "v * (rt - t)" {
			if p := term.Replacements[0].Params; !(p[0].Carried > 0.7) || !(p[3].Carried < 0.4) {
				t.Errorf("%s carries %v of v and %v of t", term.Text, p[0].Carried, p[3].Carried)
			}
		}
	}
	if !slices.IsSortedFunc(sum.Terms, func(a, b Term) int { return int(math.Copysign(1, float64(b.Carried-a.Carried))) }) {
		t.Error("the terms are not in the order of what they carry")
	}
	ctx, stop := context.WithCancel(t.Context())
	broken := study12(t)
	err := broken.judge(ctx, study.Where{Folder: other, Threads: 1, Progress: func(_, _ string, done, _ int) {
		if done == 30 {
			stop()
		}
	}})
	if err == nil || !strings.Contains(err.Error(), "candidates are kept in") {
		t.Fatalf("interrupted: %v", err)
	}
	if err := study12(t).judge(t.Context(), study.Where{Folder: other, Threads: 1}); err != nil {
		t.Fatal(err)
	}
	peace, _ := os.ReadFile(filepath.Join(dir, "ddm.jsonl"))
	resumed, _ := os.ReadFile(filepath.Join(other, "ddm.jsonl"))
	if len(peace) == 0 || string(peace) != string(resumed) {
		t.Errorf("%d bytes in peace, %d after an interrupt", len(peace), len(resumed))
	}
	if _, err := st.draw(sum); err != nil {
		t.Error(err)
	}
}

// TestPassage: the bar of a term is below the bars of the terms that contain it, and spans the term's letters.
func TestPassage(t *testing.T) {
	f, err := newFormula(parsed(t, "(v*a + exp(z - t))/rt"), false)
	if err != nil {
		t.Fatal(err)
	}
	dark := map[*expr.Expr]float64{}
	for _, n := range f.terms {
		dark[n] = 0.5
	}
	p := (&ablation{formula: f}).passage("f = ", f.LogLik, dark)
	got := map[string]int{}
	for _, s := range p.Shades {
		got[p.Text[s.From:s.To]] = s.Row
	}
	if d := cmp.Diff(map[string]int{"v * a + exp(z - t)": 0, "v * a": 1, "exp(z - t)": 1, "z - t": 2}, got); d != "" {
		t.Errorf("%s: %s", p.Text, d)
	}
}

// TestCarried: carried is 0 for errors as large as the complete formula's or smaller, 1 for errors as large as with one guess,
// and on a log scale between them.
func TestCarried(t *testing.T) {
	for _, c := range []struct{ ratio, most, want float64 }{{1, 9, 0}, {0.9, 9, 0}, {3, 9, 0.5}, {9, 9, 1}, {20, 9, 1}, {math.NaN(), 9, 1}, {2, 0.9, 0}} {
		if got := carried(c.ratio, c.most); math.Abs(float64(got)-c.want) > 1e-12 {
			t.Errorf("errors %v times as large, %v at most: carried %v, want %v", c.ratio, c.most, got, c.want)
		}
	}
}

// TestLost: a parameter that the complete formula does not recover or cover either is not lost.
func TestLost(t *testing.T) {
	param := func(name string, recovered bool, covered finite.Number) Param {
		return Param{Name: name, Recovered: recovered, Covered: covered}
	}
	whole := &Outcome{Params: []Param{param("v", true, 0.9), param("a", true, 0.5), param("z", false, 0.85)}}
	less := &Outcome{Params: []Param{param("v", false, 0.9), param("a", true, 0.4), param("z", false, 0.99)}}
	if recovery, coverage := less.Lost(whole); !slices.Equal(recovery, []string{"v"}) || !slices.Equal(coverage, []string{"z"}) {
		t.Errorf("lost: recovery of %v, coverage of %v", recovery, coverage)
	}
}
