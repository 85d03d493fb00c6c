package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestResumeAfterKills: a fit that is killed up to ten times, at random moments, and resumed has the draws of a fit that was never killed. The
// same holds for a study with a formula.
func TestResumeAfterKills(t *testing.T) {
	if os.Getenv("LIKC_LONG") == "" {
		t.Skip("long: set LIKC_LONG=1")
	}
	data := filepath.Join(t.TempDir(), "slow.csv")
	rows := "rt,choice\n" + strings.Repeat("0.7,1\n0.9,1\n1.3,-1\n0.61,1\n0.83,-1\n1.9,1\n", 10)
	if err := os.WriteFile(data, []byte(rows), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"fit", "expr2", "--data", data, "--warmup", "5000", "--draws", "60000", "--chains", "2", "--engine", "tree", "--no-figures", "-o", "out"}
	t.Run("one", func(t *testing.T) { resumesAfterKills(t, args...) })
	study := []string{"--formula", "v ~ 1 + (1 | choice)", "--warmup", "2000", "--draws", "20000", "--no-loo"}
	t.Run("study", func(t *testing.T) { resumesAfterKills(t, append(args, study...)...) })
}

// resumesAfterKills compares the draws of a fit with the draws of the same fit that is killed and resumed.
func resumesAfterKills(t *testing.T, args ...string) {
	t.Helper()
	whole, said := start(t, args...)
	if err := whole.Wait(); err != nil {
		t.Fatal(err, said)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	dir, kills := t.TempDir(), 0
	for ended := false; !ended && kills < 10; {
		cmd, _ := startIn(t, dir, append(args, "--resume")...)
		done := make(chan struct{})
		go func() { cmd.Wait(); close(done) }()
		select {
		case <-done:
			ended = true
		case <-time.After(2200*time.Millisecond + time.Duration(rng.IntN(1000))*time.Millisecond):
			cmd.Process.Kill()
			<-done
			kills++
		}
	}
	last, said := startIn(t, dir, append(args, "--resume")...)
	if err := last.Wait(); err != nil || kills == 0 {
		t.Fatal(err, said, kills)
	}
	t.Logf("%d kills", kills)
	for _, name := range []string{"chain_1.csv", "chain_2.csv"} {
		want, err := os.ReadFile(filepath.Join(whole.Dir, "out", name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, "out", name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: other draws after %d kills, %v", name, kills, err)
		}
	}
}
