package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"likc/search/work/cluster"
	"likc/search/work/pipeline"
)

// failure is the error of a command that failed.
type failure struct {
	command, text string // the command's name, and the reason in one line
	output        string // everything that the command wrote
}

func (f *failure) Error() string { return f.command + ": " + f.text }

// temporary matches errors that are not about the job: Slurm's controller does not answer.
var temporary = regexp.MustCompile(`(?i)unable to contact|connect failure|connection refused|timed out|temporarily|socket|backup controller`)

// full matches errors that say that the user, or all users together, have too many jobs in the queue.
var full = regexp.MustCompile(`(?i)MaxSubmitJob|job submit limit|unable to accept job|MaxJobCount|job limit`)

func (f *failure) Is(target error) bool {
	switch target {
	case cluster.ErrFull:
		return full.MatchString(f.output)
	case cluster.ErrLater:
		return full.MatchString(f.output) || temporary.MatchString(f.output)
	}
	return false
}

// unknown reports whether an error says that Slurm does not know the job, or has forgotten it.
func unknown(err error) bool {
	var f *failure
	return errors.As(err, &f) && strings.Contains(f.text, "Invalid job id specified")
}

// run runs a command of Slurm and returns its output. A terminal's Ctrl-C does not reach it.
func run(ctx context.Context, stdin, name string, args ...string) (string, error) {
	trying, stop := context.WithCancel(ctx)
	defer stop()
	cmd := exec.CommandContext(trying, name, args...)
	var out bytes.Buffer
	problem := complaint{stop: stop}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &problem
	cmd.Env = environment(os.Environ())
	cmd.SysProcAttr = pipeline.OwnGroup()
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("%s: there is no such command on this machine: the engine slurm wants Slurm's", name)
	}
	if ctx.Err() != nil {
		return "", &failure{name, strings.TrimPrefix(message(name, problem.text.String(), "")+"; timed out", "; "), "timed out" + problem.text.String()}
	}
	if trying.Err() != nil {
		return "", &failure{name, message(name, problem.text.String(), ""), problem.text.String()}
	}
	var exited *exec.ExitError
	if errors.As(err, &exited) {
		all := problem.text.String() + out.String()
		return "", &failure{name, message(name, all, exited.String()), all}
	}
	return out.String(), err
}

// complaint receives a command's standard error. When the controller has no room for more jobs, sbatch waits and asks again for
// minutes; complaint stops it when it says so. The buffer is a field: if it were embedded, exec would read into it without Write.
type complaint struct {
	text bytes.Buffer
	stop func()
}

func (c *complaint) Write(text []byte) (int, error) {
	n, err := c.text.Write(text)
	if retries.Match(c.text.Bytes()) {
		c.stop()
	}
	return n, err
}

var retries = regexp.MustCompile(`unable to accept job, sleeping and retrying`)

// mostLines is the number of lines of an error that are shown.
const mostLines = 6

// message returns a command's error text in one line, without the command's name and without repeated lines. If there is no text, it
// returns `otherwise`.
func message(name, text, otherwise string) string {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for _, prefix := range []string{name + ": ", "error: ", "allocation failure: "} {
			line = strings.TrimPrefix(line, prefix)
		}
		if line != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return otherwise
	}
	return strings.Join(lines[max(0, len(lines)-mostLines):], "; ")
}

// environment returns the user's environment variables without two kinds: those that would change Slurm's commands, such as
// SBATCH_ARRAY_INX, and those that Slurm sets inside a job, if likc itself runs in one.
func environment(all []string) (kept []string) {
	for _, entry := range all {
		name, _, _ := strings.Cut(entry, "=")
		if name != "SLURM_CONF" && drop.MatchString(name) {
			continue
		}
		kept = append(kept, entry)
	}
	return kept
}

var drop = regexp.MustCompile(`^(SBATCH|SQUEUE|SCANCEL|SLURM|SLURMD|SACCT|SCONTROL|SRUN|SALLOC)_`)
