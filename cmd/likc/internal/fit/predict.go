package fit

import (
	"likc/cmd/likc/internal/cli"
	"likc/runtime/engine"
	"likc/runtime/fit"

	"github.com/spf13/cobra"
)

// predictFlags say what is computed and drawn of a fit's predictions.
type predictFlags struct {
	noLOO, priorOnly bool
	draws            int // of which trials are written
}

func (f *predictFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.noLOO, "no-loo", false, "compute no PSIS-LOO and WAIC")
	flags.BoolVar(&f.priorOnly, "prior-only", false, "draw from the priors: the data only stand beside what these predict")
	flags.IntVar(&f.draws, "predictive", 0, "with -o: write simulated trials of `N` draws to predictive.parquet")
	cmd.MarkFlagsMutuallyExclusive("prior-only", "map")
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
	return nil
}

// simulator returns what predicts trials; nil if nothing can and none are asked for.
func (f *predictFlags) simulator(spec *fit.Spec, b *engine.Binder) (fit.Simulate, error) {
	simulate, err := fit.SimulatorOf(spec.Model, b)
	if err != nil && f.draws > 0 {
		return nil, cli.Usagef("--predictive %d: %w", f.draws, err)
	}
	return simulate, nil
}
