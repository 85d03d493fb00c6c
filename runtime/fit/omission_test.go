package fit

import (
	"math"
	"slices"
	"testing"

	"likc/runtime/model/omission"
	"likc/runtime/model/ssm"
	"likc/runtime/model/trials"
)

// If the deadline comes before any possible response, omissions carry no information. Adding 300 of them to 300 responses changes
// neither the posterior nor the expected log density of PSIS-LOO.
func TestOmissionsThatSayNothing(t *testing.T) {
	for name, theta := range map[string][]float64{"ddm": {1, 1.2, 0.5, 0.3}, "lnr2": {-1, -0.5, 0.5, 0.3}} {
		_, base := open(t, name)
		b, err := base.With(omission.Deadline{})
		if err != nil {
			t.Fatal(err)
		}
		const n = 300
		p, err := ssm.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		rt, choice := make([]float64, n), make([]float64, n)
		if err := p.Simulate(ssm.NewRand(30, 1), theta, ssm.ExactScheme(), rt, choice); err != nil {
			t.Fatal(err)
		}
		responses := Subject{Columns: [][]float64{rt}, Choice: choice}
		with := Subject{Columns: [][]float64{slices.Concat(rt, slices.Repeat([]float64{0.1}, n))}, Choice: slices.Concat(choice, slices.Repeat([]float64{trials.Omitted}, n))}
		var fits []*Result
		for _, s := range []Subject{responses, with} {
			r := Run(t.Context(), specOf(t, b.Model, Wishes{}), b, []Subject{s}, short())[0]
			if !r.IsComplete() {
				t.Fatal(name, r.Err)
			}
			fits = append(fits, r)
		}
		one, two := fits[0].Summary, fits[1].Summary
		for j, p := range one.Params {
			// chains diverge numerically, so means of 1,000 draws differ by some 0.05 sd
			if q := two.Params[j]; !(math.Abs(float64(p.Mean-q.Mean)) <= 0.2*float64(p.SD)) || !(math.Abs(float64(q.SD/p.SD)-1) <= 0.15) {
				t.Errorf("%s: %s is %v ± %v, with omissions %v ± %v", name, p.Name, p.Mean, p.SD, q.Mean, q.SD)
			}
		}
		t.Logf("%s: elpd %v, with omissions %v", name, one.LOO.ELPD, two.LOO.ELPD)
		if more := float64(two.LOO.ELPD - one.LOO.ELPD); !(math.Abs(more) <= 0.2) {
			t.Errorf("%s: omissions add %v to elpd", name, more)
		}
	}
}
