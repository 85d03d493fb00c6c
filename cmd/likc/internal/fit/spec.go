package fit

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/fit"
	"likc/runtime/model/catalog"

	"github.com/spf13/cobra"
)

// specFlags say what is fitted: ranges, priors and fixed values of parameters.
type specFlags struct {
	priors, ranges, fixed []string
	preset                string

	lapsePriors, lapseFixed []string // what --lapse adds: the flags' own texts are recorded as they were given
}

func (f *specFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.priors, "prior", nil, "`NAME=PRIOR` of one parameter (repeatable; default: uniform over its range)")
	flags.StringVar(&f.preset, "prior-preset", "", "priors of what has no --prior: flat, brms, hssm or paper (default: uniform over ranges, and of coefficients weakly informative)")
	flags.StringArrayVar(&f.ranges, "range", nil, "`NAME=LOW,HIGH`: the range of one parameter instead of the model's (repeatable)")
	flags.StringArrayVar(&f.fixed, "fix", nil, "`NAME=VALUE`: hold a parameter at a value (repeatable)")
}

// parse turns the flags into what is fitted.
func (f *specFlags) parse(m *catalog.Model) (*fit.Spec, error) {
	w, err := f.wishes(m)
	if err != nil {
		return nil, err
	}
	spec, err := fit.NewSpec(m, w)
	if err != nil {
		return nil, cli.Usage(err)
	}
	return spec, nil
}

// wishes turns the flags into what is asked of the model's parameters.
func (f *specFlags) wishes(m *catalog.Model) (w fit.Wishes, err error) {
	preset, err := m.Preset(f.preset)
	if err != nil {
		return w, cli.Usagef("--prior-preset %w", err)
	}
	w.Priors = preset.Priors
	own, err := fit.ParsePriors(m, slices.Concat(f.priors, f.lapsePriors))
	if err != nil {
		return w, cli.Usagef("--prior %w", err)
	}
	if w.Ranges, err = fit.ParseRanges(m, f.ranges); err != nil {
		return w, cli.Usagef("--range %w", err)
	}
	if w.Fixed, err = fit.ParseFixed(m, slices.Concat(f.fixed, f.lapseFixed)); err != nil {
		return w, cli.Usagef("--fix %w", err)
	}
	for name := range w.Fixed {
		delete(w.Priors, name) // of the preset
	}
	maps.Copy(w.Priors, own)
	return w, nil
}

// likePreset adds what the program whose priors are asked for adds unasked, unless flags say otherwise, and says so: lapses, of an
// exact density. Its links are for [hierarchy.Spec.SetPriorSet].
func (f *fitFlags) likePreset(m *catalog.Model, stderr io.Writer) {
	preset, err := m.Preset(f.spec.preset)
	if err != nil || preset.Lapse == "" {
		return // an error is said with the other flags
	}
	text := fmt.Sprintf("--prior-preset %s: priors and the links of regressions are those of %s", f.spec.preset, preset.Program)
	if f.outliers.lapse == "" && m.Origin.Kind == catalog.Exact {
		f.outliers.lapse, f.outliers.window = preset.Lapse, cmp.Or(f.outliers.window, preset.Window)
		text += fmt.Sprintf(", and so are lapses: of probability %s, uniform on (%s) s", f.outliers.lapse, f.outliers.window)
	}
	fmt.Fprintf(stderr, "likc: note: %s. --prior, --link, --lapse and --lapse-window come first\n", text)
}
