package fit

import (
	"context"
	"strings"
	"testing"

	"likc/runtime/fit/nuts"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/ssm"
)

// opened returns a model's engine, which the end of the test closes, and what is fitted without any wishes.
func opened(t *testing.T, m *catalog.Model) (*bound.Prepared, *Spec) {
	t.Helper()
	b, err := bound.Open(m, bound.Ready)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	spec, err := NewSpec(m, Wishes{})
	if err != nil {
		t.Fatal(err)
	}
	return b, spec
}

// TestHighestMode: the posterior of slow passages has a second, lower mode with fast passages and long exponential times. A
// search from the middle of the ranges ends there. The mode that is found has at least the density of the truth, and all chains
// draw near it. That is so, too, of a formula that does not name the process it stands for.
func TestHighestMode(t *testing.T) {
	m, err := catalog.Open("exwald")
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := catalog.WriteModel(&text, m.Model); err != nil {
		t.Fatal(err)
	}
	formula, err := catalog.Parse(strings.NewReplacer("  simulator exwald\n", "", "}", "  normalise\n}").Replace(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	if _, simulated := formula.Simulator(); simulated || !formula.Normalise {
		t.Fatalf("not a formula without a process: %s", text.String())
	}
	highestMode(t, m, m)
	highestMode(t, m, formula)
}

// highestMode fits a formula to trials of slow passages, simulated by the process m, as TestHighestMode says.
func highestMode(t *testing.T, process, m *catalog.Model) {
	t.Helper()
	truth, rt, choice := []float64{0.45, 0.75, 0.31}, make([]float64, 100), make([]float64, 100)
	s, _ := process.Simulator()
	if err := s.Process.Simulate(ssm.NewRand(3, 0), truth, ssm.ExactScheme(), rt, choice); err != nil {
		t.Fatal(err)
	}
	b, spec := opened(t, m)
	lik, err := b.Bind(kernel.Responses(rt, nil), bound.Design{})
	if err != nil {
		t.Fatal(err)
	}
	settings := Settings{Mode: true, Threads: 1}
	settings.Sampler = nuts.DefaultSettings()
	settings.Sampler.NumChains, settings.Sampler.NumWarmup, settings.Sampler.NumSamples, settings.Sampler.MaxDepth = 2, 40, 40, 5
	of := []Subject{{Columns: [][]float64{rt}}}
	r := Run(context.Background(), spec, b, of, settings)[0]
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	if at := lik.LogLik([]float64{float64(r.Mode.Params[0].Mode), float64(r.Mode.Params[1].Mode), float64(r.Mode.Params[2].Mode)}); !(at >= lik.LogLik(truth)) {
		t.Errorf("the mode has the log-likelihood %v, the truth %v", at, lik.LogLik(truth))
	}
	settings.Mode = false
	r = Run(context.Background(), spec, b, of, settings)[0]
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	if v := r.Summary.Params[0]; v.Q95 > 1 {
		t.Errorf("drift rates drawn: %v to %v; want them near %v", v.Q5, v.Q95, truth[0])
	}
}

// TestWalls: where boundaries of a written process meet before the slowest trial, the log density falls by 10⁵ nats, and a chain that
// starts there stays there. Chains must draw where the likelihood is about that of the truth.
func TestWalls(t *testing.T) {
	m, err := catalog.Parse(`model falling { trial rt positive choice c param v in [-3, 3] param a in [0.3, 2.5] param k in [0, 2] param g in [0, 3] param t in [0, 2]
		evidence x after t { start 0 drift v - g*x upper max(a - k*tau, 0.05) } }`)
	if err != nil {
		t.Fatal(err)
	}
	truth, rt, choice := []float64{1, 1.5, 0.5, 0.7, 0.3}, make([]float64, 200), make([]float64, 200)
	s, _ := m.Simulator()
	scheme, _, err := s.Process.Scheme("")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Process.Simulate(ssm.NewRand(2, 0), truth, scheme, rt, choice); err != nil {
		t.Fatal(err)
	}
	b, spec := opened(t, m)
	settings := Settings{Threads: 2}
	settings.Sampler = nuts.DefaultSettings()
	settings.Sampler.Seed, settings.Sampler.NumChains, settings.Sampler.NumWarmup, settings.Sampler.NumSamples, settings.Sampler.MaxDepth = 2, 2, 25, 25, 5
	r := Run(context.Background(), spec, b, []Subject{{Columns: [][]float64{rt}, Choice: choice}}, settings)[0]
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	lik, err := b.Bind(kernel.Responses(rt, choice), bound.Design{})
	if err != nil {
		t.Fatal(err)
	}
	var means []float64
	for _, p := range r.Summary.Params {
		means = append(means, float64(p.Mean))
	}
	if at, want := lik.LogLik(means), lik.LogLik(truth); !(at > want-20) {
		t.Errorf("log-likelihood at the means %v of the draws: %v; at the truth %v", means, at, want)
	}
}
