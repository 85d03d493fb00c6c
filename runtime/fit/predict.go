package fit

import (
	"context"
	"fmt"
	"slices"

	"likc/runtime/chains"
	"likc/runtime/nuts"
	"likc/runtime/ssm"
)

// Predicted trials: so many posterior draws, evenly spaced over all chains, and so many trials of each.
const (
	predictiveDraws  = 100
	predictiveTrials = 200
)

// Predict simulates trials from the posterior of one subject: response times in seconds, and choices. The simulator is the one
// that the model declares, with its default scheme; without one Predict returns nil slices. The trials depend on the draws, the
// seed and the subject's label.
func Predict(ctx context.Context, spec *Spec, d *chains.Draws, seed uint64, label string) (rt, choice []float64, err error) {
	simulator, ok := spec.Model.Simulator()
	if !ok {
		return nil, nil, nil
	}
	scheme, _, err := simulator.Process.Scheme("")
	if err != nil {
		return nil, nil, err
	}
	rng := ssm.NewRand(seed, nuts.StreamOf("predictive trials of "+label)) // not the stream of likc simulate
	rt, choice = make([]float64, predictiveDraws*predictiveTrials), make([]float64, predictiveDraws*predictiveTrials)
	theta, sampled, columns := make([]float64, len(spec.Params)), make([]float64, len(d.Names)), make([][]float64, len(d.Names))
	for j := range columns {
		columns[j] = slices.Concat(d.Param(j)...)
	}
	for k := range predictiveDraws {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		for j, column := range columns {
			sampled[j] = column[k*len(column)/predictiveDraws]
		}
		spec.Theta(theta, sampled)
		from, to := k*predictiveTrials, (k+1)*predictiveTrials
		if err := simulator.Simulate(rng, theta, scheme, rt[from:to], choice[from:to]); err != nil {
			return nil, nil, fmt.Errorf("posterior predictive trials: %w", err)
		}
	}
	return rt, choice, nil
}
