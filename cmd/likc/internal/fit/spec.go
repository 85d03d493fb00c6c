package fit

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/fit"
	"likc/runtime/fit/formula"
	"likc/runtime/fit/hierarchy"
	"likc/runtime/model/catalog"

	"github.com/spf13/cobra"
)

// specFlags say what is fitted: ranges, priors and fixed values of parameters, and formulas.
type specFlags struct {
	priors, ranges, fixed []string
	priorPreset           string

	formulas, links []string
	preset, form    string

	lapsePriors, lapseFixed []string // what --lapse adds: the flags' own texts are recorded as they were given
}

const formulaHelp = `With --formula, once a parameter, parameters depend on columns of the data and vary by group, in the syntax of bambi and
brms: 'v ~ 1 + theta + (1 + theta | subj_idx)'. Parameters without one are one number each. The linear predictor of a
parameter whose range has 0 inside is the parameter itself (link identity); of a non-decision time, which the density itself ends
before the fastest trial, the logarithm; of others the logit of the place in the range. No link depends on the data.
--prior takes the names of coefficients, as the table shows them: v_theta, v_1|subj_idx_sigma. DIR/cells.csv has every parameter
on its own scale in each cell of the design, for the typical level of each grouping and for each level; DIR/groups.csv those of the
levels alone. Figures show effects of columns, shrinkage, and trials of new participants. Where no formula has a term such as
(1 | subj_idx), --subject fits the formulas to each subject alone. likc check
with the same flags says what the regression is, likc contrast compares conditions. --preset NAME is a whole study:
`

func (f *specFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.priors, "prior", nil, "`NAME=PRIOR` of one parameter (repeatable; default: uniform over its range)")
	flags.StringVar(&f.priorPreset, "prior-preset", "", "priors of what has no --prior: flat, brms, hssm or paper (default: uniform over ranges, and of coefficients weakly informative)")
	flags.StringArrayVar(&f.ranges, "range", nil, "`NAME=LOW,HIGH`: the range of one parameter instead of the model's (repeatable)")
	flags.StringArrayVar(&f.fixed, "fix", nil, "`NAME=VALUE`: hold a parameter at a value (repeatable)")
	flags.StringArrayVar(&f.formulas, "formula", nil, "`FORMULA` of one parameter, such as 'v ~ 1 + theta + (1 | subj_idx)' (repeatable)")
	flags.StringArrayVar(&f.links, "link", nil, "`NAME=LINK` of a parameter with a formula: identity, log or logit (repeatable)")
	names, _ := hierarchy.Presets()
	flags.StringVar(&f.preset, "preset", "", "`NAME` of a study: "+strings.Join(names, ", "))
	flags.StringVar(&f.form, "effects", string(hierarchy.Auto), "coordinates of group effects: auto, centred or non-centred. Posteriors do not depend on it")
	cli.Exclusive(cmd, "formula", "preset")
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

// hasFormulas reports whether formulas are asked for.
func (f *specFlags) hasFormulas() bool { return f.preset != "" || len(f.formulas) > 0 }

// parse turns the flags into what is fitted. group is the column of the participants, for a preset.
func (f *specFlags) parse(x *fit.Extended, group string) (*fit.Spec, error) {
	spec, err := fit.NewSpec(x.Model, fit.Wishes{Priors: slices.Concat(f.priors, f.lapsePriors), PriorPreset: f.priorPreset, Ranges: f.ranges,
		Fixed: slices.Concat(f.fixed, f.lapseFixed), Formulas: f.formulas, Preset: f.preset, Group: cmp.Or(group, "subj_idx"), Links: f.links,
		Form: hierarchy.Form(f.form)})
	if err != nil {
		return nil, cli.OfWish(err)
	}
	return spec, nil
}

// ofFormula names the flag in an error of a formula.
func ofFormula(err error) error {
	if errors.As(err, new(*formula.Error)) {
		return cli.Usagef("--formula: %w", err)
	}
	return err
}

// likePreset adds what the program whose priors are asked for adds unasked, unless flags say otherwise, and says so: lapses, of an
// exact density. Its links are for [hierarchy.Spec.SetPriorSet].
func (f *fitFlags) likePreset(m *catalog.Model, stderr io.Writer) {
	preset, err := m.Preset(f.spec.priorPreset)
	if err != nil || preset.Lapse == "" {
		return // an error is said with the other flags
	}
	text := fmt.Sprintf("--prior-preset %s: priors and the links of regressions are those of %s", f.spec.priorPreset, preset.Program)
	if f.outliers.lapse == "" && m.Origin.Kind == catalog.Exact {
		f.outliers.lapse, f.outliers.window = preset.Lapse, cmp.Or(f.outliers.window, preset.Window)
		text += fmt.Sprintf(", and so are lapses: of probability %s, uniform on (%s) s", f.outliers.lapse, f.outliers.window)
	}
	fmt.Fprintf(stderr, "likc: note: %s. --prior, --link, --lapse and --lapse-window come first\n", text)
}
