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

// fitFlags are what fit was asked for.
type fitFlags struct {
	data      cli.DataFlags
	sampler   cli.SamplerFlags
	spec      specFlags
	outliers  outlierFlags
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
	many      bool        // each subject of the data is fitted by itself
	predict   predictFlags
	parts     cli.PartFlags
	cluster   remote.Flags
}

// NewFit is the command fit.
func NewFit() *cobra.Command { return newFit(&fitFlags{}) }

func newFit(f *fitFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fit MODEL --data DATA",
		Short: "Bayesian fit of one subject or of many, by NUTS",
		Long:  fitHelp(),
		Args: func(cmd *cobra.Command, args []string) error {
			if f.again != "" {
				return cli.Exactly()(cmd, args)
			}
			return cli.Exactly("MODEL")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cli.CheckReplaced(cmd, args, "--output", f.dir); err != nil {
				return err
			}
			if f.again != "" {
				return runAgain(cmd, f)
			}
			return runFit(cmd, args[0], f)
		},
	}
	f.add(cmd)
	return cmd
}

func (f *fitFlags) add(cmd *cobra.Command) {
	f.data.AddFit(cmd)
	f.spec.add(cmd)
	f.outliers.add(cmd)
	f.sampler.Add(cmd)
	f.parts.Add(cmd)
	f.cluster.Add(cmd)
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
	cli.Exclusive(cmd, "no-figures", "all-figures")
}

func runFit(cmd *cobra.Command, name string, f *fitFlags) error {
	if err := f.checkPlaces(); err != nil {
		return err
	}
	if !f.spec.hasFormulas() {
		if err := idle(cmd, "effects", "link"); err != nil {
			return cli.Usagef("%w: only with --formula or --preset", err)
		}
	}
	model, err := cli.ReadModel(name)
	if err != nil {
		return err
	}
	extended, spec, err := f.extend(cmd, model)
	if err != nil {
		return err
	}
	defer extended.Close()
	settings, err := f.settings()
	if err != nil {
		return err
	}
	f.note(cmd.ErrOrStderr(), spec, name)
	in, binder, err := f.open(cmd, spec)
	if err != nil {
		return err
	}
	defer binder.Close()
	settings.Record = spec.Record(fit.Record{Data: &in.Source, Notes: in.Notes, Engine: f.engine, Command: f.command(cmd, name)}, settings, in.first)
	if settings.Lapse, err = f.outliers.setWindow(extended, in.subjects, cmd.ErrOrStderr()); err != nil {
		return err
	}
	noteMass(cmd.ErrOrStderr(), spec.Model, binder)
	noteCaution(cmd.ErrOrStderr(), model, in.subjects)
	o := newOutput(cmd, f, spec, settings)
	if f.cluster.OnCluster() || len(f.parts.Files) > 0 {
		return o.join(cmd, binder, settings, in.subjects)
	}
	from, to := f.parts.Part.Share(len(in.subjects))
	return o.run(cmd.Context(), binder, settings, in.subjects[from:to])
}

// extend gives the model what flags add to it, and reads what is fitted.
func (f *fitFlags) extend(cmd *cobra.Command, m *catalog.Model) (*fit.Extended, *fit.Spec, error) {
	f.likePreset(m, cmd.ErrOrStderr())
	x, err := f.outliers.extend(m, &f.data, &f.spec)
	if err != nil {
		return nil, nil, err
	}
	spec, err := f.spec.parse(x, f.data.Subject)
	if err == nil {
		err = f.tellApart(spec)
	}
	if err != nil {
		x.Close()
		return nil, nil, err
	}
	return x, spec, nil
}

// tellApart finds out whether formulas tell subjects apart, so that all are one study, or each is fitted by itself.
func (f *fitFlags) tellApart(spec *fit.Spec) error {
	f.many = f.data.Subject != "" && f.data.Only == "" && !f.data.Pool && !spec.Grouped()
	switch {
	case spec.Grouped() && f.divided():
		return cli.Usagef("--on: not with terms such as (1 | subject): one fit is not divided; give the command to a job of its own")
	case !f.many && f.divided():
		return cli.Usagef("--on slurm: wants --subject COLUMN, whose subjects are fitted apart; the fit of one is not divided")
	case spec.Grouped():
		f.data.Several()
	}
	return nil
}

// note says on stderr what the user should know of what is fitted.
func (f *fitFlags) note(stderr io.Writer, spec *fit.Spec, name string) {
	for _, note := range spec.Notes {
		fmt.Fprintf(stderr, "likc: note: %s\n", note)
	}
	cli.NoteGate(stderr, spec.Model, name)
}

