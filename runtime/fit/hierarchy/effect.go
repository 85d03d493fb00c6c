package hierarchy

import (
	"slices"

	"likc/runtime/fit/formula"
	"likc/runtime/num/chains"
)

// Effect describes how a parameter depends on one column of the data, on the parameter's own scale and for the population. Other
// numeric columns are at their means, and the parameter is averaged over the values of other factors. There is an exception:
// another column with two numbers, such as a stimulus coded -1 and 1, may multiply the column. Then there is an effect for each
// of its two values, because an average would hide a reversal.
type Effect struct {
	Param, Column string        // the parameter's name in a contrast, such as v[side=1], and the column
	Labels        []string      // labels of the points: all values of a factor; nil for other columns
	At            []float64     // values of a numeric column, ascending
	Draws         [][][]float64 // draws of the parameter at each value of the column: [point][chain][draw]
}

// effectPoints is the number of points along a numeric column.
const effectPoints = 21

// Effects returns an effect for each parameter with a formula and each column among its common terms. d holds the study's draws.
func (r *Record) Effects(d *chains.Draws) ([]Effect, error) {
	var all []Effect
	for i := range r.Params {
		p := &r.Params[i]
		for _, c := range r.Columns {
			if p.Formula == nil || !p.readsForAll(c.Name) || c.Labels == nil && !(c.Low < c.High) {
				continue
			}
			for _, at := range r.multiplied(p, c.Name) {
				e, err := r.effect(p, c, at, d)
				if err != nil {
					return nil, err
				}
				all = append(all, *e)
			}
		}
	}
	return all, nil
}

// multiplied returns the combinations of the values of those columns with two numbers that multiply a column in a parameter's
// formulas. If there are none, it returns one combination without settings.
func (r *Record) multiplied(p *ParamRecord, column string) [][]formula.Setting {
	all := [][]formula.Setting{nil}
	for i := range r.Columns {
		c := &r.Columns[i]
		if c.Name == column || c.Labels != nil || c.Factor || !c.isFactor() || !p.multiplies(c.Name, column) {
			continue
		}
		var next [][]formula.Setting
		for _, settings := range all {
			for _, value := range c.all() {
				next = append(next, append(slices.Clone(settings), formula.Setting{Column: c.Name, Value: value}))
			}
		}
		all = next
	}
	return all
}

// multiplies reports whether two columns occur in the same common term of the parameter's formulas.
func (p *ParamRecord) multiplies(column, other string) bool {
	for _, d := range p.designs() {
		f, err := d.common()
		if err != nil {
			continue
		}
		for _, term := range f.Common {
			names := (&formula.Formula{Common: []formula.Term{term}}).Columns()
			if slices.Contains(names, column) && slices.Contains(names, other) {
				return true
			}
		}
	}
	return false
}

// effect returns the effect of a column at given values of other columns.
func (r *Record) effect(p *ParamRecord, c ColumnRecord, at []formula.Setting, d *chains.Draws) (*Effect, error) {
	var where []string
	for _, s := range at {
		where = append(where, formula.QuoteName(s.Column)+"="+s.Value)
	}
	e := &Effect{Param: p.Name + bracketed(where), Column: c.Name}
	var values []string
	if c.isFactor() {
		e.Labels = slices.Clone(c.all())
		values = e.Labels
	} else {
		for k := range effectPoints {
			x := float64(c.Low) + float64(c.High-c.Low)*float64(k)/(effectPoints-1)
			e.At, values = append(e.At, x), append(values, textOf(x))
		}
	}
	for _, value := range values {
		tables, err := r.tables(p, &formula.Condition{Name: p.Name, Settings: append(slices.Clone(at), formula.Setting{Column: c.Name, Value: value})})
		if err != nil {
			return nil, err
		}
		x, err := p.draws(tables, d)
		if err != nil {
			return nil, err
		}
		e.Draws = append(e.Draws, x)
	}
	return e, nil
}
