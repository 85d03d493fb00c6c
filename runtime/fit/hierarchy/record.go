package hierarchy

import (
	"math"
	"slices"
	"strconv"

	"likc/runtime/fit/formula"
	"likc/runtime/model/bound"
	"likc/runtime/num/finite"
)

// Record is a part of summary.json, the file that likc fit writes. With it and the draws, the parameters can be computed at any values of
// the columns.
type Record struct {
	Params  []ParamRecord  `json:"params"`  // the parameters, in the model's order
	Columns []ColumnRecord `json:"columns"` // columns that common terms and offsets of the formulas name
}

// ParamRecord is one parameter of the model.
type ParamRecord struct {
	Name    string        `json:"name"`              // name of the parameter
	Formula *DesignRecord `json:"formula,omitempty"` // the formula inside the link; nil for a parameter that is one number
	Outside *DesignRecord `json:"outside,omitempty"` // terms added on the parameter's own scale, after the link
	Link    Link          `json:"link,omitempty"`
	Low     finite.Number `json:"low,omitempty"`  // lower end of a logit's range
	High    finite.Number `json:"high,omitempty"` // upper end of a logit's range
	// Highs holds the upper ends of a logit's range, by label of a level of the formula's first grouping, if levels have
	// different ends; otherwise it is nil. Then High is their mean, but the parameter of the population is the mean over all
	// ends.
	Highs   map[string]finite.Number `json:"highs,omitempty"`
	Cells   []CellRecord             `json:"cells,omitempty"` // cells that occur in the data; nil for a parameter that is one number
	Fixed   finite.Number            `json:"fixed,omitempty"` // value of a parameter that is not estimated
	IsFixed bool                     `json:"is_fixed,omitempty"`

	stale bool // whether an older fit has too little data to compute the parameter; see [Record.Refuse]
}

// CellRecord is a combination of values of the factors that a parameter's formulas name.
type CellRecord struct {
	Values []string `json:"values"`           // the values, in the order of the record's columns
	Levels []int    `json:"levels,omitempty"` // levels of the formula's first grouping that have the cell, by their index in its coding
}

// DesignRecord holds a formula, the coding of its columns, and the names of its common coefficients, one for each column.
type DesignRecord struct {
	Text         string         `json:"text"`         // the formula
	Coding       formula.Coding `json:"coding"`       // how labels and other columns become numbers
	Coefficients []string       `json:"coefficients"` // names of the common coefficients
	// Widened lists the coefficients whose default prior is much wider than it would be if numeric columns had mean 0, with the factor.
	// So shifting a column hardly changes the posterior, but it changes Bayes factors of these coefficients.
	Widened map[string]finite.Number `json:"widened,omitempty"`
}

// ColumnRecord is a column of the data: numbers with their mean and their ends, or labels.
type ColumnRecord struct {
	Name   string        `json:"name"`
	Mean   finite.Number `json:"mean,omitempty"`   // mean over all trials
	Low    finite.Number `json:"low,omitempty"`    // smallest number
	High   finite.Number `json:"high,omitempty"`   // largest number
	SD     finite.Number `json:"sd,omitempty"`     // standard deviation, with divisor n
	Labels []string      `json:"labels,omitempty"` // distinct, sorted; nil for numbers
	Values []float64     `json:"values,omitempty"` // distinct values, ascending, of numbers that are a factor or have two values
	Factor bool          `json:"factor,omitempty"` // whether a formula uses numbers as labels, as C(x) does
}

// Record returns the study's record.
func (s *Study) Record() *Record {
	r := &Record{}
	for _, l := range s.params {
		p := ParamRecord{Name: l.Name}
		switch {
		case l.varies:
			p.Formula, p.Outside, p.Link = s.designRecord(&l.designs[0]), s.designRecord(&l.designs[1]), l.link
			p.setEnds(l)
		case l.offset != nil:
			p.Fixed, p.IsFixed = finite.Number(l.offset[0]), true
		}
		r.Params = append(r.Params, p)
	}
	for _, c := range s.data.Table.Columns {
		if slices.ContainsFunc(r.Params, func(p ParamRecord) bool { return p.reads(c.Name) }) {
			r.Columns = append(r.Columns, columnRecord(c, r.usesAsFactor(c.Name)))
		}
	}
	for i, l := range s.params {
		if l.varies {
			r.Params[i].Cells = s.cellsOf(r, l)
		}
	}
	return r
}

// designRecord returns the record of a formula; nil for none.
func (s *Study) designRecord(d *design) *DesignRecord {
	if d.formula == nil {
		return nil
	}
	out := &DesignRecord{Text: d.formula.String(), Coding: d.coding}
	for _, c := range d.common {
		out.Coefficients = append(out.Coefficients, s.coords[c].Name)
	}
	for at, times := range d.widened {
		if out.Widened == nil {
			out.Widened = map[string]finite.Number{}
		}
		out.Widened[s.coords[at].Name] = finite.Number(times)
	}
	return out
}

// setEnds records the ends of a logit's range.
func (p *ParamRecord) setEnds(l *linear) {
	if l.link != Logit {
		return
	}
	p.Low, p.High = finite.Number(l.Lower), finite.Number(l.Upper)
	if !l.fastest {
		return
	}
	p.High, p.Highs = 0, map[string]finite.Number{}
	for i, to := range l.inverses {
		level, high := "", finite.Number(to.Low+to.Width)
		if l.by != nil {
			level = l.by.levels[i]
		}
		p.Highs[level] = high
		p.High += high / finite.Number(len(l.inverses))
	}
}

