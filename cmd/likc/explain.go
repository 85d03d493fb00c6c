package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"likc/compiler"
	"likc/runtime/trials"
)

// explain says on stderr which trial made a result infinite or undefined: neither is ever hidden.
func explain(w io.Writer, src source, table *trials.Table, theta []float64, loglik float64) error {
	if !math.IsNaN(loglik) && !math.IsInf(loglik, 0) {
		return nil
	}
	tree, err := compiler.BindTree(src.Model, table.Columns, table.Choice)
	if err != nil {
		return err
	}
	for i := 0; i < tree.N(); i++ {
		switch x := tree.Trial(i, theta); {
		case math.IsNaN(x):
			fmt.Fprintf(w, "likc: note: the log density of data row %d is NaN\n", i+1)
			return nil
		case math.IsInf(x, -1) && math.IsInf(loglik, -1):
			fmt.Fprintf(w, "likc: note: data row %d is outside the support (%s)\n", i+1, supportText(src))
			return nil
		}
	}
	return nil
}

func supportText(src source) string {
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
func writePerTrial(path string, src source, table *trials.Table, theta []float64) error {
	tree, err := compiler.BindTree(src.Model, table.Columns, table.Choice)
	if err != nil {
		return err
	}
	return writeFile(path, func(w io.Writer) error {
		if _, err := fmt.Fprintln(w, "loglik"); err != nil {
			return err
		}
		for i := 0; i < tree.N(); i++ {
			if _, err := fmt.Fprintln(w, strings.Trim(number(tree.Trial(i, theta)), `"`)); err != nil {
				return err
			}
		}
		return nil
	})
}
