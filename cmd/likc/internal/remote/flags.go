// Package remote holds the flags by which commands let a cluster do their units of work.
package remote

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/fit/progress"
	"likc/search/work/cluster"
	"likc/search/work/pipeline"
	"likc/search/work/slurm"

	"github.com/spf13/cobra"
)

// Flags name the machines that do the units of work.
type Flags struct {
	Engine string        `flag:"on" default:"local" one:"local,slurm" want:"local or slurm" help:"where units are done: local, on this machine, or slurm, on a cluster"`
	Args   []string      `flag:"slurm-arg" value:"ARGUMENT" most:"100" help:"an ARGUMENT of sbatch for every job, as --partition=short or --time=02:00:00; give the flag once for each"`
	Memory []string      `flag:"memory" value:"[STAGE=]SIZE" most:"100" help:"memory of a task on the cluster, as 4G, or of the tasks of one STAGE, as polish=16G; one that is killed for want of it gets twice as much. Give the flag once for each"`
	Target int           `flag:"task-minutes" default:"5" in:"[0,10080]" help:"units that are shorter are put together until a task of the cluster takes about so long"`
	Poll   time.Duration `flag:"poll" value:"TIME" default:"30s" in:"[10ms,1h]" help:"longest TIME between two looks at the cluster's queue"`
	Detach bool          `flag:"detach" help:"put into the cluster's queue what can be, and end; the same command goes on later"`
}

// OnCluster reports whether a cluster does the units.
func (f *Flags) OnCluster() bool { return f.Engine == "slurm" }

// Check checks the flags before anything is read. name is the flag that chooses the machines.
func (f *Flags) Check(name string) error {
	if !f.OnCluster() && (f.Detach || len(f.Args) > 0 || len(f.Memory) > 0) {
		return cli.Usagef("--detach, --slurm-arg, --memory: want --%s slurm", name)
	}
	if _, err := cluster.ParseMemories(f.Memory); err != nil {
		return cli.Usagef("--memory %w", err)
	}
	if err := slurm.CheckArgs(f.Args); err != nil {
		return cli.Usagef("--slurm-arg %w", err)
	}
	return nil
}

// CheckParts checks these flags, and the flags in parts, of a command whose work can be divided. It runs before anything is read. out is the path of
// the command's output, and kind its name in the help, for errors.
func (f *Flags) CheckParts(parts *cli.PartFlags, out *string, kind string) error {
	switch {
	case f.OnCluster() && (*out == "" || parts.Given()):
		return cli.Usagef("--on slurm: needs -o %s, and no --part or --parts", kind)
	case parts.Given() && *out == "":
		return cli.Usagef("--part, --parts: want -o %s", kind)
	}
	return cmp.Or(parts.Parse(out), f.Check("on"))
}

// Units does the units of a plan on a cluster. It prints nothing unless it was asked to detach.
func (f *Flags) Units(cmd *cobra.Command, dir string, plan pipeline.Plan, o pipeline.Options, threads int, show *pipeline.Progress) error {
	stderr := cmd.ErrOrStderr()
	memory, err := f.memory(plan.Units)
	if err != nil {
		return err
	}
	e, err := cluster.New(cmd.Context(), dir, &slurm.Slurm{Args: f.Args}, cluster.Settings{
		Name: plan.Name, Target: time.Duration(f.Target) * time.Minute, Poll: f.Poll, Detach: f.Detach, Threads: threads, Memory: memory,
		Note: func(text string) { show.Note(stderr, text) },
	}, pipeline.Execute)
	if err != nil {
		return err
	}
	o.Engine = e
	err = pipeline.Run(cmd.Context(), dir, plan, o)
	show.Close()
	left := strings.Join(e.Left(), ", ")
	again := "give the same command again to go on"
	switch {
	case errors.Is(err, cluster.ErrDetached):
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %d of %d units are done; in the queue: job %s; %s\n", dir, show.Done(), len(plan.Units), left, again)
		return err
	case left == "" || err != nil && cmd.Context().Err() == nil:
		return err
	case err == nil: // the plan was abandoned
		return cancelAll(cmd.Context(), e)
	case !isTerminal(os.Stdin) || !isTerminal(stderr) || !wantsCancel(os.Stdin, stderr, left):
		return fmt.Errorf("interrupted: %d of %d units are done in %s; in the queue stay job %s; %s", show.Done(), len(plan.Units), dir, left, again)
	}
	if err := cancelAll(context.WithoutCancel(cmd.Context()), e); err != nil {
		return fmt.Errorf("job %s: %w", left, err)
	}
	return fmt.Errorf("interrupted: %d of %d units are done in %s; the jobs are cancelled; %s", show.Done(), len(plan.Units), dir, again)
}

// memory returns the memory of a task by stage. It refuses a stage that no unit has.
func (f *Flags) memory(all []pipeline.Unit) (cluster.Memories, error) {
	memory, err := cluster.ParseMemories(f.Memory)
	if err != nil {
		return nil, err
	}
	stages := map[string]bool{"": true}
	for _, u := range all {
		stages[u.Stage] = true
	}
	for stage := range memory {
		if !stages[stage] {
			delete(stages, "")
			return nil, cli.Usagef("--memory %s=%v: no such stage: there is %s", stage, memory[stage], strings.Join(slices.Sorted(maps.Keys(stages)), ", "))
		}
	}
	return memory, nil
}

// Quietly returns err, or nil if err only says that jobs were left in the queue, as the user wanted.
func Quietly(err error) error {
	if errors.Is(err, cluster.ErrDetached) {
		return nil
	}
	return err
}

// cancelAll takes jobs out of the queue.
func cancelAll(ctx context.Context, e *cluster.Engine) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	return e.Cancel(ctx)
}

func isTerminal(w io.Writer) bool {
	_, ok := progress.Terminal(w)
	return ok
}

// wantsCancel asks whether to cancel jobs. Without a clear yes they stay.
func wantsCancel(in io.Reader, out io.Writer, left string) bool {
	fmt.Fprintf(out, "Job %s is in the queue. Cancel it? [y/N] ", left)
	answer, _ := bufio.NewReader(in).ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}