// LinkText names the parameter's link, and its end if that depends on the data.
func (p *ParamRecord) LinkText() string {
	if p.Highs == nil {
		return string(p.Link)
	}
	return string(p.Link) + " up to the fastest trial of each level"
}

// inverse returns the inverse link of the parameter for a level of its first grouping; for "", that of the population.
func (p *ParamRecord) inverse(level string) bound.Inverse {
	high, own := p.Highs[level]
	if !own {
		high = p.High
	}
	return bound.NewInverse(p.Link, float64(p.Low), float64(high))
}

// Refuse marks the parameters that this version cannot compute from a fit of an older version: those with a logit that ended at the
// fastest trial of each cell. The record only has the mean of these ends, so contrasts of such parameters are errors. high returns
// the upper end of a parameter's range before the data limited it; NaN if unknown.
func (r *Record) Refuse(high func(param string) float64) {
	for i := range r.Params {
		p := &r.Params[i]
		p.stale = p.Link == Logit && p.Highs == nil && float64(p.High) < high(p.Name)*(1-1e-9)
	}
}

// designs returns the formulas of a parameter.
func (p *ParamRecord) designs() (all []*DesignRecord) {
	for _, d := range []*DesignRecord{p.Formula, p.Outside} {
		if d != nil {
			all = append(all, d)
		}
	}
	return all
}

// reads reports whether the common terms or the group effects of the parameter's formulas name a column.
func (p *ParamRecord) reads(column string) bool {
	for _, d := range p.designs() {
		if f, err := d.effects(); err == nil && slices.Contains(f.Columns(), column) {
			return true
		}
	}
	return false
}

// readsForAll reports whether the common terms of the parameter's formulas name a column.
func (p *ParamRecord) readsForAll(column string) bool {
	for _, d := range p.designs() {
		if f, err := d.common(); err == nil && slices.Contains(f.Columns(), column) {
			return true
		}
	}
	return false
}

// usesAsFactor reports whether a formula has a factor C(column).
func (r *Record) usesAsFactor(column string) bool {
	for i := range r.Params {
		for _, d := range r.Params[i].designs() {
			f, err := d.effects()
			if err == nil && slices.ContainsFunc(f.Common, func(t formula.Term) bool {
				return slices.ContainsFunc(t.Factors, func(of formula.Factor) bool { return of.Kind == formula.Category && of.Column == column })
			}) {
				return true
			}
		}
	}
	return false
}

// effects returns the formula without groups, but with the groups' effects among the common terms. It is used to find which columns
// they name.
func (d *DesignRecord) effects() (*formula.Formula, error) {
	f, err := formula.Parse(d.Text)
	if err == nil {
		for _, g := range f.Groups {
			f.Common = append(f.Common, g.Effects...)
		}
		f.Groups = nil
	}
	return f, err
}

// common returns the formula without its groups.
func (d *DesignRecord) common() (*formula.Formula, error) {
	f, err := formula.Parse(d.Text)
	if err == nil {
		f.Groups = nil
	}
	return f, err
}

// columnRecord returns the record of a column. factor says whether a formula uses its numbers as labels.
func columnRecord(c formula.DataColumn, factor bool) ColumnRecord {
	r := ColumnRecord{Name: c.Name}
	if c.Labels != nil {
		r.Labels = slices.Clone(c.Labels)
		slices.Sort(r.Labels)
		r.Labels = slices.Compact(r.Labels)
		return r
	}
	if len(c.Numeric) == 0 {
		return r
	}
	r.Factor, r.Values = factor, slices.Clone(c.Numeric)
	slices.Sort(r.Values)
	r.Values = slices.Compact(r.Values)
	r.Low, r.High = finite.Number(r.Values[0]), finite.Number(r.Values[len(r.Values)-1])
	if !factor && len(r.Values) != 2 {
		r.Values = nil
	}
	mean, sd := moments(c.Numeric)
	if r.Mean, r.SD = finite.Number(mean), finite.Number(sd); math.Abs(mean) < 1e-12 {
		r.Mean = 0
	}
	return r
}

// moments returns the mean of numbers and their standard deviation, with divisor n.
func moments(x []float64) (mean, sd float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		sd += (v - mean) * (v - mean) / float64(len(x))
	}
	return mean, math.Sqrt(sd)
}

// isFactor reports whether the column distinguishes cells. Its values are labels, numbers that a formula uses as labels, or only two
// numbers: no trial is at the mean of two numbers, such as those of a stimulus coded -1 and 1.
func (c *ColumnRecord) isFactor() bool { return c.Labels != nil || c.Values != nil }

// all returns the values of a factor, as cells name them.
func (c *ColumnRecord) all() []string {
	if c.Labels != nil {
		return c.Labels
	}
	texts := make([]string, len(c.Values))
	for i, x := range c.Values {
		texts[i] = textOf(x)
	}
	return texts
}

// column returns a column with one row, which holds a value given as text.
func (c *ColumnRecord) column(value string) (formula.DataColumn, error) {
	if c.Labels != nil {
		return formula.DataColumn{Name: c.Name, Labels: []string{value}}, nil
	}
	x, err := strconv.ParseFloat(value, 64)
	return formula.DataColumn{Name: c.Name, Numeric: []float64{x}}, err
}

// textOf writes a number with enough digits to determine it.
func textOf(x float64) string { return strconv.FormatFloat(x+0, 'g', -1, 64) }
