// Package slurm is the queue of the batch system Slurm (22.05 or later): it calls sbatch, squeue, scontrol, sacct and scancel. It needs
// no accounting.
package slurm

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"likc/search/work/cluster"
)

// Slurm is the queue of the cluster whose commands are on PATH.
type Slurm struct {
	Args []string // further arguments of sbatch: partition, account, time, memory, processors
}

// reserved lists the options of sbatch that likc sets itself, long and short.
var reserved = []string{"array", "a", "output", "o", "error", "e", "parsable", "job-name", "J", "wait", "W", "chdir", "D", "wrap", "export",
	"open-mode", "test-only", "input", "i", "quiet", "Q", "help", "h", "usage", "version", "V", "ntasks", "n"}

// otherCluster lists the options of sbatch that send jobs to another cluster, where likc would not find them again.
var otherCluster = []string{"clusters", "M", "cluster-constraint"}

// valueless lists the options of sbatch that take no value.
var valueless = []string{"contiguous", "exclusive", "get-user-env", "hold", "H", "ignore-pbs", "immediate", "I", "kill-on-invalid-dep", "no-kill", "k", "no-requeue",
	"overcommit", "O", "oversubscribe", "s", "parsable", "reboot", "requeue", "spread-job", "use-min-nodes", "verbose", "v"}

// CheckArgs checks a user's arguments of sbatch. It returns an error for the first argument that a user may not give.
func CheckArgs(args []string) error {
	valued := false // whether the argument may be the value of the previous one
	for _, arg := range args {
		name := strings.TrimLeft(arg, "-")
		long, given := strings.HasPrefix(arg, "--"), false
		if long {
			name, _, given = strings.Cut(name, "=")
		} else if strings.HasPrefix(arg, "-") && name != "" {
			name, given = name[:1], len(name) > 1
		}
		// sbatch accepts the beginning of a long option for the whole name.
		is := func(option string) bool {
			return option == name || long && len(name) > 1 && strings.HasPrefix(option, name)
		}
		switch {
		case name == "" || strings.ContainsAny(arg, "\n\x00"):
			return fmt.Errorf("%q: not an argument of sbatch", arg)
		case arg[0] != '-' && !valued:
			return fmt.Errorf("%q: is no option: sbatch would run the file of that name; want --name=value", arg)
		case arg[0] != '-':
			valued = false
			continue
		case slices.ContainsFunc(reserved, is):
			return fmt.Errorf("%q: likc gives that itself", arg)
		case slices.ContainsFunc(otherCluster, is):
			return fmt.Errorf("%q: likc looks after jobs of one cluster: run it on a machine of that one", arg)
		}
		valued = !given && !slices.Contains(valueless, name)
	}
	return nil
}

// Limit returns the cluster's setting MaxArraySize, which is the largest number of tasks of an array.
func (s *Slurm) Limit(ctx context.Context) (int, error) {
	out, err := run(ctx, "", "scontrol", "show", "config")
	if err != nil {
		return 0, err
	}
	found := regexp.MustCompile(`(?m)^MaxArraySize\s*=\s*(\d+)`).FindStringSubmatch(out)
	if found == nil {
		return 0, fmt.Errorf("scontrol show config: no MaxArraySize in %q", out)
	}
	n, err := strconv.Atoi(found[1])
	if err != nil || n < 1 {
		return 0, fmt.Errorf("MaxArraySize is %s: this cluster takes no job arrays", found[1])
	}
	return n, nil
}

// unavailable matches answers of sbatch --test-only about the present state of the machines: they are drained, or not yet back after a
// restart. sbatch without --test-only accepts such a job, and [Slurm.Poll] reports a job that could never start.
var unavailable = regexp.MustCompile(`(?i)node configuration is not available|nodes? (are|is) busy|not available|drained|down`)

// Check asks sbatch whether an array like a could ever start.
func (s *Slurm) Check(ctx context.Context, a cluster.Array) error {
	_, err := run(ctx, script(a), "sbatch", append(s.options(a), "--test-only")...)
	var f *failure
	if errors.As(err, &f) && (unavailable.MatchString(f.output) || errors.Is(err, cluster.ErrLater)) {
		return nil
	}
	return err
}

// Submit puts the array into the queue.
func (s *Slurm) Submit(ctx context.Context, a cluster.Array) (string, error) {
	args := append(s.options(a), "--parsable", fmt.Sprintf("--array=0-%d", a.Tasks-1))
	out, err := run(ctx, script(a), "sbatch", args...)
	if err != nil {
		return "", err
	}
	id, _, _ := strings.Cut(strings.TrimSpace(out), ";") // removes the cluster's name from ID;CLUSTER
	if !isID(id) {
		return "", fmt.Errorf("sbatch: want the id of a job, got %q", out)
	}
	return id, nil
}

// options returns the options of sbatch for an array. The user's come first, so that likc's replace them.
func (s *Slurm) options(a cluster.Array) []string {
	log := strings.ReplaceAll(a.Logs+"/"+a.Name, "%", "%%") + "_%a.log"
	all := append(slices.Clone(s.Args), "--job-name="+a.Name, "--output="+log, "--open-mode=append", "--chdir="+a.Dir, "--export=ALL", "--ntasks=1")
	if a.Memory > 0 { // comes after the user's --mem and similar options, so that it replaces them
		all = append(all, "--mem="+a.Memory.String())
	}
	return all
}

// script returns the script of a task. GOMAXPROCS limits it to its processors on clusters that do not enforce that.
func script(a cluster.Array) string {
	return fmt.Sprintf(`#!/bin/sh
jobs=$(sed -n "$((SLURM_ARRAY_TASK_ID + 1))p" %s) || exit 1
GOMAXPROCS=${SLURM_CPUS_PER_TASK:-1}
export GOMAXPROCS
exec %s unit %s $jobs --threads "$GOMAXPROCS" --sha256 %s
`, quote(a.List), quote(a.Program), quote(a.Dir), a.Sum)
}

// quote quotes a text as one word for the shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func isID(text string) bool {
	_, err := strconv.ParseUint(text, 10, 64)
	return err == nil
}

// Find asks for the id of the array with a name.
func (s *Slurm) Find(ctx context.Context, name string) (string, error) {
	out, err := run(ctx, "", "squeue", "--noheader", "--me", "--name="+name, "--format=%F")
	if err != nil {
		return "", err
	}
	id, _, _ := strings.Cut(strings.TrimSpace(out), "\n")
	if id = strings.TrimSpace(id); id != "" && !isID(id) {
		return "", fmt.Errorf("squeue: want the id of a job, got %q", out)
	}
	return id, nil
}

// Cancel ends an array, or some of its tasks.
func (s *Slurm) Cancel(ctx context.Context, id string, tasks ...int) error {
	return cancel(ctx, nil, id, tasks)
}

// Withdraw cancels those of an array's tasks that have not begun.
func (s *Slurm) Withdraw(ctx context.Context, id string, tasks ...int) error {
	return cancel(ctx, []string{"--state=PENDING"}, id, tasks)
}

func cancel(ctx context.Context, flags []string, id string, tasks []int) error {
	args := append(flags, id)
	if len(tasks) > 0 {
		args = flags
	}
	for _, task := range tasks {
		args = append(args, fmt.Sprintf("%s_%d", id, task))
	}
	_, err := run(ctx, "", "scancel", args...)
	if unknown(err) {
		return nil // the tasks are over
	}
	return err
}
