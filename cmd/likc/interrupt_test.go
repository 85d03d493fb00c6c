package main

import (
	"bytes"
	"context"
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

	"likc/runtime/chains"
)

// start runs likc in a folder of its own.
func start(t *testing.T, args ...string) (cmd *exec.Cmd, stderr *bytes.Buffer) {
	t.Helper()
	stderr = &bytes.Buffer{}
	cmd = exec.Command(os.Args[0], args...)
	cmd.Args[0] = "likc" // by which testscript.Main knows the command
	cmd.Dir, cmd.Stderr = t.TempDir(), stderr
	trials := "rt,choice\n0.7,1\n0.9,1\n1.3,-1\n0.61,1\n0.83,-1\n1.9,1\n"
	if err := os.WriteFile(filepath.Join(cmd.Dir, "trials.csv"), []byte(trials), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, stderr
}

// numSamples is what a Stan CSV file says that it holds.
var numSamples = regexp.MustCompile(`num_samples = (\d+)`)

// SIGTERM ends a fit as Ctrl-C does: the draws are kept, each file's header says how many, and nothing hidden is left.
func TestSIGTERMKeepsDraws(t *testing.T) {
	cmd, stderr := start(t, "fit", "expr2", "--data", "trials.csv", "--warmup", "10", "--draws", "1000000", "--chains", "2", "--engine", "tree", "-o", "out")
	time.Sleep(time.Second)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Skip("no such signal here: ", err)
	}
	if err := cmd.Wait(); err == nil || !strings.Contains(stderr.String(), "likc: interrupted: ") {
		t.Fatalf("%v: %s", err, stderr)
	}
	entries, err := os.ReadDir(cmd.Dir)
	if err != nil || len(entries) != 2 { // out and trials.csv
		t.Errorf("%v is left, %v", entries, err)
	}
	for _, name := range []string{"chain_1.csv", "chain_2.csv"} {
		text, err := os.ReadFile(filepath.Join(cmd.Dir, "out", name))
		if errors.Is(err, os.ErrNotExist) {
			continue // a chain that had no turn
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

func TestUntilDoesNotWaitForWork(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	if x, err := until(ctx, func() (int, error) { return 7, nil }); x != 7 || err != nil {
		t.Errorf("%d, %v", x, err)
	}
	never := make(chan int)
	defer close(never)
	cancel()
	if _, err := until(ctx, func() (int, error) { return <-never, nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestAfterwardsOutlivesItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	late, stop := afterwards(ctx, time.Millisecond)
	defer stop()
	if late.Err() != nil {
		t.Error("ended before its context")
	}
	cancel()
	<-late.Done() // ends after all
	unhurried, end := afterwards(ctx, time.Hour)
	if unhurried.Err() != nil {
		t.Error("ended with its context")
	}
	end()
}
