package fit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"likc/cmd/likc/internal/cli"
	"likc/compiler/formula"
	"likc/runtime/catalog"
	"likc/runtime/engine"
	"likc/runtime/fit"
	"likc/runtime/fit/folder"
	"likc/runtime/hierarchy"
	"likc/runtime/interrupt"
	"likc/runtime/progress"
	"likc/runtime/trials"

	"github.com/spf13/cobra"
)

// studyFlags ask for a regression.
type studyFlags struct {
	formulas, links []string
	preset, form    string
}

const studyHelp = `With --formula, once a parameter, parameters depend on columns of the data and vary by group, in the syntax of bambi and
brms: 'v ~ 1 + theta + (1 + theta | subj_idx)'. Parameters without one are one number each. The linear predictor of a
parameter whose range has 0 inside is the parameter itself (link identity); of others it is the logit of the place in the
range, which for a parameter that the support bounds by the data ends at the fastest trial of those it applies to.
--prior takes the names of coefficients, as the table shows them: v_theta, v_1|subj_idx_sigma. DIR/groups.csv has the
parameters of each level of the grouping. --preset NAME is a whole study:
`

func (f *studyFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.formulas, "formula", nil, "`FORMULA` of one parameter, such as 'v ~ 1 + theta + (1 | subj_idx)' (repeatable)")
	flags.StringArrayVar(&f.links, "link", nil, "`NAME=LINK` of a parameter with a formula: identity, log or logit (repeatable)")
	flags.StringVar(&f.preset, "preset", "", "`NAME` of a study: "+strings.Join(presetNames(), ", "))
	flags.StringVar(&f.form, "effects", string(hierarchy.Auto), "coordinates of group effects: auto, centred or non-centred. Posteriors do not depend on it")
	cli.Exclusive(cmd, "formula", "preset")
}

func presetNames() []string {
	names, _ := hierarchy.Presets()
	return names
}

// presetHelp lists the presets.
func presetHelp() string {
	names, docs := hierarchy.Presets()
	var b strings.Builder
	for i, name := range names {
		fmt.Fprintf(&b, "  %-16s %s\n", name, docs[i])
	}
	return b.String()
}

// wanted reports whether a regression is asked for.
func (f *studyFlags) wanted() bool { return f.preset != "" || len(f.formulas) > 0 }

// spec is the study that the flags ask for, without what --prior says. group is the column of the participants, for a preset.
func (f *studyFlags) spec(m *catalog.Model, group string) (s hierarchy.Spec, err error) {
	if f.preset != "" {
		if s, err = hierarchy.Preset(f.preset, m, group); err != nil {
			return s, cli.Usagef("--preset %w", err)
		}
	} else if s, err = hierarchy.ParseFormulas(m, f.formulas); err != nil {
		return s, cli.Usagef("--formula %w", err)
	}
	if s.Form, err = hierarchy.ParseForm(f.form); err != nil {
		return s, cli.Usagef("--effects %w", err)
	}
	if err := s.SetLinks(f.links); err != nil {
		return s, cli.Usagef("--link %w", err)
	}
	return s, nil
}

// ofStudy is what the flags say of parameters without a formula. Priors of coefficients it adds to the study.
func (f *specFlags) ofStudy(m *catalog.Model, s *hierarchy.Spec) (*fit.Spec, error) {
	own := *f
	own.priors = nil
	var coefficients []string
	for _, text := range f.priors {
		name, _, _ := strings.Cut(text, "=")
		if _, varies := s.Params[strings.TrimSpace(name)]; varies || !m.IsParam(strings.TrimSpace(name)) {
			coefficients = append(coefficients, text)
		} else {
			own.priors = append(own.priors, text)
		}
	}
	spec, err := own.parse(m)
	if err != nil {
		return nil, err
	}
	if err := spec.Lend(s); err != nil {
		return nil, cli.Usagef("--fix %w", err)
	}
	if err := s.SetPriors(coefficients); err != nil {
		return nil, cli.Usagef("--prior %w", err)
	}
	return spec, nil
}

// wholeStudy is what a regression is made of.
type wholeStudy struct {
	formulas hierarchy.Spec
	plain    *fit.Spec // of parameters without a formula
	table    *trials.Table
	binder   *engine.Binder
}

