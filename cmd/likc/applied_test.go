package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var appliedSeconds = regexp.MustCompile(`"(build_)?seconds":[^,}]+`)

// TestAppliedPipeline runs the whole pipeline applied. Its fits must be those of the command likc apply with one thread, its report must show
// both studies, and a second run must do nothing.
func TestAppliedPipeline(t *testing.T) {
	if os.Getenv("LIKC_LONG") == "" {
		t.Skip("long: set LIKC_LONG=1")
	}
	dir := t.TempDir()
	mustRun(t, dir, "run", "applied", "-o", "run")
	data, err := filepath.Glob(filepath.Join(dir, "cache", "data", "cavanagh-*", "*.csv.gz"))
	if err != nil || len(data) != 1 {
		t.Fatal(data, err)
	}
	verdicts := "run/judge/lambda-1-seed-1/VERDICTS.jsonl"
	mustRun(t, dir, "apply", verdicts, "--data", data[0], "--preset", "cavanagh-simple", "--top", "3", "--also", "wald", "--threads", "1", "-o", "hand.jsonl")
	hand, err := os.ReadFile(filepath.Join(dir, "hand.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	run, err := os.ReadFile(filepath.Join(dir, "run", "applied", "simple", "APPLIED.jsonl"))
	if err != nil || !bytes.Equal(appliedSeconds.ReplaceAll(run, nil), appliedSeconds.ReplaceAll(hand, nil)) {
		t.Errorf("the pipeline's fits are not those of likc apply: %v", err)
	}
	if n := bytes.Count(run, []byte(`"kind":"expression"`)); n != 3 {
		t.Errorf("%d expressions were fitted", n)
	}
	page, err := os.ReadFile(filepath.Join(dir, "run", "report", "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"A study of real participants: cavanagh-simple", "A study of real participants: formulas", "under 3 formulas", "a_C(conf)[HC]"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the report has no %q", want)
		}
	}
	out, err := likcCommand(dir, "run", "applied", "-o", "run").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "0 made now") {
		t.Errorf("%v: %s", err, out)
	}
}
