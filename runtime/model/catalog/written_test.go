package catalog

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"likc/compiler/expr"
	"likc/compiler/syntax"
	"likc/runtime/model/ssm"
)

// TestWrittenProcesses compares the written definition of a process with its simulator: starts, drifts, noise and boundaries must agree.
func TestWrittenProcesses(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	compared := 0
	for _, name := range ssm.Names() {
		p, err := ssm.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if p.Evidence == "" {
			continue
		}
		models, err := syntax.Read(name, strings.NewReader(writtenText(p)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		e := models[0].Evidence
		names := models[0].ParamNames()
		for _, q := range p.Params {
			if !slices.Contains(names, q.Name) {
				t.Errorf("%s: the text lacks %s", name, q.Name)
			}
		}
		for range 40 {
			theta := make([]float64, len(p.Params))
			for j, q := range p.Params {
				theta[j] = q.Lower + (q.Upper-q.Lower)*r.Float64()
			}
			tau, x := 3*r.Float64(), 0.4*r.NormFloat64()
			for k, want := range simulated(p, theta, tau, x) {
				a := e.Accumulators[k]
				tape := expr.NewTape(append(slices.Clone(names), expr.Tau, a.Evidence), a.Start.A, a.Drift, a.Noise, a.Upper)
				values := make([]float64, 0, len(names)+2)
				for _, n := range names {
					values = append(values, theta[slices.IndexFunc(p.Params, func(q ssm.Param) bool { return q.Name == n })])
				}
				got, _ := tape.Eval(nil, append(values, tau, x))
				if want[3] <= 0 { // boundaries that have met
					got[3] = want[3]
				}
				for i, w := range want {
					if !(math.Abs(got[i]-w) <= 1e-12*(1+math.Abs(w))) {
						t.Errorf("%s at %v, τ = %v: start, drift, noise and boundary are written as %v, simulated as %v", name, theta, tau, got, want)
						break
					}
				}
				compared++
			}
		}
	}
	if compared < 300 {
		t.Errorf("%d accumulators compared", compared)
	}
}

// simulated returns the simulator's start, drift, noise and upper boundary of each accumulator, at time tau and evidence x.
func simulated(p *ssm.Model, theta []float64, tau, x float64) (all [][4]float64) {
	switch {
	case p.Diffusion != nil:
		d := p.Diffusion(theta)
		all = append(all, [4]float64{d.Start, d.Drift(tau, x), 1, d.Bound(tau)})
	case p.Accumulators != nil:
		a := p.Accumulators(theta)
		drift := make([]float64, len(a.Start))
		a.Drift(drift, make([]float64, len(a.Start)))
		for k, start := range a.Start {
			all = append(all, [4]float64{start, drift[k], 1, a.Bound(tau)})
		}
	}
	return all
}
