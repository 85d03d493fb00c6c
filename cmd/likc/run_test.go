package main

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"likc/runtime/sys/store"
)

// killed is a pipeline with every kind of stage, for runs that are interrupted.
const killed = `name = "killed"
[bank.test]
role = "test-60"
subjects = 3
trials = 60
[teacher]
path = "spline"
[search]
lambda = [0, 1]
seeds = 1
evals = 4000
max_size = 20
ungated = true
args = ["--checkpoint", "1ms"]
[judge]
bank = "test"
chains = 1
warmup = 60
draws = 20
[sweep]
top = 1
[holdout]
bank = "test"
chains = 1
warmup = 60
draws = 20
[compile]
models = ["expr2"]
`

// contents returns the checksums of a run's files by their paths, without logs and locks.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		if err != nil || d.IsDir() || strings.HasPrefix(name, "logs") || name == ".lock" {
			return err
		}
		all[name], err = store.Sum(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestRunSurvivesKills: a pipeline that is killed at random moments and started again ends with the bytes of a pipeline that was not killed.
func TestRunSurvivesKills(t *testing.T) {
	kills := 2
	if os.Getenv("LIKC_LONG") != "" {
		kills = 10
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.toml"), []byte(killed), 0o644); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	mustRun(t, dir, "run", "p.toml", "-o", "whole")
	whole, took := contents(t, filepath.Join(dir, "whole")), time.Since(start)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range kills {
		cmd := likcCommand(dir, "run", "p.toml", "-o", "cut")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		delay := time.Duration(random.Float64() * float64(took) / float64(kills))
		time.Sleep(delay)
		cmd.Process.Kill()
		if cmd.Wait() == nil {
			t.Logf("kill %d came too late", i+1)
		}
	}
	mustRun(t, dir, "run", "p.toml", "-o", "cut")
	cut := contents(t, filepath.Join(dir, "cut"))
	for name, sum := range whole {
		if cut[name] != sum {
			t.Errorf("%s differs", name)
		}
	}
	for name := range cut {
		if whole[name] == "" {
			t.Errorf("%s is left behind", name)
		}
	}
}
