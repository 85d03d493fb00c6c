package likc

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"likc/runtime/fit"
	"likc/runtime/fit/formula"
	"likc/runtime/fit/hierarchy"
	"likc/runtime/model/lapse"
)

// Regression says how parameters depend on columns of the data, and how they vary by group.
type Regression struct {
	Formulas []string             // one a parameter, such as "v ~ 1 + condition + (1 | id)"; a parameter without one is one number
	Links    map[string]string    // by parameter: identity, log or logit; by default the one that suits the parameter's range
	Numbers  map[string][]float64 // columns of numbers that formulas name, a value each trial
	Labels   map[string][]string  // columns of labels that formulas name, such as conditions or participants
}

// regress fits with the regression of the settings.
func (f *Fit) regress(ctx context.Context, s Settings, settings fit.Settings) error {
	spec, study, err := f.data.study(s)
	if err != nil {
		return err
	}
	settings.Sampler = study.Settings(settings.Sampler)
	f.spec, f.result = spec, fit.Study(ctx, study, f.data.trials, settings)
	return nil
}

// study is the regression of the settings on the trials, with what is said of parameters that have no formula.
func (d *Data) study(s Settings) (*fit.Spec, *hierarchy.Study, error) {
	m := d.model.catalog
	formulas, err := hierarchy.ParseFormulas(m, s.Regress.Formulas)
	if err != nil {
		return nil, nil, fmt.Errorf("formula %w", err)
	}
	if _, varies := formulas.Params[lapse.Param]; varies && d.model.added.mixture() != nil {
		return nil, nil, fmt.Errorf("formula of %s: the probability of a lapse is one number", lapse.Param)
	}
	formulas.Form = hierarchy.Auto
	if err := formulas.SetLinks(texts(s.Regress.Links)); err != nil {
		return nil, nil, fmt.Errorf("link %w", err)
	}
	own, coefficients := formulas.DividePriors(m, texts(s.Priors))
	spec, err := d.spec(s, own)
	if err != nil {
		return nil, nil, err
	}
	if err := spec.Lend(&formulas); err != nil {
		return nil, nil, fmt.Errorf("fixed %w", err)
	}
	if err := formulas.SetPriors(coefficients); err != nil {
		return nil, nil, fmt.Errorf("prior %w", err)
	}
	table, err := s.Regress.table(d.trials.Trials())
	if err != nil {
		return nil, nil, err
	}
	study, err := hierarchy.New(spec.Ranged(), d.model.binder, formulas, hierarchy.Data{Columns: d.trials.Columns, Choice: d.trials.Choice, Table: table})
	return spec, study, err
}

// table returns the columns that formulas name, each with so many rows.
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

// Cell says what the draws say of a parameter, on its own scale, in one cell of a regression's design, for the typical level of each
// grouping such as a participant, whose offsets are 0.
type Cell struct {
	Name            string // such as v[condition=easy]
	Param           string
	At              string  // where a column of numbers is that is not at its mean, as "x + 1 sd"
	Mean, SD        float64 // of the posterior
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
