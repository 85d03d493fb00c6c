package fit

import (
	"fmt"
	"slices"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/fit"
	"likc/runtime/model/bound"
	"likc/runtime/model/trials"
)

// predictFlags choose which predictions of a fit are computed, and which figures are drawn.
type predictFlags struct {
	NoLOO      bool   `flag:"no-loo" help:"compute no PSIS-LOO and WAIC"`
	PriorOnly  bool   `flag:"prior-only" not:"map" help:"draw from the priors, not the posterior: the data are only shown beside the predictions"`
	Predictive int    `flag:"predictive" value:"N" in:"[0,100000]" wants:"-o DIR, where the trials are written" help:"with -o: write simulated trials of N draws to predictive.parquet"`
	CSV        bool   `flag:"csv" wants:"--predictive" help:"with --predictive: write predictive.csv, not predictive.parquet"`
	By         string `flag:"by" value:"COLUMN" wants:"-o DIR, where the figures are written" help:"with -o: draw predictions for each condition that this COLUMN of the data names"`
}

// extraColumns returns the columns that are read besides the model's.
func (f *predictFlags) extraColumns() []string {
	if f.By == "" {
		return nil
	}
	return []string{f.By}
}

// mostConditions is the largest number of conditions that a figure has room for.
const mostConditions = 16

// addConditions gives each subject the conditions of its trials.
func (f *predictFlags) addConditions(all []fit.Subject, t *trials.Table) error {
	if f.By == "" {
		return nil
	}
	texts := t.Extra[slices.IndexFunc(t.Extra, func(e trials.Extra) bool { return e.Name == f.By })].Texts
	distinct := slices.Clone(texts)
	slices.Sort(distinct)
	if n := len(slices.Compact(distinct)); n > mostConditions {
		return fmt.Errorf("--by %s: the column holds %d different values; want at most %d conditions", f.By, n, mostConditions)
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

// simulator returns the simulator that predicts trials. It returns nil if the model has none and the user asked for no predictions, and for
// sessions of the stop-signal task, whose responses the folder predicts itself.
func (o *output) simulator(spec *fit.Spec, b *bound.Prepared, subjects []fit.Subject) (*fit.Simulator, error) {
	if _, ok := spec.Model.Session(); ok && o.By != "" {
		return nil, cli.Usagef("--by %s: predictions of %s are by delay, not by condition; leave it out", o.By, spec.Model.Name)
	} else if ok {
		return nil, nil
	}
	simulator, err := fit.SimulatorOf(spec.Model, b)
	if err == nil && simulator.InOrder() {
		if err = simulator.Check(subjects); err != nil && o.Predictive == 0 && !o.NoFigures {
			fmt.Fprintf(o.stderr, "likc: note: no trials are predicted: %v\n", err)
		}
	}
	switch {
	case err != nil && o.Predictive > 0:
		return nil, cli.Usagef("--predictive %d: %w", o.Predictive, err)
	case err != nil:
		return nil, nil
	}
	return simulator, nil
}
