package likc

import (
	"fmt"
	"maps"
	"slices"

	"likc/runtime/fit/formula"
)

// Regression says how parameters depend on columns of the data, and how they vary by group.
type Regression struct {
	Formulas []string             // formulas of parameters, such as "v ~ 1 + condition + (1 | id)"; a parameter without a formula is one number
	Links    map[string]string    // links by parameter: identity, log or logit; by default the link that suits the parameter's range
	Numbers  map[string][]float64 // columns of numbers that formulas name, a value each trial
	Labels   map[string][]string  // columns of labels that formulas name, such as conditions or participants
}

// table returns the columns that formulas name. Each must have `rows` rows.
func (r *Regression) table(rows int) (formula.Table, error) {
	t := formula.Table{Rows: rows}
	add := func(c formula.DataColumn, n int) error {
		if n != rows {
			return fmt.Errorf("column %s has %d rows: there are %d trials", c.Name, n, rows)
		}
		t.Columns = append(t.Columns, c)
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(r.Numbers)) {
		if _, twice := r.Labels[name]; twice {
			return t, fmt.Errorf("column %s has numbers and labels", name)
		}
		if err := add(formula.DataColumn{Name: name, Numeric: r.Numbers[name]}, len(r.Numbers[name])); err != nil {
			return t, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Labels)) {
		if err := add(formula.DataColumn{Name: name, Labels: r.Labels[name]}, len(r.Labels[name])); err != nil {
			return t, err
		}
	}
	return t, nil
}

// Cell is the summary of the draws of a parameter, on the parameter's own scale, in one cell of a regression's design, for the
// typical level of each grouping, such as a participant whose offsets are 0.
type Cell struct {
	Name            string // such as v[condition=easy]
	Param           string
	At              string  // the setting of a numeric column that is not at its mean, such as "x + 1 sd"; else ""
	Mean, SD        float64 // mean and standard deviation of the posterior
	Q5, Median, Q95 float64 // quantiles of the posterior
}

// Cells returns all cells of the design of a [Regression]; nil without one.
func (f *Fit) Cells() []Cell {
	var all []Cell
	for _, c := range f.result.Summary.Cells {
		all = append(all, Cell{c.Cell, c.Param, c.At, float64(c.Mean), float64(c.SD), float64(c.Q5), float64(c.Q50), float64(c.Q95)})
	}
	return all
}
