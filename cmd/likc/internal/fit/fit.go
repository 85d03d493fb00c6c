// Package fit holds the commands that fit trials and look at draws: fit and diagnose.
package fit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"likc/cmd/likc/internal/cli"
	"likc/cmd/likc/internal/remote"
	"likc/runtime/fit"
	"likc/runtime/fit/folder"
	"likc/runtime/fit/hierarchy"
	"likc/runtime/fit/progress"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/trials"
	"likc/runtime/sys/interrupt"

	"github.com/spf13/cobra"
)

// fitFlags are the flags of the command fit.
type fitFlags struct {
	fittedFlags
	predictFlags     `title:"Predictions"`
	cli.SamplerFlags `title:"Sampler"`
	cli.PartFlags
	remote.Flags `title:"Cluster"`
	Engine       cli.Engine `flag:"engine" help:"tree, ir, bound or go (default: the fastest that is ready)"`
	Dir          string     `flag:"output,o" value:"DIR" help:"DIR for draws, summaries and figures"`
	Threads      int        `flag:"threads" in:"[0,4096]" help:"processors to use; 0: all. Draws do not depend on it"`
	Mode         bool       `flag:"map" help:"find the posterior mode instead, with Laplace's standard deviations"`
	JSON         bool       `flag:"json" help:"print JSON"`
	PNG          bool       `flag:"png" wants:"-o DIR, where the figures are written" help:"write figures as PNG too"`
	NoFigures    bool       `flag:"no-figures" not:"all-figures" help:"write no figures, and do not check predictions"`
	AllFigures   bool       `flag:"all-figures" wants:"-o DIR, where the figures are written" help:"draw traces and pairs of many subjects too"`
	Zarr         bool       `flag:"zarr" wants:"-o DIR, where the store is written" not:"map" help:"with -o: write DIR/draws.zarr, a store of draws, statistics and log densities that ArviZ and xarray open"`
	LogLik       bool       `flag:"log-lik" wants:"-o DIR, where the file is written" not:"map no-loo prior-only" help:"with -o: write the log density of each trial at each draw to DIR/log_lik.parquet"`
	Resume       bool       `flag:"resume" wants:"-o DIR of the fit that was ended" help:"go on where the fit that fills DIR was ended; the draws are those of one that was not"`
	Again        string     `flag:"again" value:"DIR" help:"repeat the fit in DIR, and say whether the draws are the same; --data and --threads may differ"`

	repeats *fit.Record // record of the fit that is repeated; nil for none
	many    bool        // whether each subject of the data is fitted by itself
	cli.ExecFlags
}

// fittedFlags describe a fit: trials, priors, ranges, formulas, and additions to the model such as lapses.
type fittedFlags struct {
	cli.DataFlags `title:"Data"`
	fit.Wishes    `title:"Priors, ranges and formulas"`
	OutlierFlags  `title:"Lapses and deadlines"`
}

// NewFit returns the command fit.
func NewFit() *cobra.Command { return newFit(&fitFlags{}) }

func newFit(f *fitFlags) *cobra.Command {
	f.Careful = true
	return cli.Command(f, &cobra.Command{
		Use:         "fit MODEL --data DATA",
		Annotations: cli.KeepsWork,
		Short:       "Bayesian fit of one subject or of many, by NUTS",
		Long:        fitHelp(),
		Args: func(cmd *cobra.Command, args []string) error {
			if f.Again != "" {
				return cli.Exactly()(cmd, args)
			}
			return cli.Exactly("MODEL")(cmd, args)
		},
	})
}

// Run fits, or repeats a fit.
func (f *fitFlags) Run(cmd *cobra.Command, args []string) error {
	if err := cli.CheckReplaced(cmd, args, "--output", f.Dir); err != nil {
		return err
	}
	if f.Again != "" {
		return runAgain(cmd, f)
	}
	return runFit(cmd, args[0], f)
}

func runFit(cmd *cobra.Command, name string, f *fitFlags) error {
	if err := f.checkDestinations(); err != nil {
		return err
	}
	model, err := cli.ReadModel(name)
	if err != nil {
		return err
	}
	wrapped, spec, err := f.extend(cmd, model)
	if err != nil {
		return err
	}
	if wrapped != nil {
		defer wrapped.Close()
	}
	settings, err := f.settings()
	if err != nil {
		return err
	}
	f.note(cmd.ErrOrStderr(), spec, name)
	in, binder, err := f.open(cmd, spec, wrapped)
	if err != nil {
		return err
	}
	defer binder.Close()
	settings.Record = spec.Record(fit.Record{Data: &in.Source, Notes: in.Notes, Engine: string(f.Engine), Command: f.command(cmd, name)}, settings, in.first)
	defer func() { noteInterpreted(cmd.ErrOrStderr(), spec.Model, binder.Slow()) }() // known only after trials were bound
	noteMass(cmd.ErrOrStderr(), spec.Model, binder)
	noteCaution(cmd.ErrOrStderr(), model, in.subjects)
	o := newOutput(cmd, f, spec, settings)
	if f.OnCluster() || len(f.Files) > 0 {
		return o.join(cmd, binder, settings, in.subjects)
	}
	from, to := f.Part.Share(len(in.subjects))
	return o.run(cmd.Context(), binder, settings, in.subjects[from:to])
}

