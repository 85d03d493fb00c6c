package fit

import (
	"fmt"
	"slices"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/fit"
	"likc/runtime/model/bound"
	"likc/runtime/model/trials"

	"github.com/spf13/cobra"
)

// predictFlags say what is computed and drawn of a fit's predictions.
type predictFlags struct {
	noLOO, priorOnly bool
	draws            int    // of which trials are written
	by               string // column of the conditions
}

func (f *predictFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.noLOO, "no-loo", false, "compute no PSIS-LOO and WAIC")
	flags.BoolVar(&f.priorOnly, "prior-only", false, "draw from the priors: the data only stand beside what these predict")
	flags.IntVar(&f.draws, "predictive", 0, "with -o: write simulated trials of `N` draws to predictive.parquet")
	flags.StringVar(&f.by, "by", "", "with -o: draw predictions for each condition that this `COLUMN` of the data names")
	cli.Exclusive(cmd, "prior-only", "map")
}

// mostPredictive is the most draws whose trials are written.
const mostPredictive = 100_000

// check finds out before any data are read whether the flags can be; dir is the folder of the fit, "" for none.
func (f *predictFlags) check(dir string) error {
	if err := cli.Within("--predictive", f.draws, 0, mostPredictive); err != nil {
		return err
	}
	if f.draws > 0 && dir == "" {
		return cli.Usagef("--predictive %d: wants -o DIR, where the trials are written", f.draws)
	}
	if f.by != "" && dir == "" {
		return cli.Usagef("--by %s: wants -o DIR, where the figures are written", f.by)
	}
	return nil
}

// columns are those that are read besides the model's.
func (f *predictFlags) columns() []string {
	if f.by == "" {
		return nil
	}
	return []string{f.by}
}

// mostConditions is the most that figures have room for.
const mostConditions = 16

// addConditions gives each subject the conditions of its trials.
func (f *predictFlags) addConditions(all []fit.Subject, t *trials.Table) error {
	if f.by == "" {
		return nil
	}
	texts := t.Extra[slices.IndexFunc(t.Extra, func(e trials.Extra) bool { return e.Name == f.by })].Texts
	distinct := slices.Clone(texts)
	slices.Sort(distinct)
	if n := len(slices.Compact(distinct)); n > mostConditions {
		return fmt.Errorf("--by %s: the column holds %d different values; want at most %d conditions", f.by, n, mostConditions)
	}
	for i := range all {
		if all[i].Conditions = texts; all[i].Folder != "" {
			all[i].Conditions = nil
			for _, row := range t.Subjects[i].Rows {
				all[i].Conditions = append(all[i].Conditions, texts[row])
			}
		}
	}
	return nil
}

// simulator returns what predicts trials; nil if nothing can and none are asked for, and for sessions, whose responses the folder predicts itself.
func (f *predictFlags) simulator(spec *fit.Spec, b *bound.Prepared) (fit.Simulate, error) {
	if _, ok := spec.Model.Session(); ok && f.by != "" {
		return nil, cli.Usagef("--by %s: predictions of %s are by delay, not by condition; leave it out", f.by, spec.Model.Name)
	} else if ok {
		return nil, nil
	}
	simulate, err := fit.SimulatorOf(spec.Model, b)
	if err != nil && f.draws > 0 {
		return nil, cli.Usagef("--predictive %d: %w", f.draws, err)
	}
	return simulate, nil
}
