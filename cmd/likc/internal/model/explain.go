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
	density, err := trialDensity(src, table)
	if err != nil {
		return err
	}
	for i := range table.N() {
		switch x := density(i, theta); {
		case math.IsNaN(x):
			fmt.Fprintf(w, "likc: note: the log density of data row %d is NaN\n", i+1)
			return nil
		case math.IsInf(x, 1) && math.IsInf(loglik, 1):
			fmt.Fprintf(w, "likc: note: the log density of data row %d is +Inf\n", i+1)
			return nil
		case math.IsInf(x, -1) && math.IsInf(loglik, -1):
			fmt.Fprintf(w, "likc: note: data row %d is outside the support (%s)\n", i+1, supportText(src))
			return nil
		}
	}
	fmt.Fprintf(w, "likc: note: no trial's log density is %s by itself: something in between overflows\n", strings.Trim(number(loglik), `"`))
	return nil
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

func supportText(src *catalog.Model) string {
	var conditions []string
	for _, c := range src.Support {
		conditions = append(conditions, c.Left.String()+" < "+c.Right.String())
	}
	if len(conditions) == 0 {
		return "its density is zero"
	}
	return strings.Join(conditions, ", ")
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
