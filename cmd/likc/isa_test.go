package main

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"likc/runtime/num/isa"
)

// TestInstructionSets: simulated trials, banks and compiled packages have the same bytes on every instruction set. The order of sums over
// trials depends on the number of lanes in a register, so log-likelihoods and gradients agree only up to rounding, to 1e-12 of their size.
func TestInstructionSets(t *testing.T) {
	folders := map[isa.Level]string{}
	for level := isa.Portable; level <= isa.Best(); level++ {
		folders[level] = onISA(t, level, [][]string{
			{"simulate", "ddm", "--theta", "v=1,a=1,z=0.5,t=0.3", "-n", "333", "-o", "t.csv"},
			{"bank", "make", "--role", "test-60", "--subjects", "3", "--trials", "50", "-o", "bank"},
			{"compile", "expr2", "-o", "expr2"},
		})
		for _, model := range []string{"expr2", "ddm", "found31"} {
			runToFile(t, folders[level], level, model+".txt", "eval", model, "--data", "t.csv", "--theta", "v=1,a=1,z=0.5,t=0.2")
		}
	}
	for level := isa.Portable + 1; level <= isa.Best(); level++ {
		for _, file := range []string{"t.csv", "bank/trials.parquet", "bank/MANIFEST.sha256", "expr2/lik.go", "expr2/lik_amd64.s"} {
			if !bytes.Equal(fileOf(t, folders[isa.Portable], file), fileOf(t, folders[level], file)) {
				t.Errorf("%v: other bytes in %s", level, file)
			}
		}
		for _, file := range []string{"expr2.txt", "ddm.txt", "found31.txt"} {
			near(t, level.String()+" "+file, fileOf(t, folders[isa.Portable], file), fileOf(t, folders[level], file), 1e-12)
		}
	}
}

// TestResultsOnInstructionSets: a short search finds the same expressions on every instruction set, with losses that agree to 1e-9 of their
// size. A judge's verdicts are the same, and their correlations agree to .01: draws of a chain differ after some steps, because rounding
// errors grow with each step.
func TestResultsOnInstructionSets(t *testing.T) {
	if os.Getenv("LIKC_LONG") == "" {
		t.Skip("long: set LIKC_LONG=1")
	}
	folders := map[isa.Level]string{}
	for level := isa.Portable; level <= isa.Best(); level++ {
		folders[level] = onISA(t, level, [][]string{
			{"search", "--objective", "paper", "--evals", "2000", "--seed", "3", "-o", "F.jsonl"},
			{"search", "--objective", "paper", "--evals", "2000", "--seed", "3", "--threads", "1", "-o", "again.jsonl"},
		})
		if !bytes.Equal(fileOf(t, folders[level], "F.jsonl"), fileOf(t, folders[level], "again.jsonl")) {
			t.Errorf("%v: other bytes in a second front", level)
		}
		runToFile(t, folders[level], level, "verdicts.txt", "judge", "expr2", "ddm", "--bank", "test-60", "--chains", "2", "--warmup", "300", "--draws", "300")
	}
	for level := isa.Portable + 1; level <= isa.Best(); level++ {
		near(t, level.String()+" F.csv", fileOf(t, folders[isa.Portable], "F.csv"), fileOf(t, folders[level], "F.csv"), 1e-9)
		for _, model := range []string{"expr2", "ddm"} {
			want, got := verdictOf(t, fileOf(t, folders[isa.Portable], "verdicts.txt"), model), verdictOf(t, fileOf(t, folders[level], "verdicts.txt"), model)
			if got[1] != want[1] || math.Abs(float(t, got[2])-float(t, want[2])) > 0.01 {
				t.Errorf("%v: %v, want %v", level, got, want)
			}
		}
	}
}

// isaNames holds the value of LIKC_ISA for each instruction set.
var isaNames = map[isa.Level]string{isa.Portable: "portable", isa.AVX2: "avx2", isa.AVX512: "avx512"}

// onISA runs commands with an instruction set in a new folder, which it returns.
func onISA(t *testing.T, level isa.Level, commands [][]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, args := range commands {
		runToFile(t, dir, level, "log.txt", args...)
	}
	return dir
}

// runToFile runs a command with an instruction set in folder dir, and writes what it prints to a file there.
func runToFile(t *testing.T, dir string, level isa.Level, file string, args ...string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Args[0] = "likc" // the name tells testscript.Main which command to run
	cmd.Dir, cmd.Env = dir, append(os.Environ(), isa.Variable+"="+isaNames[level])
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: likc %s: %v", level, strings.Join(args, " "), err)
	}
	if err := os.WriteFile(filepath.Join(dir, file), out, 0o666); err != nil {
		t.Fatal(err)
	}
}

func fileOf(t *testing.T, dir, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// near compares two texts word by word. Numbers may differ by the tolerance times their size, or times 1 if they are smaller; other words must
// be equal.
func near(t *testing.T, what string, want, got []byte, tolerance float64) {
	t.Helper()
	split := func(text []byte) []string {
		return strings.FieldsFunc(string(text), func(r rune) bool { return strings.ContainsRune(" ,=\t\n", r) })
	}
	a, b := split(want), split(got)
	if len(a) != len(b) || len(a) == 0 {
		t.Errorf("%s: %d words, want %d", what, len(b), len(a))
		return
	}
	for i := range a {
		x, errX := strconv.ParseFloat(a[i], 64)
		y, errY := strconv.ParseFloat(b[i], 64)
		if a[i] != b[i] && (errX != nil || errY != nil || !(math.Abs(x-y) <= tolerance*max(1, math.Abs(x)))) {
			t.Errorf("%s: %s, want %s", what, b[i], a[i])
		}
	}
}

// verdictOf returns the row of a model in a table of verdicts: model, verdict, weakest correlation, ….
func verdictOf(t *testing.T, table []byte, model string) []string {
	t.Helper()
	for line := range strings.Lines(string(table)) {
		if row := strings.Fields(line); len(row) > 3 && row[0] == model {
			return row
		}
	}
	t.Fatalf("no row of %s in\n%s", model, table)
	return nil
}

func float(t *testing.T, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}
