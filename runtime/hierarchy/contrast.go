package hierarchy

import (
	"fmt"
	"slices"
	"strconv"

	"likc/compiler/formula"
	"likc/runtime/chains"
)

// mostAverages is the number of combinations of labels that a parameter is averaged over at most.
const mostAverages = 1000

// Contrast returns the draws of a contrast, a slice a chain. Its names are parameters of the model, on their own scale and for
// the population, without offsets of groups, or coefficients of the draws. Numeric columns that are not set have their means; over
// the labels of other columns that are not set the parameter is averaged, each label with the same weight. Errors carry their
// place in the contrast.
func (r *Record) Contrast(c *formula.Contrast, d *chains.Draws) ([][]float64, error) {
	values := map[*formula.Condition][][]float64{}
	for _, at := range c.Conditions() {
		x, err := r.at(at, d)
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

// farOutside is how far beyond the ends of its column a value may be, in widths of the column, without a remark.
const farOutside = 0.1

// Extrapolates says, a line each, which numeric columns a contrast sets far outside the data.
func (r *Record) Extrapolates(c *formula.Contrast) (notes []string) {
	for _, at := range c.Conditions() {
		for _, s := range at.Settings {
			i := slices.IndexFunc(r.Columns, func(column ColumnRecord) bool { return column.Name == s.Column })
			if i < 0 || r.Columns[i].Labels != nil {
				continue
			}
			x, err := strconv.ParseFloat(s.Value, 64)
			low, high := float64(r.Columns[i].Low), float64(r.Columns[i].High)
			if room := farOutside * (high - low); err != nil || x >= low-room && x <= high+room {
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

// at returns the draws of one parameter or coefficient.
func (r *Record) at(c *formula.Condition, d *chains.Draws) ([][]float64, error) {
	i := slices.IndexFunc(r.Params, func(p ParamRecord) bool { return p.Name == c.Name })
	if column := d.Index(c.Name); i < 0 || r.Params[i].Formula == nil && column >= 0 {
		switch {
		case column < 0:
			return nil, c.Errorf(c.Pos, "%q is neither a parameter nor a coefficient; there are %s", c.Name, list(r.known(d)))
		case len(c.Settings) > 0:
			return nil, c.Errorf(c.Settings[0].Pos, "%s is one number: it does not depend on %s", c.Name, c.Settings[0].Column)
		}
		return d.Param(column), nil
	}
	p := &r.Params[i]
	tables, err := r.tables(p, c)
	if err != nil {
		return nil, err
	}
	return p.draws(tables, d)
}

// known lists what a contrast may name.
func (r *Record) known(d *chains.Draws) (names []string) {
	for _, p := range r.Params {
		if !slices.Contains(d.Names, p.Name) {
			names = append(names, p.Name)
		}
	}
	return append(names, d.Names...)
}

// tables returns tables of one row each: the combinations of labels that the parameter is averaged over.
func (r *Record) tables(p *ParamRecord, c *formula.Condition) ([]formula.Table, error) {
	all := []formula.Table{{Rows: 1}}
	used := 0
	for _, column := range r.Columns {
		if !p.reads(column.Name) {
			continue
		}
		options, err := column.options(c)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(c.Settings, func(s formula.Setting) bool { return s.Column == column.Name }) {
			used++
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
	if used < len(c.Settings) {
		for _, s := range c.Settings {
			if !p.reads(s.Column) {
				return nil, c.Errorf(s.Pos, "the formula of %s has no column %q among its common terms", p.Name, s.Column)
			}
		}
	}
	return all, nil
}

// reads reports whether the common part of the parameter's formulas names a column.
func (p *ParamRecord) reads(column string) bool {
	one := Record{Params: []ParamRecord{*p}}
	return one.names(column)
}

// options are the values of a column that a parameter is averaged over: the one that is set, the mean, or all labels.
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
	if column.Labels == nil {
		return []formula.DataColumn{{Name: column.Name, Numeric: []float64{float64(column.Mean)}}}, nil
	}
	var all []formula.DataColumn
	for _, label := range column.Labels {
		all = append(all, formula.DataColumn{Name: column.Name, Labels: []string{label}})
	}
	return all, nil
}

// draws returns the parameter averaged over tables of one row.
func (p *ParamRecord) draws(tables []formula.Table, d *chains.Draws) ([][]float64, error) {
	out := make([][]float64, len(d.Chains))
	for c := range out {
		out[c] = make([]float64, d.Len())
		for k := range out[c] {
			out[c][k] = float64(p.Fixed)
		}
	}
	if p.Formula == nil {
		return out, nil
	}
	l := inverse{p.Link, float64(p.Low), float64(p.High - p.Low)}
	for _, t := range tables {
		inside, err := p.Formula.linear(t, d)
		if err != nil {
			return nil, err
		}
		outside, err := p.Outside.linear(t, d)
		if err != nil {
			return nil, err
		}
		for c := range out {
			for k := range out[c] {
				x, _ := l.value(inside(c, k))
				out[c][k] += (x + outside(c, k)) / float64(len(tables))
			}
		}
	}
	return out, nil
}

// linear returns the linear predictor of a table of one row at draw k of chain c; 0 for no formula.
func (r *DesignRecord) linear(t formula.Table, d *chains.Draws) (func(c, k int) float64, error) {
	if r == nil {
		return func(int, int) float64 { return 0 }, nil
	}
	f, err := r.common()
	if err != nil {
		return nil, err
	}
	coding := r.Coding
	coding.Groups = map[string][]string{}
	built, err := formula.Transform(f, coding, t)
	if err != nil {
		return nil, err
	}
	offset := 0.0
	if built.Offset != nil {
		offset = built.Offset[0]
	}
	var at []int
	var values []float64
	for _, term := range built.Common {
		for _, column := range term.Columns {
			if len(values) >= len(r.Coefficients) {
				return nil, fmt.Errorf("the record of %s has too few coefficients", r.Text)
			}
			j := d.Index(r.Coefficients[len(values)])
			if j < 0 {
				return nil, fmt.Errorf("the draws have no %s", r.Coefficients[len(values)])
			}
			at, values = append(at, j), append(values, column.Values[0])
		}
	}
	return func(c, k int) float64 {
		sum := offset
		for i, j := range at {
			sum += values[i] * d.Chains[c].Params[j][k]
		}
		return sum
	}, nil
}
