package catalog

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"likc/compiler/expr"
	"likc/compiler/syntax"
	"likc/runtime/model/kernel"
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

// TestProcessOfColumns compares trials of a process that depends on a column with those of the process in which the column's value is
// written as a number: the same random numbers must give the same trials.
func TestProcessOfColumns(t *testing.T) {
	const text = `model pushed { trial rt positive %s choice c param v in [-3, 3] param a in [0.5, 2] param t in [0, 1]
		evidence x after t { start 0 drift v + %s*exp(-tau) upper a } }`
	open := func(column, value string) *Model {
		m, err := Parse(fmt.Sprintf(text, column, value))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	s, ok := open("trial push", "push").Sequence()
	if !ok {
		t.Fatal("no simulator of a process with a column")
	}
	p, _ := s.Process()
	scheme, _, err := p.Scheme("")
	if err != nil {
		t.Fatal(err)
	}
	theta := [][]float64{{0.5}, {1.2}, {0.3}}
	for _, push := range []float64{-1.5, 2} {
		columns := kernel.Trials{Columns: [][]float64{make([]float64, 20), slices.Repeat([]float64{push}, 20)}, Choice: make([]float64, 20)}
		if err := s.Draw(context.Background(), ssm.NewRand(3, 0), s.By(scheme), theta, columns, nil); err != nil {
			t.Fatal(err)
		}
		alone, _ := open("", fmt.Sprintf("(%v)", push)).Simulator()
		r, rt, choice := ssm.NewRand(3, 0), make([]float64, 20), make([]float64, 20)
		if err := alone.Process.Simulate(r, []float64{0.5, 1.2, 0.3}, scheme, rt, choice); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(columns.Columns[0], rt) || !slices.Equal(columns.Choice, choice) {
			t.Errorf("push %v: response times %v, want %v", push, columns.Columns[0], rt)
		}
	}
}
