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
)

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

// presetHelp lists the presets.
func presetHelp() string {
	names, docs := hierarchy.Presets()
	var b strings.Builder
	for i, name := range names {
		fmt.Fprintf(&b, "  %-16s %s\n", name, docs[i])
	}
	return b.String()
}

// spec converts the flags into the specification of a fit with a model.
func (f *fittedFlags) spec(m *catalog.Model) (*fit.Spec, error) {
	w := f.Wishes // --lapse adds to it, and the flags are recorded as they were given
	w.Priors, w.Fixed = slices.Concat(w.Priors, f.lapsePriors), slices.Concat(w.Fixed, f.lapseFixed)
	w.Group = cmp.Or(f.Subject, "subj_idx")
	spec, err := fit.NewSpec(m, w)
	if err != nil {
		return nil, cli.NameFlag(err)
	}
	return spec, nil
}

// nameFormulaFlag adds the name of the flag --formula to an error about a formula.
func nameFormulaFlag(err error) error {
	if errors.As(err, new(*formula.Error)) {
		return cli.Usagef("--formula: %w", err)
	}
	return err
}

// likePreset adds lapses to an exact density if the program whose priors the user chose adds them by default, and says so. Flags
// take precedence. Its links are for [hierarchy.Spec.SetPriorSet].
func (f *fitFlags) likePreset(m *catalog.Model, stderr io.Writer) {
	preset, err := m.Preset(f.PriorPreset)
	if err != nil || preset.Lapse == "" {
		return // the error is reported when the other flags are read
	}
	text := fmt.Sprintf("--prior-preset %s: priors and the links of regressions are those of %s", f.PriorPreset, preset.Program)
	if f.Lapse == "" && m.Origin.Kind == catalog.Exact {
		f.Lapse, f.Window = preset.Lapse, cmp.Or(f.Window, preset.Window)
		text += fmt.Sprintf(", and so are lapses: of probability %s, uniform on (%s) s", f.Lapse, f.Window)
	}
	fmt.Fprintf(stderr, "likc: note: %s. --prior, --link, --lapse and --lapse-window come first\n", text)
}
