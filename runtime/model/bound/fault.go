package bound

import (
	"slices"

	"likc/compiler"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
)

// FindFault says why the log-likelihood of trials is infinite or undefined at theta, and which trial makes it so. Columns and choices
// are those of [Prepared.Bind].
func FindFault(m *catalog.Model, columns [][]float64, choice, theta []float64) (compiler.Fault, error) {
	if _, exact := m.Density(); exact {
		density, err := TrialDensity(m, columns, choice)
		if err != nil {
			return compiler.Fault{}, err
		}
		return compiler.DensityFault(m.Params, theta, len(columns[0]), func(i int) float64 { return density(i, theta) }), nil
	}
	of, err := innerOf(m.Model)
	if err != nil {
		return compiler.Fault{}, err
	}
	tree, err := compiler.BindTree(of.model, columns, choice)
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

// TrialDensity returns the log density of trial i, counted from 0, of bound trials. An expression is evaluated as it was written.
func TrialDensity(m *catalog.Model, columns [][]float64, choice []float64) (func(i int, theta []float64) float64, error) {
	if d, ok := m.Density(); ok {
		one := make([]float64, 1)
		return func(i int, theta []float64) float64 {
			d.(kernel.Drawn).LogDensity(one, [][]float64{theta}, columns[0][i:i+1], choice[i:i+1])
			return one[0]
		}, nil
	}
	of, err := innerOf(m.Model)
	if err != nil {
		return nil, err
	}
	tree, err := compiler.BindTree(of.model, columns, choice)
	if err != nil {
		return nil, err
	}
	var known, at []float64
	less := 0.0
	return func(i int, theta []float64) float64 {
		if !slices.Equal(known, theta) {
			known = slices.Clone(theta)
			at, less = of.params(known)
		}
		return tree.Trial(i, at) - less
	}, nil
}
