package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"likc/runtime/store"
	"likc/runtime/version"
	"likc/search/pipeline"
)

// execute runs a unit's commands, each as a process of its own: the commands then end, resume and fail here as they do in a
// terminal, and a unit can be repeated by hand.
func execute(ctx context.Context, j pipeline.Job) error {
	log, err := os.Create(j.Log)
	if err != nil {
		return err
	}
	defer log.Close()
	for _, step := range j.Steps {
		if err := executeStep(ctx, j, step, log); err != nil {
			return err
		}
	}
	return nil
}

// unthreaded are commands without --threads.
var unthreaded = map[string]bool{"sweep": true, "report": true, "check": true, "bench": true, "copy": true, "score": true}

func executeStep(ctx context.Context, j pipeline.Job, step pipeline.Step, log *os.File) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	args := step.Args
	fmt.Fprintf(log, "$ likc %s\n", strings.Join(args, " "))
	if !unthreaded[args[0]] && !(args[0] == "teacher" && unthreaded[args[1]]) {
		args = append(args[:len(args):len(args)], "--threads", fmt.Sprint(j.Threads))
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Args[0] = os.Args[0]
	cmd.Dir, cmd.Stdout, cmd.Stderr = j.Dir, log, log
	if step.Stdout != "" {
		out, err := os.Create(filepath.Join(j.Dir, step.Stdout))
		if err != nil {
			return err
		}
		defer out.Close()
		cmd.Stdout = out
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	cmd.SysProcAttr = detached()
	runtime.LockOSThread() // on Linux, a child is killed when the thread that started it ends
	defer runtime.UnlockOSThread()
	err = cmd.Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return fmt.Errorf("likc %s: %s", step.Args[0], lastLine(j.Log))
	}
	return err
}

// lastLine is the error that a command ended with; its whole output is in the log.
func lastLine(log string) string {
	text, err := os.ReadFile(log)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if err != nil || len(lines) < 2 {
		return "failed; see " + log
	}
	return strings.TrimPrefix(lines[len(lines)-1], "likc: ") + " (log: " + log + ")"
}

// codeVersion is what results are told apart by: the commit that the program was built from, or the program's own hash
// where it was built from files that are in no commit.
func codeVersion() (string, error) {
	if commit, ok := version.Get().Source(); ok {
		return commit, nil
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	sum, err := store.Sum(self)
	return "program " + sum, err
}
