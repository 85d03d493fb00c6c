package fit

import (
	"context"
	"math/rand/v2"

	"likc/runtime/fit/nuts"
	"likc/runtime/model/ssm"
	"likc/runtime/num/chains"
	"likc/runtime/num/stream"
)

// drawPriors draws independent values from the priors, limited to the parameters' ranges; the data have no influence. The draws
// are stored as chains, so that all code for posterior draws can use them.
func (f *fitter) drawPriors(ctx context.Context, r *Result) (err error) {
	if r.Study, err = f.spec.BeforeData(&r.Subject); err != nil {
		return err
	}
	priors, err := r.Study.PriorSampler()
	if err != nil {
		return err
	}
	d := independent(r.Study.Names(), f.Sampler, r.Label, priors.Draw)
	d.Run.Model = f.spec.Model.Name
	r.describe(ctx, d, f.Sampler, nil)
	r.Findings, r.Summary.Warnings = nil, []string{} // draws are independent, so they need no diagnosis
	r.Summary.PriorOnly, r.Summary.Missing = true, "the draws are from the priors: the data had no say"
	return nil
}

// independent makes chains of independent draws. The function draw writes one draw and returns its log density.
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