// open reads the trials and prepares the model. It ends when the command's context does.
func (f *fitFlags) open(cmd *cobra.Command, spec *fit.Spec) (in *input, b *bound.Prepared, err error) {
	ctx := cmd.Context()
	in, err = interrupt.Until(ctx, func() (*input, error) { return f.read(spec, cmd.ErrOrStderr()) })
	if ctx.Err() != nil {
		return nil, nil, errNothing
	}
	if err != nil {
		return nil, nil, err
	}
	b, err = interrupt.Until(ctx, func() (*bound.Prepared, error) { return cli.OpenEngine(spec.Model, f.engine, bound.Auto) })
	if ctx.Err() != nil {
		return nil, nil, errNothing
	}
	return in, b, err
}

// errNothing is the error of a fit that was interrupted before there was anything to keep.
var errNothing = errors.New("interrupted: nothing was drawn yet, and nothing written")

// settings turns the flags into settings, and finds out before any data are read whether they can be.
func (f *fitFlags) settings() (s fit.Settings, err error) {
	if _, err := bound.Parse(f.engine); err != nil {
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
	*trials.Table
	subjects []fit.Subject
	first    *hierarchy.Study // of the first subject, not bound
}

// read reads the trials, and finds out before anything is drawn whether every subject can be fitted.
func (f *fitFlags) read(spec *fit.Spec, stderr io.Writer) (*input, error) {
	columns := slices.Sorted(slices.Values(append(spec.Columns(), f.predict.columns()...)))
	table, err := f.data.ReadWith(spec.Model, slices.Compact(columns), stderr)
	if err != nil {
		return nil, err
	}
	if f.want != nil {
		if err := f.want.Check(spec, &table.Source); err != nil {
			return nil, err
		}
	}
	f.noteOddities(stderr, spec, table)
	in := &input{Table: table, subjects: folder.Subjects(table, f.many, f.data.Only)}
	if err := f.predict.addConditions(in.subjects, table); err != nil {
		return nil, err
	}
	in.first, err = fit.Check(spec, in.subjects)
	return in, ofFormula(err)
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

func newOutput(cmd *cobra.Command, f *fitFlags, spec *fit.Spec, s fit.Settings) *output {
	return &output{fitFlags: f, spec: spec, draws: s.Sampler.NumSamples, chains: s.Sampler.NumChains, stdout: cmd.OutOrStdout(), stderr: cmd.ErrOrStderr()}
}

// run fits. The folder is made before, so that a place where nothing can be written is found at once.
func (o *output) run(ctx context.Context, b *bound.Prepared, s fit.Settings, subjects []fit.Subject) error {
	place := func([]*fit.Result) (string, error) { return "", nil }
	if o.dir != "" {
		dir, err := o.folder(b, s)
		if err != nil {
			return err
		}
		defer dir.Discard()
		if o.resume && !dir.Resumes() {
			if folder.IsWhole(o.dir, s.Record) {
				_, err := fmt.Fprintf(o.stdout, "%s holds this fit, and it is whole: there is nothing to resume\n", o.dir)
				return err
			}
			fmt.Fprintf(o.stderr, "likc: note: %s: there is nothing to resume: the fit begins\n", o.dir)
		}
		s.Save, s.Keep, place = dir.Save, dir.Keeper, o.placing(ctx, dir)
	}
	bars := progress.NewBars(o.stderr)
	s.Chain, s.Finished = bars.Chain, bars.Subjects
	all := fit.Run(ctx, o.spec, b, subjects, s)
	bars.Close()
	return o.finish(ctx, all, place)
}

// folder makes the folder of -o.
func (o *output) folder(b *bound.Prepared, s fit.Settings) (*folder.Folder, error) {
	simulate, err := o.predict.simulator(o.spec, b)
	if err != nil {
		return nil, err
	}
	dir, err := folder.New(o.dir, folder.Settings{Spec: o.spec, Simulate: simulate, Predictive: o.predict.draws, Seed: s.Sampler.Seed,
		NoFigures: o.noFigures, AllFigures: o.figures, PNG: o.png, Key: s.Record.Key(), Resume: o.resume})
	return dir, ofOutput(err)
}

// finish puts the results in their place, shows them, and says what is missing.
func (o *output) finish(ctx context.Context, all []*fit.Result, place func([]*fit.Result) (string, error)) error {
	dir, err := place(all) // before anything is printed: a terminal that is gone must not lose a fit
	kept := fit.Keep(all)
	if o.parts.Part.N > 0 {
		return err
	}
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
