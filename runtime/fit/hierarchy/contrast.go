package hierarchy

import (
	"fmt"
	"slices"
	"strconv"

	"likc/runtime/fit/formula"
	"likc/runtime/num/chains"
)

// mostAverages bounds the number of combinations of factor values over which a parameter is averaged in a contrast.
const mostAverages = 1000

// Contrast returns the draws of a contrast, with a slice for each chain. A contrast names coefficients, or parameters of the model on
// their own scale. A parameter is that of the typical level of each grouping, such as the typical participant, whose offsets are 0.
// Numeric columns that are not set are at their means. The parameter is averaged over the values of factors that are not set, with equal
// weights. A numeric column with two values is a factor. Errors give their position in the contrast.
func (r *Record) Contrast(c *formula.Contrast, d *chains.Draws) ([][]float64, error) {
	return r.contrast(c, d, r.typicalDraws(d))
}

// ContrastOfLevels computes the same as Contrast, but with the mean over the levels of each parameter's first grouping, such as the
// study's participants, instead of the typical level. LevelsOf returns these levels; they have equal weights. The result is nil if
// no parameter of the contrast varies by group. If a link is not the identity, the mean of the levels differs from the typical
// level.
func (r *Record) ContrastOfLevels(c *formula.Contrast, d *chains.Draws) ([][]float64, error) {
	cells, err := r.averagedCells(c)
	if err != nil || cells == nil {
		return nil, err
	}
	typical := r.typicalDraws(d)
	return r.contrast(c, d, func(at *formula.Condition, p *ParamRecord) ([][]float64, error) {
		if !p.hasLevels() {
			return typical(at, p)
		}
		var all [][][]float64
		for _, of := range cells {
			if of.at != at {
				continue
			}
			x, err := r.drawsOfLevels(p, of.table, of.levels, d)
			if err != nil {
				return nil, err
			}
			all = append(all, x)
		}
		return average(all), nil
	})
}

// drawsAt returns the draws of a parameter in a condition.
type drawsAt func(*formula.Condition, *ParamRecord) ([][]float64, error)

// typicalDraws returns a drawsAt function for the typical level, averaged over columns that are not set.
func (r *Record) typicalDraws(d *chains.Draws) drawsAt {
	return func(at *formula.Condition, p *ParamRecord) ([][]float64, error) {
		tables, err := r.tables(p, at)
		if err != nil {
			return nil, err
		}
		return p.draws(tables, d)
	}
}

// contrast computes a contrast from the draws of its parameters, which the function draws returns.
func (r *Record) contrast(c *formula.Contrast, d *chains.Draws, draws drawsAt) ([][]float64, error) {
	values := map[*formula.Condition][][]float64{}
	for _, at := range c.Conditions() {
		x, err := r.at(at, d, draws)
		if err != nil {
			return nil, err
		}
		values[at] = x
	}
	out := make([][]float64, len(d.Chains))
	for chain := range out {
		out[chain] = make([]float64, d.Len())
		for k := range out[chain] {
			out[chain][k] = c.Value(func(at *formula.Condition) float64 { return values[at][chain][k] })
		}
	}
	return out, nil
}

// index returns the index of a parameter; -1 if there is none with that name.
func (r *Record) index(name string) int {
	return slices.IndexFunc(r.Params, func(p ParamRecord) bool { return p.Name == name })
}

// farOutside is how far a value may lie outside a column's range without a remark, as a fraction of the range.
const farOutside = 0.1