// extend prepares the model with the additions that flags request, such as lapses; it returns a nil model if there are none.
// It also returns the specification of the fit.
func (f *fitFlags) extend(cmd *cobra.Command, m *catalog.Model) (*bound.Prepared, *fit.Spec, error) {
	f.likePreset(m, cmd.ErrOrStderr())
	wrapped, err := f.OutlierFlags.prepare(m, &f.DataFlags)
	if err != nil {
		return nil, nil, err
	}
	if wrapped != nil {
		m = wrapped.Model
	}
	spec, err := f.spec(m)
	if err == nil {
		err = f.separateSubjects(spec)
	}
	if err != nil && wrapped != nil {
		wrapped.Close()
	}
	return wrapped, spec, err
}

// separateSubjects finds out whether each subject is fitted separately. If formulas have terms for subjects, all are fitted as
// one study.
func (f *fitFlags) separateSubjects(spec *fit.Spec) error {
	f.many = f.Subject != "" && f.Only == "" && !f.Pool && !spec.Grouped()
	switch {
	case spec.Grouped() && f.divided():
		return cli.Usagef("--on: not with terms such as (1 | subject): one fit is not divided; give the command to a job of its own")
	case !f.many && f.divided():
		return cli.Usagef("--on slurm: needs --subject COLUMN, whose subjects are fitted apart; the fit of one is not divided")
	case spec.Grouped():
		f.Several()
	}
	return nil
}

// note prints remarks on the data and the model on stderr.
func (f *fitFlags) note(stderr io.Writer, spec *fit.Spec, name string) {
	for _, note := range spec.Notes {
		fmt.Fprintf(stderr, "likc: note: %s\n", note)
	}
	cli.NoteGate(stderr, spec.Model, name)
}

// open reads the trials and prepares the model; wrapped, if not nil, is the model already prepared. It ends when the
// command's context ends.
func (f *fitFlags) open(cmd *cobra.Command, spec *fit.Spec, wrapped *bound.Prepared) (in *input, b *bound.Prepared, err error) {
	ctx := cmd.Context()
	in, err = interrupt.Until(ctx, func() (*input, error) { return f.read(spec, cmd.ErrOrStderr()) })
	if ctx.Err() != nil {
		return nil, nil, errNothing
	}
	if err != nil {
		return nil, nil, err
	}
	if wrapped != nil {
		if err := f.Engine.CheckNone(spec.Model); err != nil {
			return nil, nil, err
		}
		b, err = f.setTimes(wrapped, in.subjects, cmd.ErrOrStderr())
		return in, b, err
	}
	b, err = interrupt.Until(ctx, func() (*bound.Prepared, error) { return cli.OpenEngine(spec.Model, string(f.Engine), bound.Auto) })
	if ctx.Err() != nil {
		return nil, nil, errNothing
	}
	return in, b, err
}

// errNothing is the error of a fit that was interrupted before there was anything to keep.
var errNothing = errors.New("interrupted: nothing was drawn yet, and nothing written")

// settings converts the flags into settings, and returns an error for impossible ones before any data are read.
func (f *fitFlags) settings() (s fit.Settings, err error) {
	s = fit.Settings{Mode: f.Mode, LOO: !f.NoLOO, PriorOnly: f.PriorOnly, Threads: f.Threads}
	if s.Sampler, err = f.SamplerFlags.Settings(); err != nil {
		return s, err
	}
	switch {
	case f.PNG && f.NoFigures:
		return s, cli.Usagef("--png: there are no figures with --no-figures")
	case f.Mode && f.Predictive > 0:
		return s, cli.Usagef("--predictive %d: not with --map: a posterior mode has no draws", f.Predictive)
	case f.Mode && f.By != "":
		return s, cli.Usagef("--by %s: not with --map: a posterior mode has no figures", f.By)
	case f.Resume && f.Mode:
		return s, cli.Usagef("--resume: a posterior mode is found at once: there is nothing to go on from")
	case f.Dir == "":
		return s, nil
	}
	return s, nameOutputFlag(folder.Check(f.Dir))
}

