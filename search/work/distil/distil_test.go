package distil_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"likc/runtime/model/catalog"
	_ "likc/runtime/model/plugins" // evaluations in another process would take most of the time
	"likc/search/work/distil"
)

func small() distil.Settings {
	s := distil.Default()
	s.Vectors, s.Search.Tests, s.Terms, s.Search.Runs = 40, 60, 8, 1
	s.Subjects, s.Trials = 8, 100
	return s
}

func open(t *testing.T, name string) *catalog.Model {
	t.Helper()
	m, err := catalog.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func read(t *testing.T, dir, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestWald distils the density of a first passage over one boundary once, on one thread, for all that is shown of it.
func TestWald(t *testing.T) {
	wald, dir := open(t, "shifted_wald"), t.TempDir()
	s := small()
	s.Threads = 1
	summary, err := distil.Run(context.Background(), wald, dir, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("found in closed form", func(t *testing.T) { closedForm(t, dir, s, summary) })
	t.Run("nothing is done again", func(t *testing.T) { again(t, wald, dir, s, summary) })
	t.Run("same bytes on three threads", func(t *testing.T) { sameBytes(t, wald, dir, s) })
	t.Run("same bytes after an interruption", func(t *testing.T) { interrupted(t, wald, dir, s) })
	t.Run("vectors and terms", func(t *testing.T) { vectorsAndTerms(t, wald, s) })
	t.Run("other numbers of trials", func(t *testing.T) { also(t, wald, dir, s) })
}

// closedForm compares the formula that was found with the density.
func closedForm(t *testing.T, dir string, s distil.Settings, summary *distil.Summary) {
	if !(summary.KLMedian < 1e-4) || summary.Size > 24 || summary.Subjects != s.Subjects || len(summary.Params) != 3 {
		t.Errorf("found %+v", summary)
	}
	if summary.Gradient <= 0 || summary.Other <= 0 {
		t.Errorf("a gradient takes %v µs, and by the density %v", summary.Gradient, summary.Other)
	}
	for _, want := range []string{"What each term carries", "drift", "likc fit formula.lik"} {
		if !bytes.Contains(read(t, dir, distil.ReportFile), []byte(want)) {
			t.Errorf("the report has no %q", want)
		}
	}
	f := open(t, filepath.Join(dir, distil.FormulaFile))
	if !f.Normalise || !f.Of("shifted_wald") {
		t.Errorf("the formula is normalised: %v; its simulator: %v", f.Normalise, f.Model.Simulator)
	}
	// up to a constant it is log b - log(2π τ³)/2 - (b - v τ)²/2τ
	exact := func(rt, v, b, t float64) float64 {
		tau := rt - t
		return -1.5*math.Log(tau) - (b-v*tau)*(b-v*tau)/(2*tau)
	}
	for _, at := range [][3]float64{{2, 1, 0.3}, {0.5, 3, 0}, {6, 2, 0.8}} {
		v, b, onset := at[0], at[1], at[2]
		f := func(rt float64) float64 { return tape(f.Model).at(rt, []float64{v, b, onset}) }
		first, last := onset+0.6*b/v, onset+1.7*b/v
		if got, want := f(last)-f(first), exact(last, v, b, onset)-exact(first, v, b, onset); !(math.Abs(got-want) < 0.02*(1+math.Abs(want))) {
			t.Errorf("at %v: the log densities differ by %v, want %v", at, got, want)
		}
	}
}

// again runs in the same folder: the file holds the formula, and all is found done.
func again(t *testing.T, wald *catalog.Model, dir string, s distil.Settings, summary *distil.Summary) {
	before := read(t, dir, distil.FrontFile)
	s.Progress = func(stage string, done, of int) {
		if stage == "search" {
			t.Error("searched again")
		}
	}
	again, err := distil.Run(context.Background(), wald, dir, s)
	if err != nil || again.Formula != summary.Formula || again.Seconds != summary.Seconds || !bytes.Equal(before, read(t, dir, distil.FrontFile)) {
		t.Errorf("again: %+v, %v", again, err)
	}
}

// vectorsAndTerms searches with fewer terms, and then in the same folder with fewer parameter vectors, which gives other coefficients.
func vectorsAndTerms(t *testing.T, wald *catalog.Model, s distil.Settings) {
	dir, steps := t.TempDir(), 0
	s.Subjects, s.Terms = 0, 3
	s.Progress = func(stage string, _, of int) {
		if stage == "search" {
			steps = of
		}
	}
	var fronts [2][]byte
	for i := range fronts {
		if _, err := distil.Run(context.Background(), wald, dir, s); err != nil {
			t.Fatal(err)
		}
		fronts[i] = regexp.MustCompile(`"settings":"\w+"`).ReplaceAll(read(t, dir, distil.FrontFile), nil)
		s.Vectors /= 2
	}
	if steps != 2*s.Terms || bytes.Equal(fronts[0], fronts[1]) {
		t.Errorf("%d steps, want %d; the fronts are equal: %v", steps, 2*s.Terms, bytes.Equal(fronts[0], fronts[1]))
	}
}

// sameBytes distils again on three threads: files do not depend on the number of threads, but for the seconds that it took.
func sameBytes(t *testing.T, wald *catalog.Model, dir string, s distil.Settings) {
	other := t.TempDir()
	s.Threads = 3
	if _, err := distil.Run(context.Background(), wald, other, s); err != nil {
		t.Fatal(err)
	}
	compare(t, dir, other)
	var keys map[string]any
	if err := json.Unmarshal(read(t, dir, distil.SummaryFile), &keys); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"honest", "kl_median", "size", "reference", "cpu_seconds"} {
		if _, ok := keys[key]; !ok {
			t.Errorf("summary.json lacks %s", key)
		}
	}
}

// compare compares the files of two folders that must be the same.
func compare(t *testing.T, dir, other string) {
	t.Helper()
	for _, file := range []string{distil.FormulaFile, distil.FrontFile, "verdicts.jsonl", "final.jsonl"} {
		if a, b := read(t, dir, file), read(t, other, file); !bytes.Equal(a, b) {
			t.Errorf("%s: %s\n%s", file, a, b)
		}
	}
}

// interrupted distils again, and is interrupted in the search and in both judgings: files are the same, and no finished subject is fitted again.
func interrupted(t *testing.T, wald *catalog.Model, dir string, s distil.Settings) {
	other := t.TempDir()
	for _, stop := range []string{"search", "judge", "judge the chosen"} {
		ctx, cancel := context.WithCancel(context.Background())
		s.Progress = func(stage string, done, _ int) {
			if stage == stop && done > 2 {
				cancel()
			}
		}
		if _, err := distil.Run(ctx, wald, other, s); err == nil {
			t.Errorf("%s: not interrupted", stop)
		}
	}
	first := -1
	s.Progress = func(stage string, done, _ int) {
		if stage == "judge the chosen" && first < 0 {
			first = done
		}
	}
	if _, err := distil.Run(context.Background(), wald, other, s); err != nil {
		t.Fatal(err)
	}
	if first < 3 {
		t.Errorf("it goes on after %d subjects of the second bank, want 3 or more", first)
	}
	compare(t, dir, other)
}

// also judges the chosen formula with other numbers of trials, too, and the files say what was found.
func also(t *testing.T, wald *catalog.Model, dir string, s distil.Settings) {
	s.Also = []int{30, 60}
	summary, err := distil.Run(context.Background(), wald, dir, s)
	if err != nil {
		t.Fatal(err)
	}
	if len(summary.Also) != 2 || summary.Also[0].Trials != 30 || !strings.Contains(summary.Verdict(), "With 60 trials: "+string(summary.Also[1].Honest)) {
		t.Errorf("%+v: %s", summary.Also, summary.Verdict())
	}
	for trials, want := range map[string]string{"30": `"trials":30`, "60": `"trials":60`} {
		if text := read(t, dir, "final-"+trials+".jsonl"); !bytes.Contains(text, []byte(want)) {
			t.Errorf("final-%s.jsonl: %s", trials, text)
		}
	}
	if page := read(t, dir, distil.ReportFile); !bytes.Contains(page, []byte("<td>30</td>")) {
		t.Error("the report says nothing of 30 trials")
	}
	s.Subjects, s.Trials, s.Also = 4, 40, nil // verdicts on other subjects take the place of the old ones
	if summary, err = distil.Run(context.Background(), wald, dir, s); err != nil || summary.Subjects != 4 || summary.Trials != 40 {
		t.Errorf("with other subjects: %v, %+v", err, summary)
	}
}

// TestLate: when the time is up at once, there is a formula, and the files say that the search was not done.
func TestLate(t *testing.T) {
	dir, s := t.TempDir(), small()
	s.Limit, s.Subjects = 1, 0
	summary, err := distil.Run(context.Background(), open(t, "angle"), dir, s)
	if err != nil {
		t.Fatal(err)
	}
	const want = "--time ended the search"
	if !summary.Late || !strings.Contains(summary.Verdict(), want) || !(summary.KLMean < 3) {
		t.Errorf("%+v: %s", summary, summary.Verdict())
	}
	for _, file := range []string{distil.FormulaFile, distil.ReportFile} {
		if !bytes.Contains(read(t, dir, file), []byte(want)) {
			t.Errorf("%s does not say it", file)
		}
	}
}

// TestRefuses: what is a formula already, or has columns besides the response time, is no process to distil.
func TestRefuses(t *testing.T) {
	for _, name := range []string{"expr2", "wald"} {
		if _, err := distil.Run(context.Background(), open(t, name), t.TempDir(), small()); err == nil {
			t.Errorf("%s was distilled", name)
		}
	}
}
