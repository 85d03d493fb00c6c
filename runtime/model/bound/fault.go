package bound

import (
	"cmp"
	"slices"

	"likc/compiler"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
)

// FindFault says why the log-likelihood of trials is infinite or undefined at theta, and which trial makes it so.
func FindFault(m *catalog.Model, t kernel.Trials, theta []float64) (compiler.Fault, error) {
	if _, exact := m.Density(); exact || m.Called != nil {
		density, err := DensityOf(m, t)
		if err != nil {
			return compiler.Fault{}, err
		}
		fault := compiler.DensityFault(m.Params, theta, t.N(), func(i int) float64 { return density(i, theta) })
		if e, ok := m.Evidence(); ok && fault.Row >= 0 {
			fault.Why = cmp.Or(e.Outside(t, fault.Row, theta), fault.Why)
		}
		return fault, nil
	}
	of, err := innerOf(m.Model)
	if err != nil {
		return compiler.Fault{}, err
	}
	tree, err := compiler.BindTree(of.model, t.Columns, t.Choice)
	if err != nil {
		return compiler.Fault{}, err
	}
	at, _ := of.params(theta)
	if fault, ok := tree.Fault(at); ok {
		return fault, nil
	}
	if of.z != nil {
		return compiler.Fault{Row: -1, Why: "the log density cannot be normalised there: its integral over time is infinite, zero or undefined"}, nil
	}
	return compiler.Fault{Row: -1, Why: "every log density and their sum is finite as written: something in between overflows"}, nil
}

// TrialDensity returns the same function as [DensityOf], for trials of one participant.
func TrialDensity(m *catalog.Model, columns [][]float64, choice []float64) (func(i int, theta []float64) float64, error) {
	return DensityOf(m, kernel.Trials{Columns: columns, Choice: choice})
}

// DensityOf returns a function that gives the log density of trial i, counted from 0. An expression is evaluated as it was written.
func DensityOf(m *catalog.Model, t kernel.Trials) (func(i int, theta []float64) float64, error) {
	if m.Called != nil {
		return calledDensity(m, t)
	}
	var known []float64
	if d, ok := m.Density(); ok {
		rows, err := d.Rows(t)
		if err != nil {
			return nil, err
		}
		logp := make([]float64, rows.N())
		return func(i int, theta []float64) float64 {
			if !slices.Equal(known, theta) {
				known = slices.Clone(theta)
				rows.Each(kernel.Fixed(known), logp, nil)
			}
			return logp[i]
		}, nil
	}
	of, err := innerOf(m.Model)
	if err != nil {
		return nil, err
	}
	tree, err := compiler.BindTree(of.model, t.Columns, t.Choice)
	if err != nil {
		return nil, err
	}
	var at []float64
	less := 0.0
	return func(i int, theta []float64) float64 {
		if !slices.Equal(known, theta) {
			known = slices.Clone(theta)
			at, less = of.params(known)
		}
		return tree.Trial(i, at) - less
	}, nil
}

// calledDensity returns the function of DensityOf for a model that has states or calls densities: it evaluates all trials together.
func calledDensity(m *catalog.Model, t kernel.Trials) (func(i int, theta []float64) float64, error) {
	p, err := Open(m, Ready)
	if err != nil {
		return nil, err
	}
	b, err := p.Bind(t, Design{})
	if err != nil {
		return nil, err
	}
	var known []float64
	logp := make([]float64, t.N())
	return func(i int, theta []float64) float64 {
		if !slices.Equal(known, theta) {
			known = slices.Clone(theta)
			b.PerTrial(known, logp)
		}
		return logp[i]
	}, nil
}
