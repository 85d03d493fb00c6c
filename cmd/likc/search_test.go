package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// likcCommand returns the command likc with arguments, to be run in a folder that also has its cache.
func likcCommand(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Args[0] = "likc" // the name tells testscript.Main which command to run
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LIKC_CACHE="+filepath.Join(dir, "cache"))
	return cmd
}

func mustRun(t *testing.T, dir string, args ...string) {
	t.Helper()
	if out, err := likcCommand(dir, args...).CombinedOutput(); err != nil {
		t.Fatalf("likc %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// await waits until a file exists.
func await(t *testing.T, path string) {
	t.Helper()
	for start := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return
		}
		if time.Since(start) > time.Minute {
			t.Fatalf("%s: not there after a minute", path)
		}
	}
}

// TestResumedSearch: a search that is killed or interrupted, and resumed, finds the front of an undisturbed search.
func TestResumedSearch(t *testing.T) {
	dir := t.TempDir()
	flags := []string{"search", "--ungated", "--evals", "6000", "--checkpoint", "1ms"}
	mustRun(t, dir, append(flags, "-o", "whole.jsonl")...)
	whole, err := os.ReadFile(filepath.Join(dir, "whole.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, signal := range []os.Signal{os.Kill, os.Interrupt} {
		name := strings.ReplaceAll(signal.String(), " ", "") + ".jsonl"
		cmd := likcCommand(dir, append(flags, "-o", name)...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		await(t, filepath.Join(dir, name+".state"))
		cmd.Process.Signal(signal)
		if err := cmd.Wait(); err == nil {
			t.Fatalf("%v: the search ended before the signal", signal)
		}
		if signal == os.Interrupt && !strings.Contains(stderr.String(), "--resume to go on") {
			t.Errorf("interrupted: %s", stderr.String())
		}
		if out, err := likcCommand(dir, append(flags, "-o", name, "--resume", "--lambda", "2")...).CombinedOutput(); err == nil || !strings.Contains(string(out), "lambda 1, now 2") {
			t.Errorf("resumed with another weight: %v\n%s", err, out)
		}
		for _, other := range [][]string{{"--evals", "100"}, {"--evals", "20000"}} {
			out, err := likcCommand(dir, slices.Concat(flags, []string{"-o", name, "--resume"}, other)...).CombinedOutput()
			if err == nil || !strings.Contains(string(out), "(evaluations 6000, now ") {
				t.Errorf("resumed with %v: %v\n%s", other, err, out)
			}
		}
		mustRun(t, dir, append(flags, "-o", name, "--resume", "--threads", "1")...)
		again, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(whole, again) {
			t.Errorf("%v: the front differs from the uninterrupted one", signal)
		}
	}
}
