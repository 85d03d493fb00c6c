package engine

import (
	"slices"

	"likc/compiler"
	"likc/runtime/catalog"
)

// FindFault says why the log-likelihood of trials is infinite or undefined at theta, and which trial makes it so. Columns and choices
// are those of [Binder.Bind].
func FindFault(m *catalog.Model, columns [][]float64, choice, theta []float64) (compiler.Fault, error) {
	if _, exact := m.Density(); exact {
		density, err := TrialDensity(m, columns, choice)
		if err != nil {
			return compiler.Fault{}, err
		}
		return compiler.DensityFault(m.Params, theta, len(columns[0]), func(i int) float64 { return density(i, theta) }), nil
	}
	tree, err := compiler.BindTree(m.Model, columns, choice)
	if err != nil {
		return compiler.Fault{}, err
	}
	if fault, ok := tree.Fault(theta); ok {
		return fault, nil
	}
	if z, err := interpretedLogZ(m.Model); z != nil || err != nil {
		return compiler.Fault{Row: -1, Why: "the log density cannot be normalised there: its integral over time is infinite, zero or undefined"}, err
	}
	return compiler.Fault{Row: -1, Why: "every log density and their sum is finite as written: something in between overflows"}, nil
}

// TrialDensity returns the log density of trial i, counted from 0, of bound trials. An expression is evaluated as it was written.
func TrialDensity(m *catalog.Model, columns [][]float64, choice []float64) (func(i int, theta []float64) float64, error) {
	if d, ok := m.Density(); ok {
		one := make([]float64, 1)
		return func(i int, theta []float64) float64 {
			d.LogDensity(one, [][]float64{theta}, columns[0][i:i+1], choice[i:i+1])
			return one[0]
		}, nil
	}
	tree, err := compiler.BindTree(m.Model, columns, choice)
	if err != nil {
		return nil, err
	}
	z, err := interpretedLogZ(m.Model)
	if z == nil {
		return tree.Trial, err
	}
	at, value := []float64(nil), 0.0
	return func(i int, theta []float64) float64 {
		if !slices.Equal(at, theta) {
			at, value = slices.Clone(theta), z.at(theta, nil)
		}
		return tree.Trial(i, theta) - value
	}, nil
}
