package model

import (
	"fmt"
	"io"
	"math"
	"strings"

	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/trials"
	"likc/runtime/sys/store"
)

// explain names on stderr the trial that made a result infinite or undefined. For a finite result it names the parameters that lie
// beyond the limits of the model.
func explain(w io.Writer, src *catalog.Model, table *trials.Table, theta []float64, loglik float64) error {
	if !math.IsNaN(loglik) && !math.IsInf(loglik, 0) {
		noteLimits(w, src, theta)
		return nil
	}
	fault, err := bound.FindFault(src, bindable(table), theta)
	switch {
	case err != nil:
		return err
	case fault.Row < 0:
		fmt.Fprintf(w, "likc: note: %s\n", fault.Why)
	default:
		fmt.Fprintf(w, "likc: note: data row %d: %s\n", fault.Row+1, fault.Why)
	}
	return nil
}

// noteLimits names each value at which the likelihood is not known to be right, and why.
func noteLimits(w io.Writer, src *catalog.Model, theta []float64) {
	for i, x := range theta {
		if r, why := src.Limits(i); x < r.Low || x > r.High {
			fmt.Fprintf(w, "likc: note: %s = %v: %s\n", src.Params[i].Name, x, why)
		}
	}
}

// perTrialHeader is the first line of the file with a log density for every trial.
const perTrialHeader = "loglik"

// writePerTrial writes the log density of every trial, in the order of the data.
func writePerTrial(path string, src *catalog.Model, table *trials.Table, theta []float64) error {
	density, err := bound.DensityOf(src, bindable(table))
	if err != nil {
		return err
	}
	return store.WriteFile(path, func(w io.Writer) error {
		if _, err := fmt.Fprintln(w, perTrialHeader); err != nil {
			return err
		}
		for i := range table.N() {
			if _, err := fmt.Fprintln(w, strings.Trim(number(density(i, theta)), `"`)); err != nil {
				return err
			}
		}
		return nil
	})
}