// Extrapolates lists, one on each line, the numeric columns that a contrast sets to values far outside the data.
func (r *Record) Extrapolates(c *formula.Contrast) (notes []string) {
	for _, at := range c.Conditions() {
		for _, s := range at.Settings {
			i := slices.IndexFunc(r.Columns, func(column ColumnRecord) bool { return column.Name == s.Column })
			if i < 0 || r.Columns[i].Labels != nil {
				continue
			}
			x, err := strconv.ParseFloat(s.Value, 64)
			low, high := float64(r.Columns[i].Low), float64(r.Columns[i].High)
			if margin := farOutside * (high - low); err != nil || x >= low-margin && x <= high+margin {
				continue
			}
			note := fmt.Sprintf("%s = %s lies outside the data, where %[1]s is %.6[3]g to %.6[4]g: %[5]s there follows from the form of the formula alone",
				s.Column, s.Value, low, high, at.Name)
			if !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
	}
	return notes
}

// at returns the draws of the parameter or coefficient that a condition names.
func (r *Record) at(c *formula.Condition, d *chains.Draws, draws drawsAt) ([][]float64, error) {
	p := r.param(c.Name)
	if column := d.Index(c.Name); p == nil || p.Formula == nil && column >= 0 {
		switch {
		case column < 0:
			return nil, c.Errorf(c.Pos, "%q is neither a parameter nor a coefficient; there are %s", c.Name, list(r.known(d)))
		case len(c.Settings) > 0:
			return nil, c.Errorf(c.Settings[0].Pos, "%s is one number: it does not depend on %s", c.Name, c.Settings[0].Column)
		}
		return d.Param(column), nil
	}
	return draws(c, p)
}

// param returns a parameter of the model; nil for another name, such as a coefficient's.
func (r *Record) param(name string) *ParamRecord {
	if i := r.index(name); i >= 0 {
		return &r.Params[i]
	}
	return nil
}

// known lists the names that a contrast may contain.
func (r *Record) known(d *chains.Draws) (names []string) {
	for _, p := range r.Params {
		if !slices.Contains(d.Names, p.Name) {
			names = append(names, p.Name)
		}
	}
	return append(names, d.Names...)
}

// tables returns tables with one row each: the combinations of values over which the parameter is averaged.
func (r *Record) tables(p *ParamRecord, c *formula.Condition) ([]formula.Table, error) {
	all := []formula.Table{{Rows: 1}}
	for _, column := range r.Columns {
		if !p.reads(column.Name) {
			continue
		}
		options, err := column.options(c)
		if err != nil {
			return nil, err
		}
		var next []formula.Table
		for _, t := range all {
			for _, o := range options {
				next = append(next, formula.Table{Rows: 1, Columns: append(slices.Clone(t.Columns), o)})
			}
		}
		if all = next; len(all) > mostAverages {
			return nil, c.Errorf(c.Pos, "%s is averaged over more than %d combinations of labels: set some of its columns", c.Name, mostAverages)
		}
	}
	for _, s := range c.Settings {
		if !p.readsForAll(s.Column) {
			return nil, c.Errorf(s.Pos, "the formula of %s has no column %q among its common terms%s", p.Name, s.Column, r.thoseOf(p))
		}
	}
	return all, nil
}

// thoseOf lists the columns among a parameter's common terms, for an error; "" for none.
func (r *Record) thoseOf(p *ParamRecord) string {
	var names []string
	for _, column := range r.Columns {
		if p.readsForAll(column.Name) {
			names = append(names, column.Name)
		}
	}
	if names == nil {
		return ""
	}
	return "; it has " + list(names)
}

// options returns the values of a column over which a parameter is averaged: the value that is set, the mean, or all values of a
// factor.
func (column *ColumnRecord) options(c *formula.Condition) ([]formula.DataColumn, error) {
	for _, s := range c.Settings {
		if s.Column != column.Name {
			continue
		}
		if column.Labels == nil {
			x, err := strconv.ParseFloat(s.Value, 64)
			if err != nil {
				return nil, c.Errorf(s.Pos, "%s is a column of numbers: %q is none", s.Column, s.Value)
			}
			return []formula.DataColumn{{Name: s.Column, Numeric: []float64{x}}}, nil
		}
		if !slices.Contains(column.Labels, s.Value) {
			return nil, c.Errorf(s.Pos, "%s has no level %q; it has %s", s.Column, s.Value, list(column.Labels))
		}
		return []formula.DataColumn{{Name: s.Column, Labels: []string{s.Value}}}, nil
	}
	return column.unset(), nil
}

// unset returns the values of a column that is not set: the mean, or all values of a factor.
func (column *ColumnRecord) unset() (all []formula.DataColumn) {
	switch {
	case column.Labels != nil:
		for _, label := range column.Labels {
			all = append(all, formula.DataColumn{Name: column.Name, Labels: []string{label}})
		}
	case column.isFactor():
		for _, x := range column.Values {
			all = append(all, formula.DataColumn{Name: column.Name, Numeric: []float64{x}})
		}
	default:
		all = []formula.DataColumn{{Name: column.Name, Numeric: []float64{float64(column.Mean)}}}
	}
	return all
}

// draws returns the parameter averaged over tables of one row, with equal weights and offsets 0.
func (p *ParamRecord) draws(tables []formula.Table, d *chains.Draws) ([][]float64, error) {
	values, err := p.predictors(typical(tables), indexOf(d))
	if err != nil {
		return nil, err
	}
	return average(drawsOf(values, d, 1)), nil
}

// typical returns points at tables of one row, with all offsets 0.
func typical(tables []formula.Table) []point {
	all := make([]point, len(tables))
	for i, t := range tables {
		all[i].table = t
	}
	return all
}

// average returns the mean of several sets of draws, each with a slice for each chain.
func average(all [][][]float64) [][]float64 {
	out := make([][]float64, len(all[0]))
	for c := range out {
		out[c] = make([]float64, len(all[0][c]))
		for _, x := range all {
			for k, v := range x[c] {
				out[c][k] += v / float64(len(all))
			}
		}
	}
	return out
}

// form returns the linear predictor for a table of one row; 0 if the parameter has no formula.
func (r *DesignRecord) form(t formula.Table) (form linearForm, err error) {
	if r == nil {
		return form, nil
	}
	index := map[string]int{}
	for i, name := range r.Coefficients {
		index[name] = i
	}
	rows, offset, err := r.combinations([]point{{table: t}}, index)
	if err != nil {
		return form, err
	}
	form.constant, form.weights = offset[0], rows[0].Values
	for _, i := range rows[0].Columns {
		form.names = append(form.names, r.Coefficients[i])
	}
	return form, nil
}
