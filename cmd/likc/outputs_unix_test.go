//go:build linux || darwin

package main

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"likc/runtime/sys/store"
)

// TestFullStandardOutput: every command that prints fails if its standard output is a full disk.
func TestFullStandardOutput(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here")
	}
	defer full.Close()
	s := newWorkshop(t)
	for _, args := range []string{
		"check expr2", "eval expr2 --data IN/t.csv --theta v=1,a=1,z=0.5,t=0.1", "teacher show IN/teacher", "bank verify IN/bank", "bank show IN/bank",
		"--help", "fit --help", "help eval", "compile expr2 --dump ir", "simulate ddm --theta v=1,a=1,z=0.5,t=0.3 -n 5", "check expr2 --json",
		"teacher score IN/teacher --bank IN/rows -o OUT/scored", "run quick --list",
	} {
		cmd := s.command(args, s.newOutput(), -1)
		var stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = full, &stderr
		err := cmd.Run()
		if err == nil || cmd.ProcessState.ExitCode() != 1 || !strings.HasPrefix(stderr.String(), "likc: standard output: no space left on device") {
			t.Errorf("likc %s > /dev/full: %v: %s", args, err, stderr.String())
		}
	}
}

// TestClosedStandardOutput: a command that prints nothing succeeds with a closed standard output.
func TestClosedStandardOutput(t *testing.T) {
	s := newWorkshop(t)
	likc := filepath.Join(s.dir, "likc") // the test program acts as the command if it has this name
	if err := os.Symlink(must(os.Executable()), likc); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", `exec "$0" compile expr2 -o "$1" >&-`, likc, filepath.Join(s.newOutput(), "pkg"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// TestHangUpKeepsWork: when its terminal is closed, a fit keeps its draws and a search its state, as at SIGTERM.
func TestHangUpKeepsWork(t *testing.T) {
	s := newWorkshop(t)
	// Under nohup this process ignores the signal, and so would its children. Once it handles the signal, its children get the default again.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	for args, kept := range map[string]string{
		"fit expr2 --data IN/t.csv --warmup 10 --draws 1000000 --chains 1 --engine tree -o OUT/fit":         "fit/chain_1.csv",
		"search --objective paper --lambda 0 --evals 100000000 --checkpoint 10h -o OUT/F.jsonl --threads 1": "F.jsonl.state",
	} {
		out := s.newOutput()
		cmd := s.command(args, out, -1)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		workFor(t, 2*time.Second)
		cmd.Process.Signal(syscall.SIGHUP)
		late := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
		err := cmd.Wait()
		late.Stop()
		if err == nil || !strings.Contains(stderr.String(), "likc: interrupted: ") {
			t.Errorf("likc %s: %v: %s", args, err, stderr.String())
		}
		if _, err := os.Stat(filepath.Join(out, kept)); err != nil {
			t.Errorf("likc %s: %s is lost: %v", args, kept, err)
		}
	}
}

// TestPipeWithoutReader: a command that waits for a reader of its output pipe ends at the first signal.
func TestPipeWithoutReader(t *testing.T) {
	s := newWorkshop(t)
	out := s.newOutput()
	pipe := filepath.Join(out, "pipe")
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Skip("no named pipes here: ", err)
	}
	cmd := s.command("simulate ddm --theta v=1,a=1,z=0.5,t=0.3 -n 10 -o OUT/pipe", out, -1)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	workFor(t, 500*time.Millisecond)
	cmd.Process.Signal(syscall.SIGTERM)
	late := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
	cmd.Wait()
	if !late.Stop() || !strings.Contains(stderr.String(), "likc: interrupted") {
		t.Errorf("does not end at the first SIGTERM: %s", stderr.String())
	}
}

