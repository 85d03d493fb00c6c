package fit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/fit"
	"likc/runtime/fit/formula"
	"likc/runtime/fit/hierarchy"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/lapse"
	"likc/runtime/model/trials"
	"likc/runtime/sys/interrupt"

	"github.com/spf13/cobra"
)

// studyFlags ask for a regression.
type studyFlags struct {
	formulas, links []string
	preset, form    string
}

const studyHelp = `With --formula, once a parameter, parameters depend on columns of the data and vary by group, in the syntax of bambi and
brms: 'v ~ 1 + theta + (1 + theta | subj_idx)'. Parameters without one are one number each. The linear predictor of a
parameter whose range has 0 inside is the parameter itself (link identity); of a non-decision time, which the density itself ends
before the fastest trial, the logarithm; of others the logit of the place in the range. No link depends on the data.
--prior takes the names of coefficients, as the table shows them: v_theta, v_1|subj_idx_sigma. DIR/cells.csv has every parameter
on its own scale in each cell of the design, for the typical level of each grouping and for each level; DIR/groups.csv those of the
levels alone. Figures show effects of columns, shrinkage, and trials of new participants. likc check
with the same flags says what the regression is, likc contrast compares conditions. --preset NAME is a whole study:
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
	own.preset = ""
	var coefficients []string
	own.priors, coefficients = s.DividePriors(m, f.priors)
	wishes, err := own.wishes(m)
	if err != nil {
		return nil, err
	}
	if err := f.addPreset(m, s, &wishes); err != nil {
		return nil, err
	}
	spec, err := fit.NewSpec(m, wishes)
	if err != nil {
		return nil, cli.Usage(err)
	}
	if err := spec.Lend(s); err != nil {
		return nil, cli.Usagef("--fix %w", err)
	}
	if err := s.SetPriors(coefficients); err != nil {
		return nil, cli.Usagef("--prior %w", err)
	}
	return spec, nil
}

// addPreset adds the priors of --prior-preset: to the wishes those of parameters without a formula, to the study those of coefficients.
func (f *specFlags) addPreset(m *catalog.Model, s *hierarchy.Spec, w *fit.Wishes) error {
	if f.preset == "" {
		return nil
	}
	of, unknown := m.Preset(f.preset)
	if err := s.SetPriorSet(hierarchy.PriorSet(f.preset), of.Intercepts); err != nil {
		return cli.Usagef("--prior-preset %w", cmp.Or(unknown, err))
	}
	for name, p := range of.Priors {
		_, varies := s.Params[name]
		_, fixed := w.Fixed[name]
		if _, given := w.Priors[name]; !varies && !fixed && !given {
			w.Priors[name] = p
		}
	}
	return nil
}

// runStudy fits a regression.
func (f *fitFlags) runStudy(cmd *cobra.Command, m *catalog.Model, name string) error {
	if f.cluster.OnCluster() || f.parts.Given() {
		return cli.Usagef("--on: not with --formula or --preset: one fit is not divided; give the command to a job of its own")
	}
	f.likePreset(m, cmd.ErrOrStderr())
	x, err := f.outliers.extend(m, &f.data, &f.spec)
	if err != nil {
		return err
	}
	defer x.Close()
	formulas, spec, err := f.readStudy(x)
	if err != nil {
		return err
	}
	if f.mode && formulas.Grouped() {
		return cli.Usagef("--map: not with terms such as (1 | subject): the mode of a hierarchy says nothing of its spreads")
	}
	settings, err := f.settings()
	if err != nil {
		return err
	}
	f.note(cmd.ErrOrStderr(), spec, name)
	in, binder, err := f.openStudy(cmd, formulas, spec)
	if err != nil {
		return err
	}
	defer binder.Close()
	if settings.Lapse, err = f.outliers.setWindow(x, in.subjects, cmd.ErrOrStderr()); err != nil {
		return err
	}
	noteMass(cmd.ErrOrStderr(), spec.Model, binder)
	noteCaution(cmd.ErrOrStderr(), m, in.subjects)
	study, err := hierarchy.New(spec.Ranged(), binder, formulas, hierarchy.DataOf(in.table))
	if err != nil {
		return ofFormula(err)
	}
	settings.Sampler = study.Settings(settings.Sampler)
	settings.Record = spec.Record(fit.Record{Data: &in.table.Source, Notes: in.table.Notes, Engine: f.engine, Command: f.command(cmd, name)}, settings)
	settings.Record.SetPriors(study.Priors())
	return newOutput(cmd, f, spec, settings).run(cmd.Context(), binder, settings, func(s fit.Settings) []*fit.Result {
		return []*fit.Result{fit.Study(cmd.Context(), study, in.subjects[0], s)}
	})
}

// readStudy reads the flags on formulas, and on parameters without one.
func (f *fitFlags) readStudy(x *fit.Extended) (formulas hierarchy.Spec, spec *fit.Spec, err error) {
	if formulas, err = f.study.spec(x.Model, cmp.Or(f.data.Subject, "subj_idx")); err != nil {
		return formulas, nil, err
	}
	if _, varies := formulas.Params[lapse.Param]; varies && x.Mixture != nil {
		return formulas, nil, cli.Usagef("--formula of %s: the probability of a lapse is one number, and --lapse is its prior", lapse.Param)
	}
	spec, err = f.spec.ofStudy(x.Model, &formulas)
	return formulas, spec, err
}

// studyInput is the trials of a study.
type studyInput struct {
	table    *trials.Table
	subjects []fit.Subject // one, with all trials
}

// openStudy reads the trials and prepares the model. It ends when the command's context does.
func (f *fitFlags) openStudy(cmd *cobra.Command, formulas hierarchy.Spec, spec *fit.Spec) (in studyInput, b *bound.Prepared, err error) {
	if err := f.tellApart(&formulas); err != nil {
		return in, nil, err
	}
	ctx, columns := cmd.Context(), append(formulas.Columns(), f.predict.columns()...)
	slices.Sort(columns)
	in.table, err = interrupt.Until(ctx, func() (*trials.Table, error) {
		return f.data.ReadWith(spec.Model, slices.Compact(columns), cmd.ErrOrStderr())
	})
	if ctx.Err() != nil {
		return in, nil, errNothing
	}
	if err != nil {
		return in, nil, err
	}
	if f.want != nil {
		if err := f.want.Check(spec, &in.table.Source); err != nil {
			return in, nil, err
		}
	}
	f.noteOddities(cmd.ErrOrStderr(), spec.Model, in.table)
	noteColumns(cmd.ErrOrStderr(), &formulas, in.table)
	in.subjects = []fit.Subject{f.whole(in.table)}
	if err := f.predict.addConditions(in.subjects, in.table); err != nil {
		return in, nil, err
	}
	b, err = interrupt.Until(ctx, func() (*bound.Prepared, error) { return cli.OpenEngine(spec.Model, f.engine, bound.Auto) })
	if ctx.Err() != nil {
		return in, nil, errNothing
	}
	return in, b, err
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
