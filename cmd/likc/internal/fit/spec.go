package fit

import (
	"maps"
	"slices"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/catalog"
	"likc/runtime/fit"

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
	flags.StringVar(&f.preset, "prior-preset", "", "priors of what has no --prior: flat, brms, hssm or paper (default flat)")
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
	if w.Priors, err = m.Preset(f.preset); err != nil {
		return w, cli.Usagef("--prior-preset %w", err)
	}
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
