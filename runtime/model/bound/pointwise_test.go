package bound

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"likc/runtime/fit/loo"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
)

// nearby returns n parameter vectors around the middle of a model's ranges. Parameters that trials bound from above are below the fastest
// trial.
func nearby(m *catalog.Model, n int, fastest float64) [][]float64 {
	rng := rand.New(rand.NewPCG(1, 2))
	theta := make([][]float64, n)
	for s := range theta {
		for _, p := range m.Params {
			low, high := p.Lower, p.Upper
			if p.Name == "t" {
				high = fastest
			}
			theta[s] = append(theta[s], low+(high-low)*(0.3+0.4*rng.Float64()))
		}
	}
	return theta
}

// boundTo binds trials to a model with an engine that needs no building.
func boundTo(t *testing.T, m *catalog.Model, columns [][]float64, choice []float64) *Bound {
	t.Helper()
	p, err := Open(m, Ready)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	b, err := p.Bind(kernel.Trials{Columns: columns, Choice: choice}, Design{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// pointwise returns the log densities of n trials at each theta. It calls LogDensity for blocks of the given size.
func pointwise(p *Bound, theta [][]float64, n, block int) [][]float64 {
	all := make([][]float64, n)
	for i := range all {
		all[i] = make([]float64, len(theta))
	}
	for first := 0; first < n; first += block {
		p.LogDensity(all[first:min(first+block, n)], theta, first)
	}
	return all
}

// The log densities of single trials add up to the log-likelihood that fits use, for every kind of model, and do not depend on
// the blocks that they are asked for in.
func TestPointwiseAddsUp(t *testing.T) {
	const n = 150
	columns, choice := simulated(t, n)
	fastest := math.Inf(1)
	for _, rt := range columns[0] {
		fastest = min(fastest, rt)
	}
	second := make([]float64, n)
	for i := range second {
		second[i] = 0.5 + float64(i%7)
	}
	for _, name := range []string{"ddm", "expr2", "lognormal", "sharing", "entangled",
		filepath.Join("..", "..", "..", "testdata", "teacher", "spline"), filepath.Join("..", "..", "..", "testdata", "teacher", "flow")} {
		m, err := catalog.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		columns, choice := append([][]float64{}, columns...), choice
		for len(columns) < len(m.Trials) {
			columns = append(columns, second)
		}
		if m.Choice == "" {
			choice = nil
		}
		p := boundTo(t, m, columns, choice)
		theta := nearby(m, 9, fastest)
		all, one := pointwise(p, theta, n, 40), pointwise(p, theta, n, 1)
		for s, at := range theta {
			sum, scale := 0.0, 0.0
			for i := range all {
				sum, scale = sum+all[i][s], scale+math.Abs(all[i][s])
				if !(math.Abs(all[i][s]-one[i][s]) <= 1e-12*math.Abs(one[i][s])) {
					t.Fatalf("%s, trial %d: %v in a block, %v alone", name, i+1, all[i][s], one[i][s])
				}
			}
			if want := p.LogLik(at); !(math.Abs(sum-want) <= 1e-9*scale) {
				t.Errorf("%s at %v: trials add up to %v, the log-likelihood is %v", name, at, sum, want)
			}
		}
	}
}

// Only trials outside the support have the log density -Inf.
func TestPointwiseOutsideSupport(t *testing.T) {
	for _, name := range []string{"ddm", "expr2"} {
		m, err := catalog.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		p := boundTo(t, m, [][]float64{{0.4, 0.6}}, []float64{1, -1})
		all := pointwise(p, [][]float64{{0.5, 1, 0.5, 0.5}}, 2, 2)
		if !math.IsInf(all[0][0], -1) || math.IsInf(all[1][0], 0) || math.IsNaN(all[1][0]) {
			t.Errorf("%s: %v", name, all)
		}
	}
}

// Trials that do not fit the model are refused.
func TestBindRefuses(t *testing.T) {
	rt, choice := []float64{0.5, 0.6}, []float64{1, -1}
	for _, name := range []string{"ddm", "expr2"} {
		m, err := catalog.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Open(m, Ready)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			columns [][]float64
			choice  []float64
		}{{nil, choice}, {[][]float64{rt, rt}, choice}, {[][]float64{rt}, nil}, {[][]float64{rt}, choice[:1]}, {[][]float64{rt}, []float64{1, 2}}} {
			if _, err := p.Bind(kernel.Trials{Columns: c.columns, Choice: c.choice}, Design{}); err == nil {
				t.Errorf("%s with columns %v, choices %v: error %v", name, c.columns, c.choice, err)
			}
		}
	}
}

// Leave-one-out figures that are computed from pointwise log densities are finite and plausible.
func TestPointwiseGivesLeaveOneOut(t *testing.T) {
	columns, choice := simulated(t, 100)
	rng := rand.New(rand.NewPCG(1, 2))
	theta := make([][]float64, 400)
	for s := range theta {
		theta[s] = []float64{1 + 0.05*rng.NormFloat64(), 1.2 + 0.02*rng.NormFloat64(), 0.5 + 0.01*rng.NormFloat64(), 0.1}
	}
	for _, name := range []string{"ddm", "expr2"} {
		m, err := catalog.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		p := boundTo(t, m, columns, choice)
		r, err := loo.Estimate(context.Background(), p, theta, loo.Settings{Chains: 4})
		if err != nil {
			t.Fatal(err)
		}
		mean := 0.0
		for _, row := range pointwise(p, theta, 100, 32) {
			for _, v := range row {
				mean += v / float64(len(theta))
			}
		}
		if !(math.Abs(r.ELPD.Value-mean) < 3) || !(r.P.Value > 0) {
			t.Errorf("%s: elpd %v, mean log-likelihood %v, effective parameters %v", name, r.ELPD, mean, r.P)
		}
	}
}
