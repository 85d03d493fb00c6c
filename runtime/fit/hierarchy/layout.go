package hierarchy

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"likc/runtime/fit/formula"
)

// layout finds the cells of a study: combinations of the values of factors, with the trials that have them.
type layout struct {
	study   *Study
	record  *Record
	labels  map[string][]string  // labels in all rows, by column; numbers are written as text
	numbers map[string][]float64 // numbers in all rows, by column; nil for a column of labels
}

// layout returns the layout of the study's record.
func (s *Study) layout() *layout { return s.layoutOf(s.Record()) }

// layoutOf returns the layout for a record of the study.
func (s *Study) layoutOf(r *Record) *layout {
	l := &layout{study: s, record: r, labels: map[string][]string{}, numbers: map[string][]float64{}}
	for _, c := range s.data.Table.Columns {
		l.numbers[c.Name], l.labels[c.Name] = c.Numeric, c.Labels
		if c.Labels == nil {
			texts := make([]string, len(c.Numeric))
			for i, x := range c.Numeric {
				texts[i] = textOf(x)
			}
			l.labels[c.Name] = texts
		}
	}
	return l
}

// levelColumns returns the values of a grouping's columns at a level.
func levelColumns(by *formula.GroupTerm, level string) map[string]string {
	parts := []string{level}
	if len(by.By) > 1 {
		parts = strings.Split(level, ":")
	}
	known := map[string]string{}
	for i, c := range by.By {
		known[c.Column] = parts[i]
	}
	return known
}

// combined is a combination of the values of the factors on which a parameter depends, with the rows that have it.
type combined struct {
	values []string // one value for each factor
	rows   []int    // indices of trials
}

// combined returns the combinations of a parameter's factors that occur in rows, in the order of the factors' values.
func (l *layout) combined(param int, rows []int) (all []combined) {
	factors := l.record.columnsOf(param, true)
	at := map[string]int{}
	for _, row := range rows {
		values := make([]string, len(factors))
		for k, f := range factors {
			values[k] = l.labels[f.Name][row]
		}
		key := strings.Join(values, "\x00")
		i, known := at[key]
		if !known {
			i = len(all)
			at[key], all = i, append(all, combined{values: values})
		}
		all[i].rows = append(all[i].rows, row)
	}
	slices.SortFunc(all, func(a, b combined) int {
		for k, f := range factors {
			if order := cmp.Compare(f.order(a.values[k]), f.order(b.values[k])); order != 0 {
				return order
			}
		}
		return 0
	})
	return all
}

// order returns the index of a value among all values of the factor.
func (c *ColumnRecord) order(value string) int {
	if c.Labels != nil {
		return slices.Index(c.Labels, value)
	}
	x, _ := strconv.ParseFloat(value, 64)
	return slices.Index(c.Values, x)
}

// columnsOf returns the factors, or the numeric columns, on which a parameter depends.
func (r *Record) columnsOf(param int, factors bool) (all []*ColumnRecord) {
	for i := range r.Columns {
		if c := &r.Columns[i]; c.isFactor() == factors && r.Params[param].reads(c.Name) {
			all = append(all, c)
		}
	}
	return all
}

// cellsOf returns the cells of a parameter, each with the levels of the first grouping that have it.
func (s *Study) cellsOf(r *Record, l *linear) (all []CellRecord) {
	rows := make([]int, s.Trials())
	for row := range rows {
		rows[row] = row
	}
	at := slices.IndexFunc(s.groups, func(g *group) bool { return g.param == l.index })
	for _, c := range s.layoutOf(r).combined(l.index, rows) {
		one := CellRecord{Values: c.values}
		if at >= 0 {
			for _, row := range c.rows {
				one.Levels = append(one.Levels, s.groups[at].index[row])
			}
			slices.Sort(one.Levels)
			one.Levels = slices.Compact(one.Levels)
		}
		all = append(all, one)
	}
	return all
}

// membersOf returns the rows of each level.
func membersOf(g *group) [][]int {
	rows := make([][]int, len(g.levels))
	for row, level := range g.index {
		rows[level] = append(rows[level], row)
	}
	return rows
}
