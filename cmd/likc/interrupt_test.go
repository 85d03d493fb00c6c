package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"likc/runtime/num/chains"
	"likc/runtime/sys/store"
)

// workFor waits so that a command that was started can work for the time d. It waits ten times as long as a short command takes in
// addition, because a busy machine starts programs late.
func workFor(t *testing.T, d time.Duration) {
	t.Helper()
	begun := time.Now()
	short := exec.Command(os.Args[0], "version")
	short.Args[0] = "likc"
	if out, err := short.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	time.Sleep(d + 10*time.Since(begun))
}

// start starts likc in a new folder.
func start(t *testing.T, args ...string) (cmd *exec.Cmd, stderr *bytes.Buffer) {
	t.Helper()
	return startIn(t, t.TempDir(), args...)
}

// startIn starts likc in a folder, in which it writes the file trials.csv.
func startIn(t *testing.T, dir string, args ...string) (cmd *exec.Cmd, stderr *bytes.Buffer) {
	t.Helper()
	stderr = &bytes.Buffer{}
	cmd = exec.Command(os.Args[0], args...)
	cmd.Args[0] = "likc" // the name tells testscript.Main which command to run
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &bytes.Buffer{}, stderr
	trials := "rt,choice\n0.7,1\n0.9,1\n1.3,-1\n0.61,1\n0.83,-1\n1.9,1\n"
	if err := os.WriteFile(filepath.Join(cmd.Dir, "trials.csv"), []byte(trials), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, stderr
}

// numSamples matches the number of draws in the header of a Stan CSV file.
var numSamples = regexp.MustCompile(`num_samples = (\d+)`)

// TestSIGTERMKeepsDraws: SIGTERM ends a fit as Ctrl-C does. The draws are kept, each file's header has their number, and the only hidden files
// are those that --resume reads.
func TestSIGTERMKeepsDraws(t *testing.T) {
	cmd, stderr := start(t, "fit", "expr2", "--data", "trials.csv", "--warmup", "10", "--draws", "1000000", "--chains", "2", "--engine", "tree", "-o", "out")
	workFor(t, time.Second)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Skip("no such signal here: ", err)
	}
	if err := cmd.Wait(); err == nil || !strings.Contains(stderr.String(), "likc: interrupted: ") {
		t.Fatalf("%v: %s", err, stderr)
	}
	entries, err := os.ReadDir(cmd.Dir)
	if err != nil || len(entries) != 3 || entries[0].Name() != ".out.likc-work" { // out and trials.csv
		t.Errorf("%v is left, %v", entries, err)
	}
	for _, name := range []string{"chain_1.csv", "chain_2.csv"} {
		text, err := os.ReadFile(filepath.Join(cmd.Dir, "out", name))
		if errors.Is(err, os.ErrNotExist) {
			continue // a chain that had not begun
		}
		if err != nil {
			t.Fatal(err)
		}
		d, err := chains.Read(bytes.NewReader(text), name)
		if err != nil {
			t.Fatal(err)
		}
		if says := numSamples.FindSubmatch(text); says == nil || string(says[1]) != strconv.Itoa(d.Len()) {
			t.Errorf("%s holds %d draws, its header says %s", name, d.Len(), says)
		}
	}
}

// TestInterruptedDraws: an interrupt ends the drawing of trials from a density at once, and no file is written.
func TestInterruptedDraws(t *testing.T) {
	cmd, stderr := start(t, "simulate", "lognormal", "--density", "--theta", "mu=0.3,sigma=0.5", "-n", "100000000", "-o", "out.csv")
	workFor(t, time.Second)
	began := time.Now()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Skip("no such signal here: ", err)
	}
	err := cmd.Wait()
	if err == nil || !strings.Contains(stderr.String(), "likc: simulate: interrupted, no file is written") || time.Since(began) > 20*time.Second {
		t.Errorf("%v after %v: %s", err, time.Since(began), stderr)
	}
	if left, _ := filepath.Glob(filepath.Join(cmd.Dir, "*out*")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// TestInterruptedBenchmark: a benchmark that is interrupted says so and gives no other error.
func TestInterruptedBenchmark(t *testing.T) {
	cmd, stderr := start(t, "bench", "lognormal", "--sizes", "100", "--repeat", "1000000", "--time", "1h")
	workFor(t, 1500*time.Millisecond)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Skip("no such signal here: ", err)
	}
	if err := cmd.Wait(); err == nil || !strings.HasSuffix(stderr.String(), "likc: bench: interrupted, nothing is printed; give the same command again\n") {
		t.Errorf("%v: %s", err, stderr)
	}
}

