package fit

import (
	"context"
	"fmt"
	"slices"

	"likc/runtime/model/ssm"
	"likc/runtime/num/chains"
	"likc/runtime/num/stream"
)

// Predictor simulates trials from the draws of subjects.
type Predictor struct {
	Spec     *Spec
	Simulate Simulate
	Seed     uint64
}

// Predicted trials of a figure: so many draws, evenly spaced over all chains, and so many trials of each.
const (
	predictiveDraws  = 100
	predictiveTrials = 200
)

// Predict simulates the trials of a figure: response times in seconds, and choices, nil for a model without choice. The trials
// depend on the draws, the seed and the subject's label.
func (p *Predictor) Predict(ctx context.Context, d *chains.Draws, label string) (rt, choice []float64, err error) {
	err = p.Each(ctx, d, label, predictiveDraws, predictiveTrials, func(_ int, someRT, someChoice []float64) error {
		rt, choice = append(rt, someRT...), append(choice, someChoice...)
		return nil
	})
	return rt, choice, err
}

// Each calls use with simulated trials of one draw after the other: of so many draws, evenly spaced over all chains, and with so
// many trials each. use must not keep the slices.
func (p *Predictor) Each(ctx context.Context, d *chains.Draws, label string, draws, trials int, use func(draw int, rt, choice []float64) error) error {
	rng := ssm.NewRand(p.Seed, stream.Of("predictive trials of "+label)) // not the stream of likc simulate
	rt := make([]float64, trials)
	var choice []float64
	if p.Spec.Model.Choice != "" {
		choice = make([]float64, trials)
	}
	theta, sampled, columns := make([]float64, len(p.Spec.Params)), make([]float64, len(d.Names)), make([][]float64, len(d.Names))
	for j := range columns {
		columns[j] = slices.Concat(d.Param(j)...)
	}
	for k := range draws {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for j, column := range columns {
			sampled[j] = column[k*len(column)/draws]
		}
		p.Spec.Theta(theta, sampled)
		if err := p.Simulate(ctx, rng, theta, rt, choice); err != nil {
			return fmt.Errorf("predicted trials: %w", err)
		}
		if err := use(k, rt, choice); err != nil {
			return err
		}
	}
	return nil
}
