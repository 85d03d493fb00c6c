package fit

import (
	"context"
	"math/rand/v2"

	"likc/runtime/fit/nuts"
	"likc/runtime/model/posterior"
	"likc/runtime/model/ssm"
	"likc/runtime/num/chains"
	"likc/runtime/num/stream"
)

// drawPrior draws independent values from the priors, cut to their ranges: the data have no say. They come as chains, so that
// everything that takes draws of a posterior takes them too.
func (f *fitter) drawPrior(ctx context.Context, r *Result) error {
	params, err := f.spec.Parameters(nil, nil)
	if err != nil {
		return err
	}
	samplers := make([]*posterior.Sampler, len(params))
	for j := range params {
		if samplers[j], err = params[j].Sampler(); err != nil {
			return err
		}
	}
	d := independent(f.spec.Names(), f.Sampler, r.Label, func(rng *rand.Rand, x []float64) (log float64) {
		for j := range samplers {
			x[j] = samplers[j].Draw(rng)
			value, _ := params[j].Prior.LogDensity(x[j])
			log += value
		}
		return log
	})
	d.Run.Model = f.spec.Model.Name
	r.describePrior(ctx, d, f.Sampler, f.Record)
	return nil
}

// independent makes chains of independent draws: draw writes one and returns its log density.
func independent(names []string, s nuts.Settings, label string, draw func(rng *rand.Rand, x []float64) float64) *chains.Draws {
	d := &chains.Draws{Names: names, Run: chains.Run{NumSamples: s.NumSamples, Seed: s.Seed}}
	x := make([]float64, len(names))
	for c := range s.NumChains {
		rng := ssm.NewRand(s.Seed, stream.Of("draws from the priors for "+label)+uint64(c))
		t := chains.NewTrace(len(names), s.NumSamples)
		for range s.NumSamples {
			log := draw(rng, x)
			for j, v := range x {
				t.Params[j] = append(t.Params[j], v)
			}
			t.LogDensity, t.AcceptStat, t.StepSize = append(t.LogDensity, log), append(t.AcceptStat, 1), append(t.StepSize, 0)
			t.TreeDepth, t.Leapfrogs = append(t.TreeDepth, 0), append(t.Leapfrogs, 0)
			t.Divergent, t.Energy = append(t.Divergent, false), append(t.Energy, -log)
		}
		d.Chains = append(d.Chains, chains.Chain{ID: c + 1, Trace: t})
	}
	return d
}

// describePrior is describe for draws from the priors: independent draws need no diagnosis.
func (r *Result) describePrior(ctx context.Context, d *chains.Draws, s nuts.Settings, record *Record) {
	r.describe(ctx, d, s, nil)
	r.Findings, r.Summary.Warnings = nil, []string{}
	r.Summary.PriorOnly, r.Summary.Record = true, record.of(&r.Subject)
	r.Summary.Prediction.Missing = "the draws are from the priors: the data had no say"
}