// TestInterruptedRecovery: an interrupted recovery says how many subjects are kept.
func TestInterruptedRecovery(t *testing.T) {
	cmd, stderr := start(t, "recover", "lognormal", "--subjects", "100000", "--trials", "100", "--chains", "1", "-o", "out")
	workFor(t, time.Second)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Skip("no such signal here: ", err)
	}
	kept := regexp.MustCompile(`likc: interrupted: lognormal: \d+ of 100000 subjects are kept in out/lognormal.jsonl; run the same command again`)
	if err := cmd.Wait(); err == nil || !kept.MatchString(stderr.String()) {
		t.Errorf("%v: %s", err, stderr)
	}
}

// TestInterruptEndsBlockedReads: an interrupt ends a command that waits for input, from a pipe that nobody writes to or from standard input.
func TestInterruptEndsBlockedReads(t *testing.T) {
	for _, args := range [][]string{
		{"fit", "ddm", "--data", "pipe"}, {"fit", "./pipe", "--data", "trials.csv"}, {"fit", "ddm", "--data", "-"},
		{"judge", "./pipe", "--bank", "test-60"}, {"judge", "pipe.jsonl", "--bank", "test-60"},
		{"judge", "--from", "pipe.jsonl", "--bank", "test-60"}, {"diagnose", "pipe"},
	} {
		cmd := exec.Command(os.Args[0], args...)
		cmd.Args[0] = "likc"
		cmd.Dir = t.TempDir()
		for _, name := range []string{"pipe", "pipe.jsonl"} {
			if err := exec.Command("mkfifo", filepath.Join(cmd.Dir, name)).Run(); err != nil {
				t.Skip("no named pipes here: ", err)
			}
		}
		if err := os.WriteFile(filepath.Join(cmd.Dir, "trials.csv"), []byte("rt,choice\n0.7,1\n0.9,-1\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := cmd.StdinPipe(); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		workFor(t, 300*time.Millisecond)
		cmd.Process.Signal(syscall.SIGTERM)
		late := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() }) // long, for a busy machine
		cmd.Wait()
		if !late.Stop() {
			t.Errorf("likc %s does not end", strings.Join(args, " "))
		}
	}
}

// TestBankMakeRefusesALockedFolder: while another process has locked the output folder, bank make is refused and makes no folder.
func TestBankMakeRefusesALockedFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bank")
	release, err := store.Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "bank", "make", "--role", "test-60", "--subjects", "2", "--trials", "20", "-o", dir)
	cmd.Args[0] = "likc"
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "another likc is at work there") {
		t.Errorf("%v: %s", err, out)
	}
	release()
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("an empty folder is left: %v", err)
	}
	again := exec.Command(os.Args[0], cmd.Args[1:]...)
	again.Args[0] = "likc"
	if out, err := again.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// TestInterruptedJudgeLeavesNoEmptyFile: a judge that is interrupted before its first verdict writes no file and says how to continue.
func TestInterruptedJudgeLeavesNoEmptyFile(t *testing.T) {
	cmd, stderr := start(t, "judge", "ddm", "--bank", "test-60", "--draws", "1000000", "--max-gradients", "0", "-o", "V.jsonl")
	workFor(t, time.Second)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Skip("no such signal here: ", err)
	}
	cmd.Wait()
	if !strings.Contains(stderr.String(), "start again with the same arguments") {
		t.Error(stderr)
	}
	if _, err := os.Stat(filepath.Join(cmd.Dir, "V.jsonl")); !os.IsNotExist(err) {
		t.Errorf("V.jsonl is left: %v", err)
	}
}

// TestInterruptedFitNamesWhatIsLeft: an interrupted fit of many subjects says which of them are not fitted.
func TestInterruptedFitNamesWhatIsLeft(t *testing.T) {
	bank, err := filepath.Abs("../../testdata/banks/test-60/trials.parquet")
	if err != nil {
		t.Fatal(err)
	}
	cmd, stderr := start(t, "fit", "wald", "--data", bank, "--subject", "subject", "--threads", "1", "--chains", "1", "--warmup", "50", "--draws", "10")
	time.Sleep(700 * time.Millisecond) // by then some subjects are fitted, but not all
	cmd.Process.Signal(syscall.SIGTERM)
	if cmd.Wait() == nil {
		t.Skip("all were fitted before the interrupt")
	}
	if text := stderr.String(); !strings.Contains(text, "nothing was drawn yet") && !regexp.MustCompile(`not fitted are \d+: .*the same command fits all`).MatchString(text) {
		t.Error(text)
	}
}

// TestInterruptedSearchPrints: a search whose front goes to no file prints it when it is interrupted.
func TestInterruptedSearchPrints(t *testing.T) {
	cmd, stderr := start(t, "search", "--time", "60s", "--objective", "paper", "--threads", "1")
	workFor(t, time.Second)
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Skip("no such signal here: ", err)
	}
	if err := cmd.Wait(); err == nil || !strings.Contains(stderr.String(), "is printed; only a search with -o FRONT.jsonl can go on") {
		t.Errorf("%v: %s", err, stderr)
	}
	if out := cmd.Stdout.(*bytes.Buffer).String(); !strings.Contains(out, "evaluations, ") {
		t.Errorf("printed %q", out)
	}
}
