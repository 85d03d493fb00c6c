package nuts

import (
	"context"
	"math"
	"testing"

	"likc/runtime/num/chains"
)

// same returns a function that gives every chain the same target, which must be safe for concurrent use.
func same(t Target) func(int) Target { return func(int) Target { return t } }

func sample(tb testing.TB, t Target, s Settings) *Result {
	tb.Helper()
	r, err := Sample(context.Background(), same(t), s)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// TestGradientsOfReferencePosteriors compares the gradients of the densities of posteriordb_test.go with finite differences.
func TestGradientsOfReferencePosteriors(t *testing.T) {
	for name := range posteriors {
		p, _ := loadPosterior(t, name)
		q, grad, scratch := make([]float64, p.dim), make([]float64, p.dim), make([]float64, p.dim)
		for i := range q {
			q[i] = 0.3 * math.Sin(float64(i+1))
		}
		if _, err := p.LogDensityGrad(q, grad); err != nil {
			t.Fatal(err)
		}
		for i := range q {
			const h = 1e-5
			at := q[i]
			q[i] = at + h
			high, _ := p.LogDensityGrad(q, scratch)
			q[i] = at - h
			low, _ := p.LogDensityGrad(q, scratch)
			q[i] = at
			if want := (high - low) / (2 * h); !(math.Abs(grad[i]-want) <= 1e-5*(1+math.Abs(want))) {
				t.Errorf("%s: gradient %d = %v, finite difference %v", name, i, grad[i], want)
			}
		}
	}
}

// TestReferencePosteriors compares means and standard deviations with posteriordb's. Differences are in units of the combined
// standard errors.
func TestReferencePosteriors(t *testing.T) {
	for name := range posteriors {
		t.Run(name, func(t *testing.T) {
			p, reference := loadPosterior(t, name)
			s := DefaultSettings()
			s.Seed = 1
			r := sample(t, p, s)
			worst, rhat, ess := 0.0, 0.0, math.Inf(1)
			for _, got := range p.derived(r.Draws).Summarise() {
				want, known := reference[got.Name]
				if !known {
					t.Fatalf("no reference for %s", got.Name)
				}
				delete(reference, got.Name)
				zMean := (got.Mean - want.Mean) / math.Hypot(got.MCSEMean, want.MCSEMean)
				zSD := (got.SD - want.SD) / math.Hypot(got.MCSESD, want.MCSESD)
				if !(math.Abs(zMean) < 4) || !(math.Abs(zSD) < 4) {
					t.Errorf("%s: mean %v, want %v (z %.1f); sd %v, want %v (z %.1f)", got.Name, got.Mean, want.Mean, zMean, got.SD, want.SD, zSD)
				}
				if !(got.Rhat < 1.01) {
					t.Errorf("%s: R-hat %v", got.Name, got.Rhat)
				}
				worst, rhat, ess = max(worst, math.Abs(zMean), math.Abs(zSD)), max(rhat, got.Rhat), min(ess, got.ESSBulk)
			}
			if len(reference) > 0 {
				t.Errorf("not compared: %v", reference)
			}
			t.Logf("largest |z| %.2f, R-hat %.4f, least bulk ESS %.0f, %d gradients, %d divergences",
				worst, rhat, ess, r.Draws.TotalGradients(), r.Draws.Divergences())
		})
	}
}

// leastESS returns the smallest bulk effective sample size of all parameters.
func leastESS(d *chains.Draws) float64 {
	least := math.Inf(1)
	for j := range d.Names {
		least = min(least, chains.BulkESS(d.Param(j)))
	}
	return least
}
