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

// failure is what a command said when it failed.
type failure struct {
	command, text string
	all           string // all output of the command
}

func (f *failure) Error() string { return f.command + ": " + f.text }

// passing are errors that say nothing about the job: the controller is away.
var passing = regexp.MustCompile(`(?i)unable to contact|connect failure|connection refused|timed out|temporarily|socket|backup controller`)

// full are errors about the number of jobs: the user has enough of them in the queue, or all users have.
var full = regexp.MustCompile(`(?i)MaxSubmitJob|job submit limit|unable to accept job|MaxJobCount|job limit`)

func (f *failure) Is(target error) bool {
	switch target {
	case cluster.ErrFull:
		return full.MatchString(f.all)
	case cluster.ErrLater:
		return full.MatchString(f.all) || passing.MatchString(f.all)
	}
	return false
}

// unknown reports whether an error says that the job is not known (any more).
func unknown(err error) bool {
	var f *failure
	return errors.As(err, &f) && strings.Contains(f.text, "Invalid job id specified")
}

// run runs a command of Slurm and returns what it prints. A terminal's Ctrl-C does not reach it.
func run(ctx context.Context, stdin, name string, args ...string) (string, error) {
	trying, stop := context.WithCancel(ctx)
	defer stop()
	cmd := exec.CommandContext(trying, name, args...)
	var out bytes.Buffer
	problem := complaint{stop: stop}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &problem
	cmd.Env = environment(os.Environ())
	cmd.SysProcAttr = pipeline.Apart()
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("%s: there is no such command on this machine: the engine slurm wants Slurm's", name)
	}
	if ctx.Err() != nil {
		return "", &failure{name, strings.TrimPrefix(message(name, problem.String(), "")+"; timed out", "; "), "timed out" + problem.String()}
	}
	if trying.Err() != nil {
		return "", &failure{name, message(name, problem.String(), ""), problem.String()}
	}
	var exited *exec.ExitError
	if errors.As(err, &exited) {
		all := problem.String() + out.String()
		return "", &failure{name, message(name, all, exited.String()), all}
	}
	return out.String(), err
}

// complaint is what a command writes to standard error. sbatch, which waits and asks again for minutes where the controller has no room
// for more jobs, is stopped when it says so.
type complaint struct {
	bytes.Buffer
	stop func()
}

func (c *complaint) Write(text []byte) (int, error) {
	n, err := c.Buffer.Write(text)
	if retries.Match(c.Bytes()) {
		c.stop()
	}
	return n, err
}

var retries = regexp.MustCompile(`unable to accept job, sleeping and retrying`)

// mostLines is how many lines of an error are shown.
const mostLines = 6

// message is what a command said, in one line, without the name of the command, each line once. It is otherwise where the command said nothing.
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

// environment is the user's without what changes Slurm's commands behind our back, such as SBATCH_ARRAY_INX, and without what a job
// tells its own steps, where the run is steered from a job.
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
