package fit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"likc/cmd/likc/internal/cli"
	"likc/compiler/formula"
	"likc/runtime/catalog"
	"likc/runtime/engine"
	"likc/runtime/fit"
	"likc/runtime/fit/folder"
	"likc/runtime/hierarchy"
	"likc/runtime/interrupt"
	"likc/runtime/posterior"
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
	cmd.MarkFlagsMutuallyExclusive("formula", "preset")
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

// spec is the study that the flags ask for, without what --prior says.
func (f *studyFlags) spec(m *catalog.Model, group string) (s hierarchy.Spec, err error) {
	if f.preset != "" {
		if s, err = hierarchy.Preset(f.preset, m, group); err != nil {
			return s, cli.Usagef("--preset %w", err)
		}
	} else if s, err = f.parse(m); err != nil {
		return s, err
	}
	if s.Form, err = hierarchy.ParseForm(f.form); err != nil {
		return s, cli.Usagef("--effects %w", err)
	}
	return s, f.setLinks(s)
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
	s.Fixed = map[string]float64{}
	for _, p := range spec.Params {
		if _, varies := s.Params[p.Name]; varies && p.Fixed {
			return nil, cli.Usagef("--fix %s: it has a formula", p.Name)
		}
		if p.Fixed {
			s.Fixed[p.Name] = p.Value
		} else if !p.Prior.IsFlat() {
			s.Priors[p.Name] = p.Prior
		}
	}
	return spec, setPriors(*s, coefficients)
}

// parse reads the formulas.
func (f *studyFlags) parse(m *catalog.Model) (hierarchy.Spec, error) {
	s := hierarchy.Spec{Params: map[string]hierarchy.Regression{}, Priors: map[string]posterior.Prior{}}
	for _, text := range f.formulas {
		parsed, err := formula.Parse(text)
		if err != nil {
			return s, cli.Usagef("--formula %q: %w", text, err)
		}
		if !m.IsParam(parsed.Param) {
			return s, cli.Usagef("--formula %q: %s has no parameter %s; it has %s", text, m.Name, parsed.Param, strings.Join(m.ParamNames(), ", "))
		}
		if _, twice := s.Params[parsed.Param]; twice {
			return s, cli.Usagef("--formula %q: %s has a formula already", text, parsed.Param)
		}
		s.Params[parsed.Param] = hierarchy.Regression{Formula: parsed}
	}
	return s, nil
}

func (f *studyFlags) setLinks(s hierarchy.Spec) error {
	for _, text := range f.links {
		name, link, ok := strings.Cut(text, "=")
		r, varies := s.Params[name]
		if !ok || !varies {
			return cli.Usagef("--link %s: want NAME=LINK of a parameter with a formula", text)
		}
		var err error
		if r.Link, err = hierarchy.ParseLink(link); err != nil {
			return cli.Usagef("--link %s: %w", name, err)
		}
		s.Params[name] = r
	}
	return nil
}

// setPriors reads texts such as v_theta=normal(0,1). A name may hold equality signs.
func setPriors(s hierarchy.Spec, texts []string) error {
	seen := map[string]bool{}
	for _, text := range texts {
		name, prior, err := cutPrior(text)
		if err != nil {
			return err
		}
		if seen[name] {
			return cli.Usagef("--prior %s: given twice", name)
		}
		seen[name], s.Priors[name] = true, prior
	}
	return nil
}

func cutPrior(text string) (name string, p posterior.Prior, err error) {
	first := error(nil)
	for i, c := range text {
		if c != '=' || i == 0 {
			continue
		}
		if p, err = posterior.ParsePrior(text[i+1:]); err == nil {
			return strings.TrimSpace(text[:i]), p, nil
		}
		if first == nil {
			first = cli.Usagef("--prior %s: %w", strings.TrimSpace(text[:i]), err)
		}
	}
	if first == nil {
		first = cli.Usagef("--prior %s: want NAME=PRIOR, as in v_theta=normal(0,1)", text)
	}
	return "", p, first
}

