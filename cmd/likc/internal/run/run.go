// Package run holds the commands on a whole pipeline: run and report.
package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"likc/cmd/likc/internal/cli"
	"likc/cmd/likc/internal/remote"
	"likc/runtime/num/notation"
	"likc/runtime/sys/interrupt"
	"likc/search/work/pipeline"
	"likc/search/work/recipe"
	"likc/testdata"

	"github.com/spf13/cobra"
)

// runFlags are the flags of the command run.
type runFlags struct {
	Dir          string `flag:"output,o" value:"DIR" help:"DIR of the run (default: runs/NAME, by the name in the file)"`
	Threads      int    `flag:"threads" in:"[0,4096]" help:"processors to use; 0: all. Results do not depend on it"`
	AnyCode      bool   `flag:"any-code" help:"take what other versions of likc made as it is; the manifest says which did"`
	List         bool   `flag:"list" help:"print the units and their commands, and run nothing"`
	remote.Flags `title:"Cluster" but:"on.flag=engine"`
}

// NewRun returns the command run.
func NewRun() *cobra.Command {
	return cli.Command(&runFlags{}, &cobra.Command{
		Use:         "run PIPELINE.toml",
		Annotations: cli.KeepsWork,
		Short:       "Run a pipeline from the simulator to the report; what is done is not done again",
		Example:     `  likc run quick -o run`,
		Long: `Run every stage of a pipeline: banks, teacher, gate, searches, judge, what stands beside the table (screen, refits
with longer chains, new rows, searches on ungrouped rows), table, held-out check, posterior predictive checks, calibration,
audit, ablation, report. A stage is there if its table is in the file. PIPELINE.toml is a file, or a pipeline that comes with likc: ` + strings.Join(testdata.PipelineNames(), ", ") + `.

Work is done in units, such as one search. A unit is known by the hash of its settings, of its inputs and of the version of
the code; one that is done and unchanged is skipped. An interrupted run, killed at any moment, goes on when the same command
is given again, to the same bytes in the end. Where a unit fails, those that do not need it are done all the same. Then the run ends
with an error that names each unit that failed, and the same command tries those again. In the run's folder are plan.json, manifest.json (hashes, seeds, versions), a
folder a unit with its record unit.json, and logs.

With --engine slurm the units are done by the machines of a Slurm cluster, to the same bytes; DIR must lie where all of them see it
(docs/how-to/cluster.md). Ctrl-C asks whether to cancel the jobs; without a terminal they stay in the queue. The same command finds them
again.`,
		Args: cli.Exactly("PIPELINE.toml"),
	})
}

// Run runs the pipeline, or lists its units.
func (f *runFlags) Run(cmd *cobra.Command, args []string) error {
	name := args[0]
	if err := f.Check("engine"); err != nil {
		return err
	}
	r, err := interrupt.WhileReading(func() (*recipe.Recipe, error) { return recipe.Open(name) })
	if err != nil {
		return err
	}
	plan, err := r.Plan(committed)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if f.List {
		return listPlan(cmd.OutOrStdout(), plan)
	}
	dir := cmp.Or(f.Dir, filepath.Join("runs", r.Name))
	code, err := pipeline.Code()
	if err != nil {
		return err
	}
	threads := cmp.Or(f.Threads, runtime.GOMAXPROCS(0))
	show := pipeline.NewProgress(cmd.ErrOrStderr(), plan.Units)
	defer show.Close()
	options := pipeline.Options{Code: code, AnyCode: f.AnyCode, Engine: pipeline.NewLocal(threads, pipeline.Execute), Notify: show.Event}
	if f.OnCluster() {
		err = f.Units(cmd, dir, plan, options, threads, show)
	} else {
		err = pipeline.Run(cmd.Context(), dir, plan, options)
	}
	show.Close()
	if n := show.Outdated(); n > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: another version of likc had made %s, which this one makes again; --any-code keeps them\n", dir, notation.Count(n, "unit"))
	}
	if cmd.Context().Err() != nil && errors.Is(err, context.Canceled) {
		return fmt.Errorf("interrupted: %d of %d units are done in %s; give the same command again to go on", show.Done(), len(plan.Units), dir)
	}
	if err != nil {
		return remote.Quietly(err)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, %d made now; the report is %s\n", dir, notation.Count(len(plan.Units), "unit"), show.Made(),
		filepath.Join(dir, "report", "index.html"))
	return err
}

// committed returns the path of data that come with the program.
func committed(name string) (string, error) {
	dir, err := cli.Committed(name)
	if errors.Is(err, cli.ErrNotCommitted) {
		return "", fmt.Errorf("%s: no such file or folder, nor data that comes with likc: %s", name, strings.Join(testdata.FolderNames(), ", "))
	}
	return dir, err
}
