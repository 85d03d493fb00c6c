package hierarchy

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"likc/runtime/fit/formula"
	"likc/runtime/model/bound"
	"likc/runtime/num/chains"
)

// Cells returns all parameters in all cells of the design that occur in the data: those of the typical level first, then of each
// level of each grouping. d are the study's draws. A parameter has a cell for each combination of the factors on which it depends; and
// where it depends on numeric columns, further ones with one of these columns a standard deviation from its mean. A numeric column that
// has two values is a factor.
func (s *Study) Cells(d *chains.Draws) ([]Cell, error) {
	l := s.layout()
	var all []Cell
	for i := range l.record.Params {
		cells := l.typical(i)
		if err := l.takeFigures(i, cells, d); err != nil {
			return nil, err
		}
		if err := l.addLevels(i, cells, d); err != nil {
			return nil, err
		}
		all = append(all, cells...)
	}
	var done []string
	for _, g := range s.groups {
		if slices.Contains(done, g.by) {
			continue
		}
		done = append(done, g.by)
		levels, err := l.levels(g, d)
		if err != nil {
			return nil, err
		}
		all = append(all, levels...)
	}
	return all, nil
}

// CellColumns returns the names of the columns that tell cells apart: those of groupings, then factors, then numbers.
func (s *Study) CellColumns() (groupings, factors, numbers []string) {
	r := s.Record()
	for _, g := range s.groups {
		for _, c := range r.Params[g.param].groupingOf(g.by).By {
			if !slices.Contains(groupings, c.Column) {
				groupings = append(groupings, c.Column)
			}
		}
	}
	for i := range r.Columns {
		switch c := &r.Columns[i]; {
		case slices.Contains(groupings, c.Name):
		case c.isFactor():
			factors = append(factors, c.Name)
		default:
			numbers = append(numbers, c.Name)
		}
	}
	return groupings, factors, numbers
}

// layout is the trials of a study by the cells that they are in.
type layout struct {
	study   *Study
	record  *Record
	labels  map[string][]string // of all rows, by column
	numbers map[string][]float64
}

func (s *Study) layout() *layout { return s.layoutOf(s.Record()) }

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

// typical are the cells of a parameter for the typical level, without figures.
func (l *layout) typical(param int) (all []Cell) {
	rows := make([]int, l.study.Trials())
	for row := range rows {
		rows[row] = row
	}
	for _, c := range l.combined(param, rows) {
		all = append(all, l.at(param, c.values, rows, Cell{})...)
	}
	return all
}

// ofLevel are the cells of a parameter for a level of a grouping, whose trials are rows, without figures.
func (l *layout) ofLevel(param int, g *group, level int, rows []int) (all []Cell) {
	own := slices.ContainsFunc(l.study.groups, func(of *group) bool { return of.param == param && of.by == g.by })
	by := l.record.Params[g.param].groupingOf(g.by)
	cell := Cell{By: g.by, Level: g.levels[level], Shared: !own}
	known := levelColumns(by, cell.Level)
	for _, x := range by.By {
		cell.Values = append(cell.Values, Value{x.Column, known[x.Column], ofGrouping})
	}
	for _, c := range l.combined(param, rows) {
		all = append(all, l.at(param, c.values, rows, cell)...)
	}
	if !own {
		all = slices.DeleteFunc(all, func(c Cell) bool { return c.At != "" })
	}
	return all
}

// levelColumns are the values of a grouping's columns at a level.
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

// combined is a combination of the factors on which a parameter depends, and the rows that have it.
type combined struct {
	values []string
	rows   []int
}

// combined divides rows by the factors on which a parameter depends, in the order of their labels.
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

// order is the place of a factor's value among all.
func (c *ColumnRecord) order(value string) int {
	if c.Labels != nil {
		return slices.Index(c.Labels, value)
	}
	x, _ := strconv.ParseFloat(value, 64)
	return slices.Index(c.Values, x)
}

