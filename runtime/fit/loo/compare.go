package loo

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Row is one model of a comparison.
type Row struct {
	Name   string
	ELPD   float64 // expected log density of new trials, summed over the trials
	SE     float64 // standard error of ELPD
	P      float64 // effective number of parameters
	Diff   float64 // ELPD of the best model minus this one's: 0 for the best
	DiffSE float64 // standard error of Diff, from the differences trial by trial: 0 for the best
	Weight float64 // weight in the mixture of the models that predicts best; the weights sum to 1. See [Stack].
	Exceed int     // number of trials whose K exceeds the threshold: ELPD may be off
}

// Compare returns one row for each model, the best first. results[i] belongs to the model called names[i]. All models must have been
// fitted to the same trials in the same order; the caller must ensure this. It returns an error if the numbers of trials differ.
// The order and the standard errors are those of [vehtari2017].
func Compare(names []string, results []*Result) ([]Row, error) {
	if len(names) != len(results) || len(results) == 0 {
		return nil, fmt.Errorf("loo: %d names for %d models", len(names), len(results))
	}
	n, best := len(results[0].Trials), 0
	densities := make([][]float64, len(results))
	for k, r := range results {
		if len(r.Trials) != n {
			return nil, fmt.Errorf("loo: %s has %d trials and %s has %d: models are compared on the same trials", names[0], n, names[k], len(r.Trials))
		}
		densities[k] = make([]float64, n)
		for i := range r.Trials {
			densities[k][i] = r.Trials[i].ELPD
		}
		if r.ELPD.Value > results[best].ELPD.Value {
			best = k
		}
	}
	weights := Stack(densities)
	rows := make([]Row, len(results))
	for k, r := range results {
		rows[k] = Row{Name: names[k], ELPD: r.ELPD.Value, SE: r.ELPD.SE, P: r.P.Value, Weight: weights[k], Exceed: len(r.Exceed())}
		if k != best {
			d := difference(densities[best], densities[k])
			rows[k].Diff, rows[k].DiffSE = d.Value, d.SE
		}
	}
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(b.ELPD, a.ELPD) })
	return rows, nil
}

// difference returns the sum of a - b over the trials. Trials that both models consider impossible count 0.
func difference(a, b []float64) Sum {
	return sumOver(len(a), func(i int) float64 {
		if math.IsInf(a[i], -1) && math.IsInf(b[i], -1) {
			return 0
		}
		return a[i] - b[i]
	})
}
