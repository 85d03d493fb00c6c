// Package fit holds the commands that fit trials and look at draws: fit and diagnose.
package fit

import (
	"context"
	"errors"
	"fmt"
	"io"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/engine"
	"likc/runtime/fit"
	"likc/runtime/fit/folder"
	"likc/runtime/interrupt"
	"likc/runtime/progress"
	"likc/runtime/trials"

	"github.com/spf13/cobra"
)

// fitFlags are what fit was asked for.
type fitFlags struct {
	data      cli.DataFlags
	sampler   cli.SamplerFlags
	spec      specFlags
	outliers  outlierFlags
	study     studyFlags
	engine    string
	dir       string
	threads   int
	mode      bool
	asJSON    bool
	png       bool
	noFigures bool
	figures   bool // all of them for every subject
	resume    bool
	again     string      // the folder of a fit to repeat
	want      *fit.Record // of the fit that is repeated; nil for none
	predict   predictFlags
}

// NewFit is the command fit.
func NewFit() *cobra.Command { return newFit(&fitFlags{}) }

func newFit(f *fitFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fit MODEL --data DATA",
		Short: "Bayesian fit of one subject or of many, by NUTS",
		Long: `Fit draws from the posterior of a model's parameters, given the trials of one subject: all rows of the data, those of
--only ID, or with --subject COLUMN those of each subject in turn, in parallel. MODEL may be the folder of a teacher.

Priors are uniform over each parameter's range unless --prior says otherwise:
  --prior 'v=normal(0,2)' --prior 'a=gamma(mean=1.5,sd=0.75)' --prior 't=halfnormal(0.5)'
Families: uniform, normal, truncnormal, lognormal, student_t, cauchy, halfnormal, halfcauchy, gamma, beta, exponential, weibull.
--prior-preset hssm takes the defaults that HSSM documents for the model, paper uniform priors over the paper's ranges.

Ranges are the model's (likc models) unless --range says otherwise. An exact density is right everywhere, so a prior gives its
parameter all of the prior's support. A teacher, and a formula that stands in for a density, refuse ranges beyond their own, and
cut priors to them. A parameter that the model's support bounds by the data, as t < rt does, is cut to that bound as well.
--fix holds a parameter at a value: it is not sampled, and has no column in the draws.

` + studyHelp + presetHelp() + `
A fit of a density has PSIS-LOO and WAIC, which say how well the model predicts a trial from all others; likc compare compares
fits by them. An expression that stands in for a density has none.

With --lapse, a share of the trials is uniform over a window of response times and over the choices, so that a response before all
others moves nothing. Estimate the probability, as with --lapse 'beta(1,20)', rather than fix it.

With --deadline, trials without response count as responses that would have come later; the model must be a density.

With -o DIR: DIR/summary.json, DIR/chain_K.csv in Stan's form, DIR/loo.csv with PSIS-LOO of each trial, and figures; with many
subjects a folder for each, and DIR/subjects.csv with a row for each. --predictive N writes DIR/predictive.parquet: of N draws, as
many simulated trials as the data have. --prior-only draws from the priors instead: what does the model expect before it has seen
the data? --by COLUMN draws observed and predicted trials of each condition, and quantiles of their response times. Traces and
pairs of many subjects are drawn with --all-figures only: they take longer than the fits. DIR appears whole, or not at all, and takes an older fit's place.

Ctrl-C keeps what was drawn, if need be without its figures, and says so in summary.json: "partial" is true. The same command with
--resume goes on from there, or from some seconds before a kill, to the draws of a fit that was never ended.

summary.json records how the fit came about: priors, ranges, the data and their SHA-256, settings, version and processor.
--again DIR repeats the fit in DIR from that record, and says whether the draws are the same, byte for byte.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.again != "" {
				return cli.Exactly()(cmd, args)
			}
			return cli.Exactly("MODEL")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.again != "" {
				return runAgain(cmd, f)
			}
			return runFit(cmd, args[0], f)
		},
	}
	f.data.AddFit(cmd)
	f.spec.add(cmd)
	f.outliers.add(cmd)
	f.study.add(cmd)
	f.sampler.Add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.engine, "engine", "", "tree, ir, bound or go (default: the fastest that is ready)")
	flags.StringVarP(&f.dir, "output", "o", "", "`DIR` for draws, summaries and figures")
	flags.IntVar(&f.threads, "threads", 0, "processors to use; 0: all. Draws do not depend on it")
	flags.BoolVar(&f.mode, "map", false, "find the posterior mode instead, with Laplace's standard deviations")
	flags.BoolVar(&f.asJSON, "json", false, "print JSON")
	flags.BoolVar(&f.png, "png", false, "write figures as PNG too")
	flags.BoolVar(&f.noFigures, "no-figures", false, "write no figures")
	flags.BoolVar(&f.figures, "all-figures", false, "draw traces and pairs of many subjects too")
	flags.BoolVar(&f.resume, "resume", false, "go on where the fit that fills DIR was ended; the draws are those of one that was not")
	flags.StringVar(&f.again, "again", "", "repeat the fit in `DIR`, and say whether the draws are the same; --data and --threads may differ")
	f.predict.add(cmd)
	cmd.MarkFlagsMutuallyExclusive("no-figures", "all-figures")
	return cmd
}

func runFit(cmd *cobra.Command, name string, f *fitFlags) error {
	model, err := cli.ReadModel(name)
	if err != nil {
		return err
	}
	if f.study.wanted() {
		return f.runStudy(cmd, model, name)
	}
	if err := idle(cmd, "effects", "link"); err != nil {
		return cli.Usagef("%w: only with --formula or --preset", err)
	}
	model, done, err := f.outliers.apply(model, &f.data, &f.spec)
	defer done()
	if err != nil {
		return err
	}
	spec, err := f.spec.parse(model)
	if err != nil {
		return err
	}
	settings, err := f.settings()
	if err != nil {
		return err
	}
	for _, note := range spec.Notes {
		fmt.Fprintf(cmd.ErrOrStderr(), "likc: note: %s\n", note)
	}
	if err := cli.NoteGate(cmd.ErrOrStderr(), model, name); err != nil {
		return err
	}
	ctx := cmd.Context()
	in, err := interrupt.Until(ctx, func() (*input, error) { return f.read(spec, cmd.ErrOrStderr()) })
	if ctx.Err() != nil {
		return errNothing
	}
	if err != nil {
		return err
	}
	if f.want != nil {
		if err := f.want.Check(spec, &in.source); err != nil {
			return err
		}
	}
	settings.Record = spec.Record(fit.Record{Data: &in.source, Engine: f.engine, Command: commandOf(cmd, name)}, settings)
	binder, err := interrupt.Until(ctx, func() (*engine.Binder, error) { return cli.OpenEngine(model, f.engine, engine.Auto) })
	if ctx.Err() != nil {
		return errNothing
	}
	if err != nil {
		return err
	}
	defer binder.Close()
	if err := f.outliers.setWindow(in.subjects, cmd.ErrOrStderr()); err != nil {
		return err
	}
	settings.Lapse = f.outliers.mixture
	noteMass(cmd.ErrOrStderr(), model, binder)
	out := output{fitFlags: f, spec: spec, draws: settings.Sampler.NumSamples, chains: settings.Sampler.NumChains, stdout: cmd.OutOrStdout(), stderr: cmd.ErrOrStderr()}
	return out.run(ctx, binder, in.subjects, settings)
}

// errNothing is the error of a fit that was interrupted before there was anything to keep.
var errNothing = errors.New("interrupted: nothing was drawn yet, and nothing written")

// settings turns the flags into settings, and finds out before any data are read whether they can be.
func (f *fitFlags) settings() (s fit.Settings, err error) {
	if _, err := engine.Parse(f.engine); err != nil {
		return s, cli.Usagef("--engine %w", err)
	}
	s = fit.Settings{Mode: f.mode, LOO: !f.predict.noLOO, PriorOnly: f.predict.priorOnly, Threads: f.threads}
	if err := f.predict.check(f.dir); err != nil {
		return s, err
	}
	if s.Sampler, err = f.sampler.Settings(); err != nil {
		return s, err
	}
	if err := cli.Within("--threads", f.threads, 0, cli.MaxThreads); err != nil {
		return s, err
	}
	switch {
	case f.png && f.noFigures:
		return s, cli.Usagef("--png: there are no figures with --no-figures")
	case f.resume && f.dir == "":
		return s, cli.Usagef("--resume: wants -o DIR of the fit that was ended")
	case f.png && f.dir == "":
		return s, cli.Usagef("--png: wants -o DIR, where the figures are written")
	case f.figures && f.dir == "":
		return s, cli.Usagef("--all-figures: wants -o DIR, where the figures are written")
	case f.mode && f.predict.draws > 0:
		return s, cli.Usagef("--predictive %d: not with --map: a posterior mode has no draws", f.predict.draws)
	case f.mode && f.predict.by != "":
		return s, cli.Usagef("--by %s: not with --map: a posterior mode has no figures", f.predict.by)
	case f.resume && f.mode:
		return s, cli.Usagef("--resume: a posterior mode is found at once: there is nothing to go on from")
	case f.dir == "":
		return s, nil
	}
	return s, ofOutput(folder.Check(f.dir))
}

// ofOutput names the flag in an error of its folder.
func ofOutput(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.As(err, new(folder.TakenError)), errors.As(err, new(folder.OtherFitError)):
		return cli.Usagef("--output %w", err)
	}
	return fmt.Errorf("--output %w", err)
}

// input is what is fitted with a model.
type input struct {
	subjects []fit.Subject
	source   trials.Source
}

// read reads the trials, and finds out before anything is drawn whether every subject can be fitted.
func (f *fitFlags) read(spec *fit.Spec, stderr io.Writer) (*input, error) {
	table, err := f.data.ReadWith(spec.Model, f.predict.columns(), stderr)
	if err != nil {
		return nil, err
	}
	in := &input{[]fit.Subject{{Label: f.data.Only, Columns: table.Columns, Choice: table.Choice}}, table.Source}
	if f.many() {
		in.subjects = folder.Subjects(table)
	}
	if err := f.predict.addConditions(in.subjects, table); err != nil {
		return nil, err
	}
	return in, fit.Check(spec, in.subjects)
}

// many reports whether each subject of the data is fitted by itself.
func (f *fitFlags) many() bool {
	return f.data.Subject != "" && f.data.Only == "" && !f.study.wanted()
}

// idle is an error that names the first of the flags that was set; nil if none was.
func idle(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if cmd.Flags().Changed(name) {
			return errors.New("--" + name)
		}
	}
	return nil
}

// output shows and keeps the results of one call.
type output struct {
	*fitFlags
	spec           *fit.Spec
	chains, draws  int // that were asked for
	stdout, stderr io.Writer
}

// run fits the subjects. Their folder is made before, so that a place where nothing can be written is found at once.
func (o *output) run(ctx context.Context, b *engine.Binder, subjects []fit.Subject, s fit.Settings) error {
	place := func([]*fit.Result) (string, error) { return "", nil }
	if o.dir != "" {
		simulate, err := o.predict.simulator(o.spec, b)
		if err != nil {
			return err
		}
		dir, err := folder.New(o.dir, folder.Settings{Spec: o.spec, Simulate: simulate, Predictive: o.predict.draws, Seed: s.Sampler.Seed,
			NoFigures: o.noFigures, AllFigures: o.figures, PNG: o.png, Key: keyOf(s.Record), Resume: o.resume})
		if err != nil {
			return ofOutput(err)
		}
		defer dir.Discard()
		if o.resume && !dir.Resumes() {
			if isWhole(o.dir, s.Record) {
				_, err := fmt.Fprintf(o.stdout, "%s holds this fit, and it is whole: there is nothing to resume\n", o.dir)
				return err
			}
			fmt.Fprintf(o.stderr, "likc: note: %s: there is nothing to resume: the fit begins\n", o.dir)
		}
		s.Save, s.Keep, place = dir.Save, dir.Keeper, dir.Place
	}
	bars := progress.NewBars(o.stderr)
	s.Chain, s.Finished = bars.Chain, bars.Subjects
	all := fit.Run(ctx, o.spec, b, subjects, s)
	bars.Close()
	return o.finish(ctx, all, place)
}

// finish puts the results in their place, shows them, and says what is missing.
func (o *output) finish(ctx context.Context, all []*fit.Result, place func([]*fit.Result) (string, error)) error {
	dir, err := place(all) // before anything is printed: a terminal that is gone must not lose a fit
	kept := fit.Keep(all)
	if o.want == nil {
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
