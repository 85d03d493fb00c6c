package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
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

// passing are errors that say nothing about the job: the controller is away or full, or the user has enough jobs in the queue.
var passing = regexp.MustCompile(`(?i)unable to contact|connect failure|connection refused|timed out|temporarily|socket|MaxSubmitJob|backup controller`)

func (f *failure) Is(target error) bool {
	return target == cluster.ErrLater && passing.MatchString(f.all)
}

// unknown reports whether an error says that the job is not known (any more).
func unknown(err error) bool {
	var f *failure
	return errors.As(err, &f) && strings.Contains(f.text, "Invalid job id specified")
}

// run runs a command of Slurm and returns what it prints. A terminal's Ctrl-C does not reach it.
func run(ctx context.Context, stdin, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var out, problem bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &problem
	cmd.Env = environment(os.Environ())
	cmd.SysProcAttr = pipeline.Apart()
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("%s: there is no such command on this machine: the engine slurm wants Slurm's", name)
	}
	if ctx.Err() != nil {
		return "", &failure{name, "timed out", "timed out"}
	}
	var exited *exec.ExitError
	if errors.As(err, &exited) {
		all := problem.String() + out.String()
		return "", &failure{name, message(name, all, exited), all}
	}
	return out.String(), err
}

// message is the end of what a command said, without the name of the command.
func message(name, text string, exited *exec.ExitError) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	for _, prefix := range []string{name + ": ", "error: ", "allocation failure: "} {
		last = strings.TrimPrefix(last, prefix)
	}
	if last == "" {
		return exited.String()
	}
	return last
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
