package hierarchy

import (
	"fmt"
	"slices"
	"strings"

	"likc/runtime/fit/formula"
	"likc/runtime/model/bound"
	"likc/runtime/num/chains"
)

// point is a condition in which a parameter is evaluated: the values of the columns that its formulas name, and of the columns of
// groupings. An offset counts if the point has a value for each column of its grouping; otherwise it is taken as 0.
type point struct {
	table formula.Table     // table of one row
	known map[string]string // values of the groupings' columns; nil for the typical level, whose offsets are all 0
}

// level returns the level of a grouping at the point; "" for none.
func (p *point) level(g *formula.GroupTerm) string {
	parts := make([]string, len(g.By))
	for i, by := range g.By {
		if parts[i] = p.known[by.Column]; parts[i] == "" {
			return ""
		}
	}
	return strings.Join(parts, ":")
}

// indexOf returns the index of each coefficient in the draws.
func indexOf(d *chains.Draws) map[string]int {
	index := make(map[string]int, len(d.Names))
	for i, name := range slices.Backward(d.Names) {
		index[name] = i
	}
	return index
}

// predictors returns the parameter at points, in their order, as a function of the coefficients. Every table, figure and contrast
// of a fit is computed by this function. index has the index of each coefficient in the draws.
func (p *ParamRecord) predictors(at []point, index map[string]int) (*bound.Predictors, error) {
	out := &bound.Predictors{}
	switch own, estimated := index[p.Name]; {
	case p.stale:
		return nil, fmt.Errorf("%s: its logit ended at the fastest trial of each cell, of which an older version of likc kept the mean alone: fit again", p.Name)
	case p.Formula != nil:
	case p.IsFixed:
		for range at {
			out.Add(bound.Combination{}, bound.Combination{}, float64(p.Fixed), bound.Inverse{Link: Identity})
		}
		return out, nil
	case !estimated:
		return nil, fmt.Errorf("the draws have no %s", p.Name)
	default:
		for range at {
			out.Add(bound.Only(own), bound.Combination{}, 0, bound.Inverse{Link: Identity})
		}
		return out, nil
	}
	inside, offset, err := p.Formula.combinations(at, index)
	if err != nil {
		return nil, err
	}
	outside := make([]bound.Combination, len(at))
	if p.Outside != nil {
		if outside, _, err = p.Outside.combinations(at, index); err != nil {
			return nil, err
		}
	}
	by := p.grouping()
	for i := range at {
		level := ""
		if by != nil {
			level = at[i].level(by)
		}
		out.Add(inside[i], outside[i], offset[i], p.inverse(level))
	}
	return out, nil
}

// grouping returns the first grouping of the parameter's formula; nil for none.
func (p *ParamRecord) grouping() *formula.GroupTerm {
	if p.Formula == nil {
		return nil
	}
	f, err := formula.Parse(p.Formula.Text)
	if err != nil || len(f.Groups) == 0 {
		return nil
	}
	return &f.Groups[0]
}

// groupingOf returns the grouping with a name in the parameter's formula; nil for none.
func (p *ParamRecord) groupingOf(name string) *formula.GroupTerm {
	f, err := formula.Parse(p.Formula.Text)
	if err != nil {
		return nil
	}
	for i := range f.Groups {
		if f.Groups[i].Name() == name {
			return &f.Groups[i]
		}
	}
	return nil
}

// hasLevels reports whether the parameter varies by a grouping whose levels the record has.
func (p *ParamRecord) hasLevels() bool {
	by := p.grouping()
	return by != nil && len(p.Formula.Coding.Groups[by.Name()]) > 0
}

