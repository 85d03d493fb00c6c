package run

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"likc/cmd/likc/internal/cli"
	"likc/cmd/likc/internal/remote"
	"likc/runtime/num/notation"
	"likc/search/work/cluster"
	"likc/search/work/pipeline"
	"likc/search/work/slurm"

	"github.com/spf13/cobra"
)

// statusFlags are the flags of the command status.
type statusFlags struct {
	JSON bool `flag:"json" help:"print one JSON object instead of tables"`
}

// NewStatus returns the command status.
func NewStatus() *cobra.Command {
	return cli.Command(&statusFlags{}, &cobra.Command{
		Use:     "status DIR",
		Short:   "How far a run is, on this machine or on a cluster, whoever steers it",
		Example: `  likc status run`,
		Long: `Look at the folder of likc run, or at what a command with --on slurm does for its output DIR, and ask the cluster's queue for
its jobs. This changes nothing, and the command that steers need not be there: it may have been detached, killed, or run elsewhere.

  done      units whose results are in their place
  at work   units on a machine of the cluster; queued: units that wait for one
  failed    units whose last attempt failed; the reasons stand below
  begun     other units with a log: at work where the command is that steers, or interrupted
  to come   the rest

  likc status runs/paper
  likc status recovery`,
		Args: cli.Exactly("DIR: a folder of likc run, or the output of a command that a cluster works for"),
	})
}

// patience is the time that the queue has to answer.
const patience = time.Minute

// Run reads the state of the run and prints it.
func (f *statusFlags) Run(cmd *cobra.Command, args []string) error {
	dir := args[0]
	if _, err := os.Stat(filepath.Join(dir, pipeline.PlanFile)); err != nil {
		if parts := remote.Folder(dir); isFolder(parts) {
			dir = parts
		}
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), patience)
	defer cancel()
	view, err := cluster.Look(ctx, dir, &slurm.Slurm{})
	if err != nil {
		return err
	}
	if f.JSON {
		return cli.PrintJSON(cmd.OutOrStdout(), view)
	}
	return printStatus(cmd.OutOrStdout(), dir, view)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// printStatus prints a table of stages, the queue and the failures.
func printStatus(w io.Writer, dir string, v *cluster.View) error {
	var all pipeline.StageView
	for _, s := range v.Stages {
		all.Units, all.Done = all.Units+s.Units, all.Done+s.Done
	}
	steered := "no command works on it now"
	if v.Steered {
		steered = "a command works on it now"
	}
	fmt.Fprintf(w, "%s: %s, %d of %s done; %s\n\n", dir, v.Pipeline, all.Done, notation.Count(all.Units, "unit"), steered)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "stage\tunits\tdone\tat work\tqueued\tfailed\tbegun\tto come\t")
	for _, s := range v.Stages {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n", s.Stage, s.Units, s.Done, s.AtWork, s.Queued, s.Failed, s.Begun, s.ToCome())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if v.Silent != "" {
		fmt.Fprintf(w, "\nthe queue does not answer: %s\n", v.Silent)
	}
	for _, a := range v.Queue {
		fmt.Fprintf(w, "\njob %s: %s, %d at work", a.Job, notation.Count(a.Tasks, "task"), a.Running)
		if len(a.Why) > 0 {
			fmt.Fprintf(w, "; waits: %s", strings.Join(a.Why, ", "))
		}
		fmt.Fprintln(w)
	}
	for _, failure := range v.Failures {
		fmt.Fprintf(w, "\n%s: %s\n", failure.Unit, failure.Error)
	}
	return nil
}
