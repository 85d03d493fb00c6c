package fit

import (
	"context"
	"fmt"
	"slices"

	"likc/runtime/chains"
	"likc/runtime/nuts"
	"likc/runtime/ssm"
)

const (
	predictiveDraws  = 100 // posterior draws that are simulated from
	predictiveTrials = 200 // trials of each
)

// predict simulates trials from the posterior, where the model has a simulator. It returns nothing for other models.
func (r *fitRun) predict(ctx context.Context, d *chains.Draws, label string) (rt, choice []float64, err error) {
	m, ok := r.src.Simulator()
	if !ok {
		return nil, nil, nil
	}
	scheme, _, err := m.Process.Scheme("")
	if err != nil {
		return nil, nil, err
	}
	rng := ssm.NewRand(r.settings.Seed, nuts.StreamOf("predictive trials of "+label)) // not the stream of likc simulate
	rt, choice = make([]float64, predictiveDraws*predictiveTrials), make([]float64, predictiveDraws*predictiveTrials)
	theta, columns := make([]float64, len(d.Names)), make([][]float64, len(d.Names))
	for j := range columns {
		columns[j] = slices.Concat(d.Param(j)...)
	}
	for k := range predictiveDraws {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		for j, column := range columns {
			theta[j] = column[k*len(column)/predictiveDraws]
		}
		from, to := k*predictiveTrials, (k+1)*predictiveTrials
		if err := m.Simulate(rng, theta, scheme, rt[from:to], choice[from:to]); err != nil {
			return nil, nil, fmt.Errorf("posterior predictive trials: %w", err)
		}
	}
	return rt, choice, nil
}