// combinations returns the linear predictor at points: the weights of coefficients, and the sum of the formula's offset terms.
func (r *DesignRecord) combinations(at []point, index map[string]int) (all []bound.Combination, offset []float64, err error) {
	whole, err := formula.Parse(r.Text)
	if err != nil {
		return nil, nil, err
	}
	table := stacked(at)
	common, err := r.transform(whole, whole.Common, whole.Offsets, table)
	if err != nil {
		return nil, nil, err
	}
	all, offset = make([]bound.Combination, len(at)), make([]float64, len(at))
	copy(offset, common.Offset)
	k := 0
	for _, term := range common.Common {
		for _, column := range term.Columns {
			if k == len(r.Coefficients) {
				return nil, nil, fmt.Errorf("the record of %s has too few coefficients", r.Text)
			}
			name := r.Coefficients[k]
			if err := addColumn(all, column.Values, index, func(int) string { return name }); err != nil {
				return nil, nil, err
			}
			k++
		}
	}
	if !slices.ContainsFunc(at, func(p point) bool { return p.known != nil }) {
		return all, offset, nil
	}
	for i := range whole.Groups {
		if err := r.addGroup(all, whole, &whole.Groups[i], at, table, index); err != nil {
			return nil, nil, err
		}
	}
	return all, offset, nil
}

// addGroup adds the offsets of a group term to the linear predictor at points. A level that the data do not have, such as a
// participant without trials in a condition, has the offset 0.
func (r *DesignRecord) addGroup(all []bound.Combination, whole *formula.Formula, g *formula.GroupTerm, at []point, table formula.Table, index map[string]int) error {
	built, err := r.transform(whole, g.Effects, nil, table)
	if err != nil {
		return err
	}
	levels, labels := map[string]bool{}, make([]string, len(at))
	for _, label := range r.Coding.Groups[g.Name()] {
		levels[label] = true
	}
	for i := range at {
		if label := at[i].level(g); levels[label] {
			labels[i] = label
		}
	}
	for _, term := range built.Common {
		for _, column := range term.Columns {
			of := formula.Name{Base: g.Base(whole.Param, term.Term), Levels: column.Name.Levels}
			err := addColumn(all, column.Values, index, func(row int) string {
				if labels[row] == "" {
					return ""
				}
				return of.At(labels[row]).String()
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// transform codes terms of a formula in the rows of a table in the same way as the data of the fit.
func (r *DesignRecord) transform(whole *formula.Formula, terms []formula.Term, offsets []*formula.Arith, t formula.Table) (*formula.Design, error) {
	coding := r.Coding
	coding.Groups = map[string][]string{}
	return formula.Transform(&formula.Formula{Param: whole.Param, Common: terms, Offsets: offsets}, coding, t)
}

// addColumn adds one column of a design to linear predictors. The function name returns the coefficient in a row, "" for none.
func addColumn(all []bound.Combination, values []float64, index map[string]int, name func(row int) string) error {
	for row, x := range values {
		of := name(row)
		if x == 0 || of == "" {
			continue
		}
		at, known := index[of]
		if !known {
			return fmt.Errorf("the draws have no %s", of)
		}
		all[row].Columns, all[row].Values = append(all[row].Columns, at), append(all[row].Values, x)
	}
	return nil
}

// stacked joins tables of one row into one table. All must have the same columns.
func stacked(at []point) formula.Table {
	out := formula.Table{Rows: len(at)}
	for i, c := range at[0].table.Columns {
		all := formula.DataColumn{Name: c.Name, Reference: c.Reference}
		for _, p := range at {
			all.Numeric = append(all.Numeric, p.table.Columns[i].Numeric...)
			all.Labels = append(all.Labels, p.table.Columns[i].Labels...)
		}
		out.Columns = append(out.Columns, all)
	}
	return out
}

// meanOf returns the mean of the predictors at every draw, with a slice for each chain.
func meanOf(p *bound.Predictors, d *chains.Draws) [][]float64 {
	out := make([][]float64, len(d.Chains))
	coefs, value, slope := make([]float64, len(d.Names)), make([]float64, p.N()), make([]float64, p.N())
	for c := range d.Chains {
		out[c] = make([]float64, d.Len())
		for k := range out[c] {
			for j, column := range d.Chains[c].Params {
				coefs[j] = column[k]
			}
			p.Evaluate(coefs, value, slope)
			for _, x := range value {
				out[c][k] += x / float64(p.N())
			}
		}
	}
	return out
}