// runStudy fits a regression.
func (f *fitFlags) runStudy(cmd *cobra.Command, m *catalog.Model, name string) error {
	if err := idle(cmd, "lapse", "lapse-window", "deadline", "resume", "prior-only", "prior-preset", "predictive", "by"); err != nil {
		return cli.Usagef("%w: not with --formula or --preset", err)
	}
	if f.mode {
		return cli.Usagef("--map: not with --formula or --preset: the mode of a hierarchy says nothing of its spreads")
	}
	settings, err := f.settings()
	if err != nil {
		return err
	}
	group := f.data.Subject
	if group == "" {
		group = "subj_idx"
	}
	spec, err := f.study.spec(m, group)
	if err != nil {
		return err
	}
	plain, err := f.spec.ofStudy(m, &spec)
	if err != nil {
		return err
	}
	for _, note := range plain.Notes {
		fmt.Fprintf(cmd.ErrOrStderr(), "likc: note: %s\n", note)
	}
	switch {
	case spec.Grouped():
		f.data.Several()
	case f.data.Subject != "" && f.data.Only == "":
		return cli.Usagef("--subject %s: no formula has a term such as (1 | %[1]s), so subjects are not told apart: add one, take one subject with --only, or all as one person with --pool", f.data.Subject)
	}
	ctx := cmd.Context()
	table, err := interrupt.Until(ctx, func() (*trials.Table, error) { return f.data.ReadWith(m, columnsOf(spec), cmd.ErrOrStderr()) })
	if ctx.Err() != nil {
		return errNothing
	}
	if err != nil {
		return err
	}
	binder, err := interrupt.Until(ctx, func() (*engine.Binder, error) { return cli.OpenEngine(m, f.engine, engine.Auto) })
	if ctx.Err() != nil {
		return errNothing
	}
	if err != nil {
		return err
	}
	defer binder.Close()
	if f.want != nil {
		if err := f.want.Check(plain, &table.Source); err != nil {
			return err
		}
	}
	settings.Record = plain.Record(fit.Record{Data: &table.Source, Engine: f.engine, Command: commandOf(cmd, name)}, settings)
	study, err := hierarchy.New(plain.Ranged(), binder, spec, dataOf(table))
	if err != nil {
		return ofFormula(err)
	}
	settings.Record.SetPriors(study.Priors())
	out := output{fitFlags: f, spec: plain, draws: settings.Sampler.NumSamples, chains: settings.Sampler.NumChains, stdout: cmd.OutOrStdout(), stderr: cmd.ErrOrStderr()}
	return out.study(cmd, study, fit.Subject{Label: f.data.Only, Columns: table.Columns, Choice: table.Choice}, settings)
}

// ofFormula names the flag in an error of a formula.
func ofFormula(err error) error {
	if errors.As(err, new(*formula.Error)) {
		return cli.Usagef("--formula: %w", err)
	}
	return err
}

// columnsOf are the columns that the formulas name.
func columnsOf(s hierarchy.Spec) (all []string) {
	for _, r := range s.Params {
		for _, f := range []*formula.Formula{r.Formula, r.Outside} {
			if f != nil {
				all = append(all, f.Columns()...)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// dataOf gives a table the form that formulas read. A column is numbers if every row of it is one, else labels.
func dataOf(t *trials.Table) hierarchy.Data {
	d := hierarchy.Data{Columns: t.Columns, Choice: t.Choice, Table: formula.Table{Rows: t.N()}}
	for i := range t.Extra {
		c := formula.DataColumn{Name: t.Extra[i].Name}
		if numbers, ok := t.Extra[i].Numbers(); ok {
			c.Numeric = numbers
		} else {
			c.Labels = t.Extra[i].Texts
		}
		d.Table.Columns = append(d.Table.Columns, c)
	}
	return d
}

// study draws, and shows and keeps what came of it.
func (o *output) study(cmd *cobra.Command, study *hierarchy.Study, of fit.Subject, s fit.Settings) error {
	ctx := cmd.Context()
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
