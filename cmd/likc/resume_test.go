package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A fit that is killed ten times, at any time and without a word, has the draws of one that is not.
func TestResumeAfterTenKills(t *testing.T) {
	if os.Getenv("LIKC_LONG") == "" {
		t.Skip("long: set LIKC_LONG=1")
	}
	args := []string{"fit", "expr2", "--data", "trials.csv", "--warmup", "20000", "--draws", "250000", "--chains", "2", "--engine", "tree", "--no-figures", "-o", "out"}
	whole, said := start(t, args...)
	if err := whole.Wait(); err != nil {
		t.Fatal(err, said)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	dir, kills := t.TempDir(), 0
	for ; kills < 10; kills++ {
		cmd, _ := startIn(t, dir, append(args, "--resume")...)
		time.Sleep(2*time.Second + time.Duration(rng.IntN(1500))*time.Millisecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatalf("it was whole after %d kills: %v", kills, err)
		}
		cmd.Wait()
	}
	last, said := startIn(t, dir, append(args, "--resume")...)
	if err := last.Wait(); err != nil {
		t.Fatal(err, said)
	}
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
