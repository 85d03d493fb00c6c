package pipeline

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

	"likc/runtime/sys/store"
	"likc/runtime/sys/version"
)

// Execute runs a job's steps as commands of this program, each in its own process. So they end, resume and fail as in a terminal, and
// a user can repeat a unit by hand. When ctx ends, Execute interrupts the running command, and kills it after 5 s.
func Execute(ctx context.Context, j *Job, steps []Step, threads int) error {
	log, err := j.newLog()
	if err != nil {
		return err
	}
	defer log.Close()
	for _, step := range steps {
		if err := executeStep(ctx, j, step, threads, log); err != nil {
			return err
		}
	}
	return nil
}

func executeStep(ctx context.Context, j *Job, step Step, threads int, log *os.File) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	args := step.Args
	fmt.Fprintf(log, "$ likc %s\n", strings.Join(args, " "))
	if !step.OneThread {
		args = append(args[:len(args):len(args)], "--threads", fmt.Sprint(threads))
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
	cmd.SysProcAttr = boundToUs()
	runtime.LockOSThread() // on Linux, a child is killed when the thread that started it ends
	defer runtime.UnlockOSThread()
	err = cmd.Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var failed *exec.ExitError
	if errors.As(err, &failed) && failed.String() == "signal: killed" {
		return fmt.Errorf("likc %s: %w (log: %s)", step.Args[0], ErrKilled, j.Log())
	}
	if errors.As(err, &failed) {
		return fmt.Errorf("likc %s: %s", step.Args[0], lastLine(j))
	}
	return err
}

// lastLine returns the last line of a job's log, which is the error with which its command ended. It replaces the name of the job's
// hidden folder by the name of the unit's folder.
func lastLine(j *Job) string {
	text, err := os.ReadFile(j.Log())
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if err != nil || len(lines) < 2 {
		return "failed; see " + j.Log()
	}
	last := strings.ReplaceAll(lines[len(lines)-1], j.Work, filepath.FromSlash(j.Unit.Name))
	return strings.TrimPrefix(last, "likc: ") + " (log: " + j.Log() + ")"
}

// Code returns the version of the code: the commit from which the program was built, or the program's hash if it was built from
// uncommitted files.
func Code() (string, error) {
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
