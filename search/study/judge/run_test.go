package judge

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"likc/compiler/expr"
	"likc/compiler/syntax"
	"likc/runtime/model/catalog"
	"likc/runtime/model/front"
	"likc/runtime/model/kernel"
	"likc/runtime/model/ssm"
	"likc/runtime/num/finite"
	"likc/runtime/sys/store"
	"likc/search/study/bank"
)

// found returns entries of testdata/found.jsonl. Its expressions are like those that a search finds: the paper's five, with one
// to three subtrees replaced by random ones, and finite at nine tenths of the trials.
func found(t testing.TB, n int) []Entry {
	t.Helper()
	lines, err := front.ReadFile("testdata/found.jsonl", catalog.Headers)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]Entry, n)
	for i := range all {
		if all[i], err = OfLine(&lines[i]); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// parsed returns an expression of the ddm as an entry.
func parsed(t *testing.T, text string) Entry {
	t.Helper()
	header, err := catalog.Header("ddm")
	if err != nil {
		t.Fatal(err)
	}
	m, err := syntax.ParseExpr(text, header)
	if err != nil {
		t.Fatal(err)
	}
	return Entry{Name: text, Model: catalog.OfExpression(m)}
}

// mixed returns entries of every kind: duplicates, candidates that cannot be fitted or bound, and a density that is not an
// expression.
func mixed(t *testing.T, b *bank.Bank) []Entry {
	all := found(t, 6)
	all = append(all, parsed(t, "log(-a) + v*z*t*rt"), all[1], parsed(t, "v*t*z - a*(rt - t)"), parsed(t, "z*v*t + (t - rt)*a"))
	return append(all, density("broken", func(rt, choice []float64) (kernel.Sum, error) { return nil, errors.New("will not bind") }),
		density("panics", func(rt, choice []float64) (kernel.Sum, error) { panic("broken code") }),
		density("ddm", ssm.DDM.Bind))
}

// density returns an entry without an expression.
func density(name string, bind binding) Entry {
	return Entry{Name: name, Model: catalog.OfTeacher(name, ssm.DDM, bind, "")}
}

type binding func(rt, choice []float64) (kernel.Sum, error)

func (binding) Dim() int { return ssm.DDM.Dim() }

func (b binding) Sum(t kernel.Trials) (kernel.Sum, error) { return b(t.Columns[0], t.Choice) }

func (b binding) Rows(kernel.Trials) (kernel.Rows, error) {
	panic("not asked for")
}

// judgeTo judges entries into a file. If stop is not negative, it stops after that number of new verdicts.
func judgeTo(t *testing.T, path string, entries []Entry, b *bank.Bank, s Settings, stop int) {
	t.Helper()
	s.Fits = false
	hash := s.Hash(b, nil)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	j := &Job{Entries: entries, Bank: b, Settings: s, Hash: hash, Output: path}
	if stop >= 0 {
		s.Progress = func(int, int) {
			// Threads that are at work append to j.Verdicts; the file has what they stored.
			if text, _ := os.ReadFile(path); bytes.Count(text, []byte("\n"))-j.Kept >= stop {
				cancel()
			}
		}
		j.Settings = s
	}
	err := j.Run(ctx)
	if stop < 0 && err != nil || stop >= 0 && err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

func contents(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A run that is interrupted, whose last line is then cut off, and that continues with another number of threads gives the same
// bytes.
func TestResumedRunGivesTheSameBytes(t *testing.T) {
	b := smallBank(t, 9, 30)
	entries := mixed(t, b)
	s := quick()
	s.Warmup, s.Draws = 60, 40
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole.jsonl")
	judgeTo(t, whole, entries, b, s, -1)
	want := contents(t, whole)
	if n := bytes.Count(want, []byte("\n")); n != len(entries) {
		t.Fatalf("%d lines for %d candidates", n, len(entries))
	}
	s.Threads = 3
	path := filepath.Join(dir, "parts.jsonl")
	judgeTo(t, path, entries, b, s, 2)
	text := contents(t, path)
	if err := errors.Join(os.WriteFile(path, text[:len(text)-7], 0o644), os.Remove(path+store.SumEnding)); err != nil {
		t.Fatal(err)
	}
	judgeTo(t, path, entries, b, s, 7) // a duplicate of what an earlier run judged comes next
	judgeTo(t, path, entries, b, s, -1)
	if got := contents(t, path); !bytes.Equal(got, want) {
		t.Errorf("in parts:\n%s\nwant\n%s", got, want)
	}
	checkMixed(t, whole)
}

// checkMixed checks the verdicts on the entries that mixed returns.
func checkMixed(t *testing.T, path string) {
	all, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range map[int]string{6: "no start with a finite density", 10: "will not bind", 11: "broken code"} {
		if v := all[i]; v.Pass || !strings.Contains(v.Reason, want) || v.Failed < 5 || len(v.Params) != 4 || !math.IsNaN(float64(v.WeakestR)) {
			t.Errorf("candidate %d: %q, failed %d, weakest %v: want %s", i+1, v.Reason, v.Failed, v.WeakestR, want)
		}
	}
	first, again := all[1], all[7]
	if again.Duplicate != 2 || again.Line != first.Line || again.WeakestR != first.WeakestR || again.Seed != 2 {
		t.Errorf("a duplicate: %+v of %+v", again, first)
	}
	if all[9].Duplicate != 9 || all[8].Duplicate != 0 || all[8].Simplified != all[9].Simplified {
		t.Errorf("equal forms: %+v and %+v", all[8], all[9])
	}
	if v := all[0]; v.Lambda != 1 || v.Seed != 1 || v.Tier == "" || v.Size != 22 || v.Fitted != 9 {
		t.Errorf("a candidate of a front: %+v", v)
	}
	if s := Summarise(all); s.Candidates != 13 || s.Unique != 11 || s.All.Searches != 6 || len(s.Lambdas) != 1 || s.GivenUp != 3 {
		t.Errorf("summary: %+v", s)
	}
}

// Compilation failures are verdicts, too.
func TestCandidateThatDoesNotCompile(t *testing.T) {
	b := smallBank(t, 3, 20)
	bad := parsed(t, "v*a*z*(rt - t)")
	bad.Model.LogLik = expr.New(expr.Mul, bad.Model.LogLik, expr.Var("nowhere"))
	s := quick()
	j := &Job{Entries: []Entry{bad, found(t, 1)[0]}, Bank: b, Settings: s}
	err := j.Run(t.Context())
	all := j.Verdicts
	if err != nil || len(all) != 2 {
		t.Fatal(len(all), err)
	}
	if v := all[0]; v.Pass || v.Reason == "" || v.Fitted != 0 {
		t.Errorf("%+v", v)
	}
	if v := all[1]; v.Fitted != 3 || v.Failed != 0 {
		t.Errorf("its neighbour: %+v", v)
	}
}

// The limit on gradients ends a fit at the same point on every machine.
func TestLimit(t *testing.T) {
	b := smallBank(t, 10, 30)
	s := quick()
	s.MaxGradients = 150 // too few gradients for a warm-up
	v, err := Judge(context.Background(), exactCandidate(b), b, s)
	if err != nil {
		t.Fatal(err)
	}
	if v.Pass || v.Fitted != 5 || v.Limited != 5 || !strings.Contains(v.Reason, "limit") {
		t.Errorf("%+v", v)
	}
	for _, f := range v.Fits { // the first chain has no draw, so the second is not begun
		if f.Gradients < 50 || f.Gradients > 76 {
			t.Errorf("subject %d: %d gradients of a chain's 75", f.Subject, f.Gradients)
		}
	}
	s.MaxGradients = 0
	free, err := Judge(context.Background(), exactCandidate(b), b, s)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range free.Fits { // the longest is cut short among its draws
		s.MaxGradients = max(s.MaxGradients, f.Gradients*97/100)
	}
	v, err = Judge(context.Background(), exactCandidate(b), b, s)
	if err != nil || v.Failed != 0 || v.Limited == 0 || v.Fitted != 10 {
		t.Errorf("limited %d, failed %d of %d: %v", v.Limited, v.Failed, v.Fitted, err)
	}
}

func TestScreen(t *testing.T) {
	b := smallBank(t, 12, 200)
	s := quick()
	s.Screen = true
	v, err := Judge(context.Background(), exactCandidate(b), b, s)
	if err != nil {
		t.Fatal(err)
	}
	if !v.Pass || v.Method != "map" || v.Failed != 0 || !math.IsNaN(float64(v.Params[0].Covered)) || v.RhatHigh != 0 {
		t.Errorf("%+v", v)
	}
}

// A file of verdicts of another run is not changed.
func TestForeignFiles(t *testing.T) {
	b := smallBank(t, 3, 20)
	entries := found(t, 2)
	s := quick()
	s.Screen, s.Fits = true, false
	path := filepath.Join(t.TempDir(), "V.jsonl")
	judgeTo(t, path, entries, b, s, -1)
	text := contents(t, path)
	if err := os.Remove(path + store.SumEnding); err != nil {
		t.Fatal(err)
	}
	hash := s.Hash(b, nil)
	swapped := []Entry{entries[1], entries[0]}
	s.Seed++
	for _, c := range []struct {
		name, hash, want string
		entries          []Entry
		text             string
	}{
		{"other settings", s.Hash(b, nil), "other settings", entries, string(text)},
		{"other candidates", hash, "line 1: is on another candidate", swapped, string(text)},
		{"fewer candidates", hash, "there are 1 candidates", entries[:1], string(text)},
		{"no verdicts", hash, "not a verdict", entries, "{\"expr\":\"v\"}\n"},
		{"notes", hash, "holds no verdicts", entries, "do not lose me"},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := OpenFile(path, c.hash, c.entries, false)
		if !errors.Is(err, ErrOther) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		if got := contents(t, path); string(got) != c.text {
			t.Errorf("%s: the file changed", c.name)
		}
	}
	if f, err := OpenFile(path, hash, entries, true); err != nil || len(f.Known) != 0 {
		t.Errorf("anew: %v", err)
	}
	if err := os.WriteFile(path, append(text, "{}\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(path); err == nil || !strings.Contains(err.Error(), "V.jsonl:3: not a verdict") {
		t.Errorf("bad line: %v", err)
	}
}

func TestCompare(t *testing.T) {
	v := func(form string, pass bool, weakest float64, recovered ...string) *Verdict {
		return &Verdict{Simplified: form, Pass: pass, WeakestR: finite.Number(weakest), Recovered: recovered, Model: form}
	}
	nuts := []*Verdict{v("a", true, 0.8, "v", "a"), v("b", false, 0.3, "v"), v("c", true, 0.7, "v", "a"), v("d", false, 0.1), v("a", true, 0.8, "v", "a"), v("e", true, 0.6, "v", "a")}
	screen := []*Verdict{v("d", false, 0.2), v("c", false, 0.4, "a"), v("b", true, 0.6, "v", "a"), v("a", true, 0.9, "v", "a"), v("f", true, 0.6)}
	c, err := Compare(nuts, screen)
	if err != nil {
		t.Fatal(err)
	}
	if c.Common != 4 || c.Only != [2]int{1, 1} || c.Pass != [2][2]int{{1, 1}, {1, 1}} || len(c.Differ) != 2 || c.Differ[0].Model != "b" || c.Same != 0.5 || c.Mean != [2]float64{1.25, 1.25} {
		t.Errorf("%+v", c)
	}
	if _, err := Compare(nuts, []*Verdict{v("x", true, 1)}); err == nil {
		t.Error("nothing in common, and no error")
	}
}

// Each front without λ counts as a search.
func TestSearchesWithoutLambda(t *testing.T) {
	v := func(file, form string, pass bool) *Verdict {
		return &Verdict{File: file, Lambda: undefined(), Simplified: form, Pass: pass}
	}
	g := Summarise([]*Verdict{v("a", "x", true), v("a", "y", false), v("b", "x", true), v("b", "x", true), v("", "z", false)}).All
	if g.Searches != 2 || g.Any != 2 || g.PerSearch != 0.75 || g.Unique != 3 || g.Pass != 1 {
		t.Errorf("%+v", g)
	}
}

// The bootstrap resamples searches. With equal searches the interval has width 0; with two extreme ones it is [0, 1].
func TestBootstrap(t *testing.T) {
	if got := bootstrap([]tally{{1, 4}, {1, 4}, {1, 4}}); got[0] != 0.25 || got[1] != 0.25 {
		t.Errorf("equal searches: %v", got)
	}
	if got := bootstrap([]tally{{4, 4}, {0, 4}}); got[0] != 0 || got[1] != 1 {
		t.Errorf("unlike searches: %v", got)
	}
	many := make([]tally, 400) // a share of 1/2 by coin: its sd is 1/40
	for i := range many {
		many[i] = tally{i % 2, 1}
	}
	if got := bootstrap(many); !(math.Abs(float64(got[0])-(0.5-1.96/40)) <= 0.01) || !(math.Abs(float64(got[1])-(0.5+1.96/40)) <= 0.01) {
		t.Errorf("a coin: %v", got)
	}
	if got := bootstrap([]tally{{1, 2}}); len(got) != 0 {
		t.Errorf("one search: %v", got)
	}
}

// BenchmarkRun judges found expressions on ten of the committed subjects.
func BenchmarkRun(b *testing.B) {
	bk, err := bank.Open("../../../testdata/banks/test-60")
	if err != nil {
		b.Fatal(err)
	}
	bk.Subjects = bk.Subjects[:10]
	s := DefaultSettings()
	s.Threads, s.Fits = 2, false
	entries := found(b, 60)
	for b.Loop() {
		j := &Job{Entries: entries, Bank: bk, Settings: s}
		if err := j.Run(b.Context()); err != nil {
			b.Fatal(err)
		}
		r := &j.Report
		b.ReportMetric(r.Timing.FitsPerSecond(), "fits/s/core")
		b.ReportMetric(r.Timing.Gradient/r.Timing.Total, "gradient")
		b.ReportMetric(r.Timing.Sampler()/r.Timing.Total, "sampler")
		b.ReportMetric(r.Timing.Binding/r.Timing.Total, "binding")
		b.ReportMetric(r.Timing.Summaries/r.Timing.Total, "summaries")
		b.ReportMetric(r.Compiling, "s-compiling")
	}
}

// FuzzParse: an error of parse names the line, and verdicts that were parsed can be written again.
func FuzzParse(f *testing.F) {
	line, err := Line(&Verdict{Model: "a", Bank: "test-60", Method: "nuts", Fits: []Fit{{Truth: finite.Numbers([]float64{1}), Mean: finite.Numbers([]float64{math.NaN()})}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(line)
	f.Add([]byte(`{"model":"a","bank":"b","method":"map","params":[{"r":null}],"search":{"x":[1]}}`))
	f.Add([]byte("{}\n\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		all, err := parse(text)
		if err != nil && !strings.Contains(err.Error(), ": not a verdict") {
			t.Errorf("%v", err)
		}
		for _, v := range all {
			if _, err := Line(v); err != nil {
				t.Errorf("what was read is not written: %v", err)
			}
		}
		Summarise(all)
	})
}