// runStudy fits a regression.
func (f *fitFlags) runStudy(cmd *cobra.Command, m *catalog.Model, name string) error {
	if err := idle(cmd, "lapse", "lapse-window", "deadline", "go", "resume", "prior-only", "prior-preset", "predictive", "by"); err != nil {
		return cli.Usagef("%w: not with --formula or --preset", err)
	}
	if f.mode {
		return cli.Usagef("--map: not with --formula or --preset: the mode of a hierarchy says nothing of its spreads")
	}
	settings, err := f.settings()
	if err != nil {
		return err
	}
	w, err := f.openStudy(cmd, m)
	if err != nil {
		return err
	}
	defer w.binder.Close()
	settings.Record = w.plain.Record(fit.Record{Data: &w.table.Source, Engine: f.engine, Command: commandOf(cmd, name)}, settings)
	study, err := hierarchy.New(w.plain.Ranged(), w.binder, w.formulas, hierarchy.DataOf(w.table))
	if err != nil {
		return ofFormula(err)
	}
	settings.Record.SetPriors(study.Priors())
	out := output{fitFlags: f, spec: w.plain, draws: settings.Sampler.NumSamples, chains: settings.Sampler.NumChains, stdout: cmd.OutOrStdout(), stderr: cmd.ErrOrStderr()}
	return out.study(cmd.Context(), study, fit.Subject{Label: f.data.Only, Columns: w.table.Columns, Choice: w.table.Choice}, settings)
}

// openStudy reads the formulas and the trials, and prepares the model.
func (f *fitFlags) openStudy(cmd *cobra.Command, m *catalog.Model) (w wholeStudy, err error) {
	if w.formulas, err = f.study.spec(m, cmp.Or(f.data.Subject, "subj_idx")); err != nil {
		return w, err
	}
	if w.plain, err = f.spec.ofStudy(m, &w.formulas); err != nil {
		return w, err
	}
	for _, note := range w.plain.Notes {
		fmt.Fprintf(cmd.ErrOrStderr(), "likc: note: %s\n", note)
	}
	if err := f.tellApart(&w.formulas); err != nil {
		return w, err
	}
	ctx := cmd.Context()
	w.table, err = interrupt.Until(ctx, func() (*trials.Table, error) {
		return f.data.ReadWith(m, w.formulas.Columns(), cmd.ErrOrStderr())
	})
	if err == nil && f.want != nil {
		err = f.want.Check(w.plain, &w.table.Source)
	}
	if err == nil {
		w.binder, err = interrupt.Until(ctx, func() (*engine.Binder, error) { return cli.OpenEngine(m, f.engine, engine.Auto) })
	}
	if ctx.Err() != nil {
		return w, errNothing
	}
	return w, err
}

// tellApart refuses --subject where no formula tells subjects apart. With a formula that does, several subjects are wanted.
func (f *fitFlags) tellApart(s *hierarchy.Spec) error {
	switch {
	case s.Grouped():
		f.data.Several()
	case f.data.Subject != "" && f.data.Only == "":
		return cli.Usagef("--subject %s: no formula has a term such as (1 | %[1]s), so subjects are not told apart: add one, take one subject with --only, or all as one person with --pool", f.data.Subject)
	}
	return nil
}

// ofFormula names the flag in an error of a formula.
func ofFormula(err error) error {
	if errors.As(err, new(*formula.Error)) {
		return cli.Usagef("--formula: %w", err)
	}
	return err
}

// study draws, and shows and keeps what came of it.
func (o *output) study(ctx context.Context, study *hierarchy.Study, of fit.Subject, s fit.Settings) error {
	place := func([]*fit.Result) (string, error) { return "", nil }
	if o.dir != "" {
		dir, err := folder.New(o.dir, folder.Settings{Spec: o.spec, Seed: s.Sampler.Seed, NoFigures: o.noFigures, AllFigures: o.figures, PNG: o.png})
		if err != nil {
			return ofOutput(err)
		}
		defer dir.Discard()
		s.Save, place = dir.Save, dir.Place
	}
	bars := progress.NewBars(o.stderr)
	s.Chain = bars.Chain
	all := []*fit.Result{fit.Study(ctx, study, of, s)}
	bars.Close()
	return o.finish(ctx, all, place)
}
