package fit

import (
	"math"
	"testing"

	"likc/runtime/fit/nuts"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/trials"
)

// TestCallsAndStatesAgreeWithStan: a model with a nonlinear drift and a learning model have the posteriors of Stan programs,
// which write the same models with wiener. Means and standard deviations agree within four Monte Carlo errors of both samplers
// together.
func TestCallsAndStatesAgreeWithStan(t *testing.T) {
	texts := map[string]string{"psychometric": `model psychometric { trial rt positive trial coh choice c
		param k in [0, 40] param e in [0.2, 3] param a in [0.3, 2.5] param z in [0.1, 0.9] param t in [0, 1]
		loglik = ddm(v = k*sign(coh)*abs(coh)^e, a, z, t) }`}
	for name, want := range readStan(t, "called/posteriors.csv") {
		t.Run(name, func(t *testing.T) {
			m, err := catalog.Open(name)
			if text, own := texts[name]; own {
				m, err = catalog.Parse(text)
			}
			if err != nil {
				t.Fatal(err)
			}
			table, err := trials.Read("../../testdata/stan/called/"+name+".csv", trials.Options{Trials: m.DataColumns(), Labels: len(m.Restarts()), Choice: m.Choice})
			if err != nil {
				t.Fatal(err)
			}
			b, err := bound.Open(m, bound.Auto)
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			s := nuts.DefaultSettings()
			s.NumChains, s.NumSamples, s.Seed = 2, 1000, 1
			r := Run(t.Context(), specOf(t, m, Wishes{}), b, []Subject{{Columns: table.Columns, Choice: table.Choice}}, Settings{Sampler: s})[0]
			if !r.IsComplete() {
				t.Fatal(r.Err)
			}
			for i, stan := range want {
				p := r.Summary.Params[i]
				mean, sd := (p.Mean-stan.mean)/math.Hypot(p.MCSEMean, stan.meanError), (p.SD-stan.sd)/math.Hypot(p.MCSESD, stan.sdError)
				t.Logf("%s: mean %.5g, %.2f Monte Carlo errors off; standard deviation %.4g, %.2f off", p.Name, p.Mean, mean, p.SD, sd)
				if p.Name != stan.parameter || !(math.Abs(mean) < 4) || !(math.Abs(sd) < 4) {
					t.Errorf("%s: mean %v and sd %v, Stan found %v and %v of %s", p.Name, p.Mean, p.SD, stan.mean, stan.sd, stan.parameter)
				}
			}
		})
	}
}
