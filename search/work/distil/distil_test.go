package distil_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"likc/runtime/model/catalog"
	"likc/search/work/distil"
)

func small() distil.Settings {
	s := distil.Default()
	s.Search.Vectors, s.Search.Tests, s.Search.Terms, s.Search.Runs = 40, 60, 8, 1
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

// TestRediscoversWald: the density of a first passage over one boundary is found in closed form, the file holds it, and a second run finds
// all done.
func TestRediscoversWald(t *testing.T) {
	wald, dir := open(t, "shifted_wald"), t.TempDir()
	s := small()
	summary, err := distil.Run(context.Background(), wald, dir, s)
	if err != nil {
		t.Fatal(err)
	}
	if !(summary.KLMedian < 1e-4) || summary.Size > 24 || summary.Subjects != s.Subjects || len(summary.Params) != 3 {
		t.Errorf("found %+v", summary)
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

// TestSameBytes: files do not depend on the number of threads, but for the seconds that it took.
func TestSameBytes(t *testing.T) {
	wald := open(t, "shifted_wald")
	dirs := []string{t.TempDir(), t.TempDir()}
	for i, dir := range dirs {
		s := small()
		s.Threads = 1 + 2*i
		if _, err := distil.Run(context.Background(), wald, dir, s); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{distil.FormulaFile, distil.FrontFile, "verdicts.jsonl", "final.jsonl"} {
		if a, b := read(t, dirs[0], file), read(t, dirs[1], file); !bytes.Equal(a, b) {
			t.Errorf("%s: %s\n%s", file, a, b)
		}
	}
	var keys map[string]any
	if err := json.Unmarshal(read(t, dirs[0], distil.SummaryFile), &keys); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"honest", "kl_median", "size", "reference", "cpu_seconds"} {
		if _, ok := keys[key]; !ok {
			t.Errorf("summary.json lacks %s", key)
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

// TestAlso: the chosen formula is judged with other numbers of trials, too, and the files say what was found.
func TestAlso(t *testing.T) {
	s, dir := small(), t.TempDir()
	s.Also = []int{30, 200}
	summary, err := distil.Run(context.Background(), open(t, "shifted_wald"), dir, s)
	if err != nil {
		t.Fatal(err)
	}
	if len(summary.Also) != 2 || summary.Also[0].Trials != 30 || !strings.Contains(summary.Verdict(), "With 200 trials: "+string(summary.Also[1].Honest)) {
		t.Errorf("%+v: %s", summary.Also, summary.Verdict())
	}
	for trials, want := range map[string]string{"30": `"trials":30`, "200": `"trials":200`} {
		if text := read(t, dir, "final-"+trials+".jsonl"); !bytes.Contains(text, []byte(want)) {
			t.Errorf("final-%s.jsonl: %s", trials, text)
		}
	}
	if page := read(t, dir, distil.ReportFile); !bytes.Contains(page, []byte("<td>30</td>")) {
		t.Error("the report says nothing of 30 trials")
	}
}