// nameOutputFlag adds the name of the flag --output to an error about its folder.
func nameOutputFlag(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.As(err, new(folder.TakenError)), errors.As(err, new(folder.OtherFitError)):
		return cli.Usagef("--output %w", err)
	}
	return fmt.Errorf("--output %w", err)
}

// input is the data and the specification that a model is fitted with.
type input struct {
	*trials.Table
	subjects []fit.Subject
	first    *hierarchy.Study // study of the first subject, not bound
}

// read reads the trials, and finds out before anything is drawn whether every subject can be fitted.
func (f *fitFlags) read(spec *fit.Spec, stderr io.Writer) (*input, error) {
	columns := slices.Sorted(slices.Values(append(spec.Columns(), f.extraColumns()...)))
	table, err := f.ReadWith(spec.Model, slices.Compact(columns), stderr)
	if err != nil {
		return nil, err
	}
	if f.repeats != nil {
		if err := f.repeats.Check(spec, &table.Source); err != nil {
			return nil, err
		}
	}
	f.noteOddities(stderr, spec, table)
	in := &input{Table: table, subjects: folder.Subjects(table, f.many, f.Only)}
	if err := f.addConditions(in.subjects, table); err != nil {
		return nil, err
	}
	in.first, err = fit.Check(spec, in.subjects)
	return in, nameFormulaFlag(err)
}

// output prints the results of a fit, or of the fits of all subjects, and writes them to the output folder.
type output struct {
	*fitFlags
	spec           *fit.Spec
	chains, draws  int // numbers that the user requested
	stdout, stderr io.Writer
}

func newOutput(cmd *cobra.Command, f *fitFlags, spec *fit.Spec, s fit.Settings) *output {
	return &output{fitFlags: f, spec: spec, draws: s.Sampler.NumSamples, chains: s.Sampler.NumChains, stdout: cmd.OutOrStdout(), stderr: cmd.ErrOrStderr()}
}

// run fits the subjects. It makes the folder first, so that a path where nothing can be written is an error at once.
func (o *output) run(ctx context.Context, b *bound.Prepared, s fit.Settings, subjects []fit.Subject) error {
	save := func([]*fit.Result) (string, error) { return "", nil }
	if o.Dir != "" {
		dir, err := o.folder(b, s, subjects)
		if err != nil {
			return err
		}
		defer dir.Discard()
		if o.Resume && !dir.Resumes() {
			if folder.IsComplete(o.Dir, s.Record) {
				_, err := fmt.Fprintf(o.stdout, "%s holds this fit, and it is whole: there is nothing to resume\n", o.Dir)
				return err
			}
			fmt.Fprintf(o.stderr, "likc: note: %s: there is nothing to resume: the fit begins\n", o.Dir)
		}
		s.Save, s.Keep, save = dir.Save, dir.Keeper, o.placing(ctx, dir)
	}
	bars := progress.NewBars(o.stderr)
	s.Chain, s.Finished = bars.Chain, bars.Subjects
	all := fit.Run(ctx, o.spec, b, subjects, s)
	bars.Close()
	return o.finish(ctx, all, save)
}

// folder makes the folder of -o.
func (o *output) folder(b *bound.Prepared, s fit.Settings, subjects []fit.Subject) (*folder.Folder, error) {
	simulator, err := o.simulator(o.spec, b, subjects)
	if err != nil {
		return nil, err
	}
	dir, err := folder.New(o.Dir, folder.Settings{Spec: o.spec, Simulator: simulator, Predictive: o.Predictive, CSV: o.CSV, Seed: s.Sampler.Seed,
		NoFigures: o.NoFigures, AllFigures: o.AllFigures, PNG: o.PNG, Zarr: o.Zarr, LogLik: o.LogLik, Key: s.Record.Key(), Resume: o.Resume})
	return dir, nameOutputFlag(err)
}

// finish moves the results into the output folder, prints them, and names the subjects that are missing.
func (o *output) finish(ctx context.Context, all []*fit.Result, save func([]*fit.Result) (string, error)) error {
	dir, err := save(all) // before printing, because printing fails if the terminal was closed, and then the fit must not be lost
	kept := fit.Keep(all)
	if o.Part.N > 0 {
		return err
	}
	if o.repeats == nil {
		if err := o.print(kept); err != nil {
			return err
		}
		for _, r := range kept.Kept {
			o.warn(r)
		}
	}
	if err != nil {
		return err
	}
	where := "printed"
	if dir != "" {
		where = "kept in " + dir
	}
	return o.missing(ctx, all, kept.Kept, where)
}