// columnsOf are the factors, or the numbers, on which a parameter depends.
func (r *Record) columnsOf(param int, factors bool) (all []*ColumnRecord) {
	for i := range r.Columns {
		if c := &r.Columns[i]; c.isFactor() == factors && r.Params[param].reads(c.Name) {
			all = append(all, c)
		}
	}
	return all
}

// cellsOf are the cells of a parameter, each with the levels of the first grouping that have it.
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

// at are the cells of a parameter at given factors, with its numeric columns at their means over rows, and with one of them aside. of
// has the values of columns of a grouping.
func (l *layout) at(param int, factors []string, rows []int, of Cell) []Cell {
	of.Param, of.Fixed = l.record.Params[param].Name, l.record.Params[param].IsFixed
	numbers := l.record.columnsOf(param, false)
	means, asides := make([]float64, len(numbers)), make([][]aside, len(numbers))
	for k, c := range numbers {
		means[k], asides[k] = asidesOf(c.Name, l.numbers[c.Name], rows)
	}
	all := []Cell{l.cell(param, factors, means, of)}
	for k, c := range numbers {
		for _, a := range asides[k] {
			moved, with := slices.Clone(means), of
			moved[k], with.moved, with.At = a.value, c.Name, a.text
			with.digits = digitsApart(a.value, means[k])
			all = append(all, l.cell(param, factors, moved, with))
		}
	}
	return all
}

// aside is where a numeric column is that is not at its mean.
type aside struct {
	text  string
	value float64
}

// asidesOf are the mean of a column over rows, and a standard deviation below and above; or both values where these rows have two. A
// column that does not vary has only the mean.
func asidesOf(name string, column []float64, rows []int) (mean float64, all []aside) {
	x := make([]float64, len(rows))
	for i, row := range rows {
		x[i] = column[row]
	}
	mean, sd := moments(x)
	const digits = 12 // what follows them in a mean is noise
	mean, low, high := rounded(mean, digits), rounded(mean-sd, digits), rounded(mean+sd, digits)
	slices.Sort(x)
	switch x = slices.Compact(x); len(x) {
	case 1:
		return x[0], nil
	case 2:
		return mean, []aside{{name + " = " + textOf(x[0]), x[0]}, {name + " = " + textOf(x[1]), x[1]}}
	}
	return mean, []aside{{name + " - 1 sd", low}, {name + " + 1 sd", high}}
}

// digitsApart is how many digits of a number tell it from another to 1 % of their distance: 4 or more.
func digitsApart(x, other float64) int {
	size := math.Max(math.Abs(x), math.Abs(other))
	digits := 2 + math.Ceil(math.Log10(size/math.Abs(x-other)))
	return int(min(max(digits, 4), 17))
}

// cell is a cell of a parameter at values of its factors and of its numeric columns.
func (l *layout) cell(param int, factors []string, numbers []float64, of Cell) Cell {
	of.Values = slices.Clone(of.Values)
	for i := range l.record.Columns {
		c := &l.record.Columns[i]
		if !l.record.Params[param].reads(c.Name) {
			continue
		}
		v := Value{Column: c.Name}
		if c.isFactor() {
			v.Text, factors = factors[0], factors[1:]
		} else {
			v.kind, v.Text, numbers = ofNumber, textOf(numbers[0]), numbers[1:]
		}
		if at := slices.IndexFunc(of.Values, func(has Value) bool { return has.Column == c.Name }); at >= 0 {
			of.Values[at] = v
		} else {
			of.Values = append(of.Values, v)
		}
	}
	return of
}

// pointOf is where a cell is.
func (r *Record) pointOf(c *Cell) (at point, err error) {
	at.table.Rows = 1
	p := r.param(c.Param)
	for i := range r.Columns {
		if column := &r.Columns[i]; p.reads(column.Name) {
			value, err := column.column(c.Text(column.Name))
			if err != nil {
				return at, err
			}
			at.table.Columns = append(at.table.Columns, value)
		}
	}
	if c.By == "" {
		return at, nil
	}
	at.known = map[string]string{}
	for _, v := range c.Values {
		if v.kind != ofNumber {
			at.known[v.Column] = v.Text
		}
	}
	return at, nil
}