// TestOutputsArePipesAndLinks: every command that writes one file can write into a pipe, or through a link to the link's target.
func TestOutputsArePipesAndLinks(t *testing.T) {
	s := newWorkshop(t)
	for _, args := range []string{
		"eval expr2 --data IN/t.csv --theta v=1,a=1,z=0.5,t=0.1 --per-trial OUT/o",
		"simulate ddm --theta v=1,a=1,z=0.5,t=0.3 -n 10 -o OUT/o",
		"bench expr2 --sizes 30,100 --repeat 1 --time 1s --engine portable --svg OUT/o",
	} {
		out := s.newOutput()
		pipe := filepath.Join(out, "o")
		if err := exec.Command("mkfifo", pipe).Run(); err != nil {
			t.Skip("no named pipes here: ", err)
		}
		got := make(chan int)
		go func() { text, _ := os.ReadFile(pipe); got <- len(text) }()
		if text, err := s.command(args, out, -1).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", args, err, text)
			continue
		}
		if info, err := os.Lstat(pipe); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
			t.Errorf("%s: replaces a pipe", args)
			continue
		}
		if <-got == 0 {
			t.Errorf("%s: nothing came through the pipe", args)
		}
		if err := os.Remove(pipe); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("real", pipe); err != nil {
			t.Fatal(err)
		}
		s.write(args, out)
		if info, err := os.Lstat(filepath.Join(out, "real")); err != nil || !info.Mode().IsRegular() {
			t.Errorf("%s: the target of a link was not written: %v", args, err)
		}
	}
}

// TestSecondWriterIsRefused: of two processes with the same -o, the second is refused while the first runs, and the output of the first is
// complete.
func TestSecondWriterIsRefused(t *testing.T) {
	s := newWorkshop(t)
	for _, c := range []struct{ first, second, file string }{
		{"judge ddm --bank IN/bank --draws 1000000 --max-gradients 0 -o OUT/V.jsonl", "judge expr2 --bank IN/bank --force -o OUT/V.jsonl", "V.jsonl"},
		{"search --objective paper --lambda 0 --evals 100000000 -o OUT/F.jsonl --threads 1", "search --objective paper --lambda 1 --evals 1000 -o OUT/F.jsonl", "F.jsonl"},
	} {
		out := s.newOutput()
		first := s.command(c.first, out, -1)
		if err := first.Start(); err != nil {
			t.Fatal(err)
		}
		workFor(t, 1500*time.Millisecond)
		text, err := s.command(c.second, out, -1).CombinedOutput()
		if err == nil || !strings.Contains(string(text), c.file+": "+store.ErrLocked.Error()) {
			t.Errorf("likc %s beside another: %v: %s", c.second, err, text)
		}
		first.Process.Signal(os.Interrupt)
		first.Wait()
		if text, err := s.command(c.second, out, -1).CombinedOutput(); err != nil {
			t.Errorf("likc %s afterwards: %v: %s", c.second, err, text)
		}
	}
}

// TestCompileRefusesForeignFiles: compile does not overwrite files that likc did not write.
func TestCompileRefusesForeignFiles(t *testing.T) {
	s := newWorkshop(t)
	for _, c := range []struct{ args, foreign string }{
		{"compile expr2 -o OUT/", "README.md, model.lik"},
		{"compile expr2 --module example.org/x -o OUT/", "lik.go, README.md, model.lik, go.mod"},
		{"compile expr2 --target c -o OUT/", "Makefile, README.md"},
	} {
		out := s.newOutput()
		for _, name := range strings.Split(c.foreign, ", ") {
			if err := os.WriteFile(filepath.Join(out, name), []byte("mine\n"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		before := s.files(out)
		text, err := s.command(c.args, out, -1).CombinedOutput()
		if err == nil || !strings.Contains(string(text), "holds files that likc did not write: ") || !strings.Contains(string(text), "--force") {
			t.Errorf("likc %s: %v: %s", c.args, err, text)
		}
		for name := range before {
			if !strings.Contains(string(text), name) {
				t.Errorf("likc %s does not name %s: %s", c.args, name, text)
			}
		}
		if after := s.files(out); len(after) != len(before) || after["README.md"] != "mine\n" {
			t.Errorf("likc %s: changed the folder: %d files", c.args, len(after))
		}
		forced := s.write(c.args+" --force", out)
		if forced["README.md"] == "mine\n" {
			t.Errorf("likc %s --force: kept README.md", c.args)
		}
		s.write(strings.Replace(c.args, "expr2", "wald", 1), out) // likc may replace files that it wrote
	}
}
