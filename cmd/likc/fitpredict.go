package main

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

// predict simulates trials from the posterior, where a sequential sampling model has the model's parameters: its own, or
// the drift-diffusion model, whose density the expressions stand for. It returns nothing for other models.
func (r *fitRun) predict(ctx context.Context, d *chains.Draws, label string) (rt, choice []float64, err error) {
	m := simulatorOf(r.src)
	if m == nil {
		return nil, nil, nil
	}
	scheme := ssm.EulerScheme()
	if m.Name == exactName {
		scheme = ssm.ExactScheme()
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

// simulatorOf returns the sequential sampling model that a model's parameters belong to, or nil.
func simulatorOf(src source) *ssm.Model {
	if src.Choice == "" || len(src.Trials) != 1 || src.Trials[0] != "rt" {
		return nil
	}
	for _, name := range []string{src.Name, exactName} {
		m, err := ssm.Lookup(name)
		if err != nil {
			continue
		}
		names := make([]string, len(m.Params))
		for i, p := range m.Params {
			names[i] = p.Name
		}
		if slices.Equal(names, src.ParamNames()) {
			return m
		}
	}
	return nil
}