// pointsOf is where cells of one parameter are.
func (r *Record) pointsOf(cells []Cell) ([]point, error) {
	all := make([]point, len(cells))
	for i := range cells {
		var err error
		if all[i], err = r.pointOf(&cells[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// CellDraws returns the draws of one of the cells that [Study.Cells] returns, a slice a chain.
func (r *Record) CellDraws(c *Cell, d *chains.Draws) ([][]float64, error) {
	at, err := r.pointOf(c)
	if err != nil {
		return nil, err
	}
	values, err := r.param(c.Param).predictors([]point{at}, indexOf(d))
	if err != nil {
		return nil, err
	}
	return drawsOf(values, d, 1)[0], nil
}

// mostTogether is the number of cells whose draws are in memory at a time.
const mostTogether = 256

// takeFigures sets the figures of cells of a parameter.
func (l *layout) takeFigures(param int, cells []Cell, d *chains.Draws) error {
	p, index := &l.record.Params[param], indexOf(d)
	for some := range slices.Chunk(cells, mostTogether) {
		points, err := l.record.pointsOf(some)
		if err != nil {
			return err
		}
		if p.Formula == nil {
			points = points[:1] // all are one number
		}
		values, err := p.predictors(points, index)
		if err != nil {
			return err
		}
		drawn := drawsOf(values, d, 1)
		for i := range some {
			k := min(i, len(points)-1)
			if some[i].Figures = some[k].Figures; k == i {
				some[i].Figures = FiguresOf(drawn[k])
			}
			some[i].Low, some[i].High = l.study.params[param].ends(values.Inverse[k])
		}
	}
	return nil
}

// addLevels adds the mean over the levels that have them to cells of the typical level.
func (l *layout) addLevels(param int, cells []Cell, d *chains.Draws) error {
	p := &l.record.Params[param]
	if !p.hasLevels() {
		return nil
	}
	for i := range cells {
		at, err := l.record.pointOf(&cells[i])
		if err != nil {
			return err
		}
		have := l.record.levelsWith(p, at.table)
		x, err := l.record.drawsOfLevels(p, at.table, have, d)
		if err != nil {
			return err
		}
		figures := FiguresOf(x)
		cells[i].Levels, cells[i].LevelsOf, cells[i].LevelsN = &figures, p.grouping().Name(), len(have)
	}
	return nil
}

// levels are the cells of each level of a grouping, of one parameter after the other.
func (l *layout) levels(g *group, d *chains.Draws) (all []Cell, err error) {
	members := membersOf(g)
	each := make([][]Cell, len(l.record.Params)) // by parameter
	counts := make([][]int, len(l.record.Params))
	for i := range l.record.Params {
		for level, rows := range members {
			own := l.ofLevel(i, g, level, rows)
			each[i], counts[i] = append(each[i], own...), append(counts[i], len(own))
		}
		if err := l.takeFigures(i, each[i], d); err != nil {
			return nil, err
		}
	}
	for level := range members {
		for i := range each {
			n := counts[i][level]
			all, each[i] = append(all, each[i][:n]...), each[i][n:]
		}
	}
	return all, nil
}

// ends are those of what the parameter can be behind a link, without what is added outside it.
func (l *linear) ends(link bound.Inverse) (low, high float64) {
	switch {
	case !l.varies && l.offset == nil: // one number
		return l.Lower, l.Upper
	case link.Link == Logit:
		return link.Low, link.Low + link.Width
	case link.Link == Log:
		return 0, math.Inf(1)
	}
	return math.Inf(-1), math.Inf(1)
}

// membersOf returns the rows of each level.
func membersOf(g *group) [][]int {
	rows := make([][]int, len(g.levels))
	for row, level := range g.index {
		rows[level] = append(rows[level], row)
	}
	return rows
}
