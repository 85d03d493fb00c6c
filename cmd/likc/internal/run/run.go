// Package run holds the commands on a whole pipeline: run and report.
package run

import (
	"context"
	"errors"
	"fmt"
	"likc/cmd/likc/internal/cli"
	"likc/search/pipeline"
	"likc/search/recipe"
	"likc/testdata"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
)

// runFlags are what run was asked for.
type runFlags struct {
	dir     string
	threads int
	anyCode bool
	list    bool
}

func NewRun() *cobra.Command {
	f := &runFlags{}
	cmd := &cobra.Command{
		Use:   "run PIPELINE.toml",
		Short: "Run a pipeline from the simulator to the report; what is done is not done again",
		Long: `Run brings about every stage of a pipeline: banks, teacher, gate, searches, judge, what stands beside the table (screen, refits
with longer chains, new rows, searches on ungrouped rows), table, held-out check, posterior predictive checks, calibration,
audit, report. A stage is there if its table is in the file. PIPELINE.toml is a file, or a pipeline that comes with likc: ` + strings.Join(testdata.PipelineNames(), ", ") + `.

Work is done in units, such as one search. A unit is known by the hash of its settings, of its inputs and of the version of
the code; one that is done and unchanged is skipped. An interrupted run, killed at any moment, goes on when the same command
is given again, to the same bytes in the end. In the run's folder are plan.json, manifest.json (hashes, seeds, versions), a
folder a unit with its record unit.json, and logs.`,
		Args: cli.Exactly("PIPELINE.toml"),
		RunE: func(cmd *cobra.Command, args []string) error { return runPipeline(cmd, args[0], f) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.dir, "output", "o", "", "`DIR` of the run (default: runs/NAME, by the name in the file)")
	flags.IntVar(&f.threads, "threads", 0, "processors to use; 0: all. Results do not depend on it")
	flags.BoolVar(&f.anyCode, "any-code", false, "take what other versions of likc made as it is; the manifest says which did")
	flags.BoolVar(&f.list, "list", false, "print the units and their commands, and run nothing")
	return cmd
}

func runPipeline(cmd *cobra.Command, name string, f *runFlags) error {
	if f.threads < 0 {
		return cli.Usagef("--threads %d: want 0 or more", f.threads)
	}
	r, find, err := readRecipe(name)
	if err != nil {
		return err
	}
	plan, err := r.Plan(find)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if f.list {
		return listPlan(cmd.OutOrStdout(), plan)
	}
	dir := f.dir
	if dir == "" {
		dir = filepath.Join("runs", r.Name)
	}
	code, err := codeVersion()
	if err != nil {
		return err
	}
	threads := f.threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	show := newRunProgress(cmd.ErrOrStderr(), plan.Units)
	defer show.close()
	err = pipeline.Run(cmd.Context(), dir, plan, pipeline.Options{Code: code, AnyCode: f.anyCode, Threads: threads, Execute: execute, Notify: show.event})
	show.close()
	if cmd.Context().Err() != nil && errors.Is(err, context.Canceled) {
		return fmt.Errorf("interrupted: %d of %d units are done in %s; give the same command again to go on", show.finished(), len(plan.Units), dir)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, %d made now; the report is %s\n", dir, cli.Count(len(plan.Units), "unit"), show.made(),
		filepath.Join(dir, "report", "index.html"))
	return err
}

// readRecipe reads a pipeline's file, or one that comes with the program, and says where the names in it lead.
func readRecipe(name string) (*recipe.Recipe, recipe.Find, error) {
	folder, file := filepath.Dir(name), name
	text, err := cli.Reading(func() ([]byte, error) { return os.ReadFile(name) })
	if err != nil {
		builtin, ok := testdata.Pipeline(name)
		if !ok && os.IsNotExist(err) && !strings.ContainsAny(name, "./\\") {
			return nil, nil, fmt.Errorf("%s: no such pipeline; built in are %s", name, strings.Join(testdata.PipelineNames(), ", "))
		}
		if !ok {
			return nil, nil, fmt.Errorf("%s: %w", name, cli.Plain(err))
		}
		text, folder, file = []byte(builtin), "", name+".toml"
	}
	r, err := recipe.Parse(file, text)
	return r, func(path string) (string, error) { return findInput(folder, path) }, err
}

// findInput finds what a recipe names: a path below the recipe's folder, or data that comes with the program.
func findInput(folder, path string) (string, error) {
	if folder != "" || filepath.IsAbs(path) {
		full := path
		if !filepath.IsAbs(path) {
			full = filepath.Join(folder, path)
		}
		if _, err := os.Stat(full); err == nil {
			return filepath.Abs(full)
		}
	}
	dir, err := cli.Committed(path)
	if errors.Is(err, cli.ErrNotCommitted) {
		return "", fmt.Errorf("%s: no such file or folder, nor data that comes with likc: %s", path, strings.Join(testdata.FolderNames(), ", "))
	}
	return dir, err
}
