package fit

import (
	"context"

	"likc/runtime/chains"
	"likc/runtime/nuts"
	"likc/runtime/posterior"
	"likc/runtime/ssm"
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
	s := f.Sampler
	d := &chains.Draws{Names: f.spec.Names(), Run: chains.Run{Model: f.spec.Model.Name, NumSamples: s.NumSamples, Seed: s.Seed}}
	for c := range s.NumChains {
		rng := ssm.NewRand(s.Seed, nuts.StreamOf("draws from the priors for "+r.Label)+uint64(c))
		t := chains.NewTrace(len(params), s.NumSamples)
		for range s.NumSamples {
			log := 0.0
			for j := range samplers {
				x := samplers[j].Draw(rng)
				value, _ := params[j].Prior.LogDensity(x)
				t.Params[j], log = append(t.Params[j], x), log+value
			}
			t.LogDensity, t.AcceptStat, t.StepSize = append(t.LogDensity, log), append(t.AcceptStat, 1), append(t.StepSize, 0)
			t.TreeDepth, t.Leapfrogs = append(t.TreeDepth, 0), append(t.Leapfrogs, 0)
			t.Divergent, t.Energy = append(t.Divergent, false), append(t.Energy, -log)
		}
		d.Chains = append(d.Chains, chains.Chain{ID: c + 1, Trace: t})
	}
	r.describe(ctx, d, s, nil)
	r.Findings, r.Summary.Warnings = nil, []string{} // independent draws need no diagnosis
	r.Summary.PriorOnly, r.Summary.Record = true, f.Record.of(&r.Subject)
	r.Summary.Prediction.Missing = "the draws are from the priors: the data had no say"
	return nil
}
