package model

import (
	"fmt"
	"io"
	"math"
	"strings"

	"likc/runtime/catalog"

	"likc/compiler"
	"likc/runtime/store"
	"likc/runtime/trials"
)

// explain says on stderr which trial made a result infinite or undefined: neither is ever hidden.
func explain(w io.Writer, src *catalog.Model, table *trials.Table, theta []float64, loglik float64) error {
	if !math.IsNaN(loglik) && !math.IsInf(loglik, 0) {
		return nil
	}
	fault, err := findFault(src, table, theta)
	switch {
	case err != nil:
		return err
	case fault.Row < 0:
		fmt.Fprintf(w, "likc: note: %s\n", fault.Why)
	default:
		fmt.Fprintf(w, "likc: note: data row %d: %s\n", fault.Row+1, fault.Why)
	}
	return nil
}

// findFault says why the log-likelihood is not finite.
func findFault(src *catalog.Model, table *trials.Table, theta []float64) (compiler.Fault, error) {
	if _, exact := src.Density(); exact {
		density, err := trialDensity(src, table)
		if err != nil {
			return compiler.Fault{}, err
		}
		return compiler.DensityFault(src.Params, theta, table.N(), func(i int) float64 { return density(i, theta) }), nil
	}
	tree, err := compiler.BindTree(src.Model, table.Columns, table.Choice)
	if err != nil {
		return compiler.Fault{}, err
	}
	if fault, ok := tree.Fault(theta); ok {
		return fault, nil
	}
	return compiler.Fault{Row: -1, Why: "every log density and their sum is finite as written: something in between overflows"}, nil
}

// trialDensity returns the log density of one trial of the table.
func trialDensity(src *catalog.Model, table *trials.Table) (func(i int, theta []float64) float64, error) {
	if d, ok := src.Density(); ok {
		one := make([]float64, 1)
		return func(i int, theta []float64) float64 {
			d.LogDensity(one, [][]float64{theta}, table.Columns[0][i:i+1], table.Choice[i:i+1])
			return one[0]
		}, nil
	}
	tree, err := compiler.BindTree(src.Model, table.Columns, table.Choice)
	if err != nil {
		return nil, err
	}
	return tree.Trial, nil
}

// writePerTrial writes the log density of every trial, in the order of the data.
func writePerTrial(path string, src *catalog.Model, table *trials.Table, theta []float64) error {
	density, err := trialDensity(src, table)
	if err != nil {
		return err
	}
	return store.WriteFile(path, func(w io.Writer) error {
		if _, err := fmt.Fprintln(w, "loglik"); err != nil {
			return err
		}
		for i := range table.N() {
			if _, err := fmt.Fprintln(w, strings.Trim(number(density(i, theta)), `"`)); err != nil {
				return err
			}
		}
		return nil
	})
}
