// Package fit holds the commands that fit trials and look at draws: fit and diagnose.
package fit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"likc/cmd/likc/internal/cli"
	"likc/runtime/catalog"
	"likc/runtime/engine"
	"likc/runtime/nuts"
	"likc/runtime/posterior"
	"likc/runtime/store"
	"likc/runtime/trials"

	"github.com/spf13/cobra"
)

// fitFlags are what fit was asked for.
type fitFlags struct {
	data      cli.DataFlags
	sampler   cli.SamplerFlags
	engine    string
	priors    []string
	dir       string
	threads   int
	mode      bool
	asJSON    bool
	png       bool
	noFigures bool
	figures   bool // all of them for every subject
}

func NewFit() *cobra.Command {
	f := &fitFlags{}
	cmd := &cobra.Command{
		Use:   "fit MODEL --data DATA",
		Short: "Bayesian fit of one subject or of many, by NUTS",
		Long: `Fit draws from the posterior of a model's parameters, given the trials of one subject: all rows of the data, those of
--only ID, or with --subject COLUMN those of each subject in turn, in parallel. MODEL may be the folder of a teacher.

Priors are uniform over each parameter's range unless --prior says otherwise:
  --prior 'v=normal(0,2)' --prior 'a=gamma(mean=1.5,sd=0.75)' --prior 't=halfnormal(0.5)'
Families: uniform, normal, halfnormal, halfcauchy, gamma, beta, exponential, weibull. A prior is cut to the range. A
parameter that the model's support bounds by the data, as t < rt does, is cut to that bound as well.

With -o DIR: DIR/summary.json, DIR/chain_K.csv in Stan's form, and figures; with many subjects a folder for each, and
DIR/subjects.csv with a row for each. Traces and pairs of many subjects are drawn with --all-figures only: they take longer
than the fits. DIR appears whole, or not at all, and takes an older fit's place.

Ctrl-C keeps what was drawn, if need be without its figures, and says so in summary.json: "partial" is true.`,
		Args: cli.Exactly("MODEL"),
		RunE: func(cmd *cobra.Command, args []string) error { return runFit(cmd, args[0], f) },
	}
	f.data.Add(cmd)
	f.sampler.Add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.engine, "engine", "", "tree, ir, bound or go (default: the fastest that is ready)")
	flags.StringArrayVar(&f.priors, "prior", nil, "`NAME=PRIOR` of one parameter (repeatable; default: uniform over its range)")
	flags.StringVarP(&f.dir, "output", "o", "", "`DIR` for draws, summaries and figures")
	flags.IntVar(&f.threads, "threads", 0, "processors to use; 0: all. Draws do not depend on it")
	flags.BoolVar(&f.mode, "map", false, "find the posterior mode instead, with Laplace's standard deviations")
	flags.BoolVar(&f.asJSON, "json", false, "print JSON")
	flags.BoolVar(&f.png, "png", false, "write figures as PNG too")
	flags.BoolVar(&f.noFigures, "no-figures", false, "write no figures")
	flags.BoolVar(&f.figures, "all-figures", false, "draw traces and pairs of many subjects too")
	cmd.MarkFlagsMutuallyExclusive("no-figures", "all-figures")
	return cmd
}

func runFit(cmd *cobra.Command, name string, f *fitFlags) error {
	src, err := cli.ReadModel(name)
	if err != nil {
		return err
	}
	if _, err := engine.Parse(f.engine); err != nil {
		return cli.Usagef("--engine %w", err)
	}
	priors, err := parsePriors(src, f.priors)
	if err != nil {
		return err
	}
	settings, err := f.sampler.Settings()
	if err != nil {
		return err
	}
	if f.threads < 0 {
		return cli.Usagef("--threads %d: want 0 or more", f.threads)
	}
	target, err := fitFolder(f.dir)
	if err != nil {
		return err
	}
	r := &fitRun{fitFlags: f, src: src, priors: priors, settings: settings, target: target, stderr: cmd.ErrOrStderr(), stdout: cmd.OutOrStdout()}
	jobs, err := cli.Until(cmd.Context(), r.read)
	if cmd.Context().Err() != nil {
		return errNothing
	}
	if err != nil {
		return err
	}
	r.binder, err = cli.Until(cmd.Context(), func() (*engine.Binder, error) { return cli.OpenEngine(src, f.engine, engine.Auto) })
	if cmd.Context().Err() != nil {
		return errNothing
	}
	if err != nil {
		return err
	}
	defer r.binder.Close()
	return r.run(cmd.Context(), jobs)
}

// errNothing is the error of a fit that was interrupted before there was anything to keep.
var errNothing = errors.New("interrupted: nothing was drawn yet, and nothing written")

// read reads the trials, and finds out before anything is drawn whether every subject can be fitted.
func (r *fitRun) read() ([]job, error) {
	table, err := r.data.Read(r.src, r.stderr)
	if err != nil {
		return nil, err
	}
	jobs := r.jobs(table)
	for i := range jobs {
		if _, err := r.src.Parameters(r.priors, jobs[i].columns, jobs[i].choice); err != nil {
			return nil, jobs[i].errorf(err)
		}
	}
	return jobs, nil
}

// run fits the jobs. Its folder is made before, so that a place where nothing can be written is found at once.
func (r *fitRun) run(ctx context.Context, jobs []job) (err error) {
	if r.dir != "" {
		if r.folder, err = store.NewFolder(r.target); err != nil {
			return fmt.Errorf("--output %s: %w", r.dir, err)
		}
		defer r.folder.Discard()
	}
	return r.finish(ctx, r.all(ctx, jobs))
}

// fitRun fits subjects with one model and one set of flags.
type fitRun struct {
	*fitFlags
	binder         *engine.Binder
	src            *catalog.Model
	priors         map[string]posterior.Prior
	settings       nuts.Settings
	many           bool
	target         string        // where the folder goes: dir, its links followed
	folder         *store.Folder // where it is filled; nil if none is wanted
	stdout, stderr io.Writer
}

// jobs are the subjects to fit.
func (r *fitRun) jobs(t *trials.Table) []job {
	r.many = r.data.Subject != "" && r.data.Only == ""
	if !r.many {
		return []job{{label: r.data.Only, columns: t.Columns, choice: t.Choice}}
	}
	jobs, labels := make([]job, len(t.Subjects)), make([]string, len(t.Subjects))
	for i, s := range t.Subjects {
		labels[i] = s.Label
	}
	folders := subjectFolders(labels)
	for i, s := range t.Subjects {
		jobs[i].label, jobs[i].folder = s.Label, folders[i]
		jobs[i].columns, jobs[i].choice = t.Of(s)
	}
	return jobs
}
