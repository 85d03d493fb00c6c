package hierarchy

import (
	"math"
	"slices"
)

// cellsAt returns the cells of a parameter at given values of its factors. In the first cell, all numeric columns are at their
// means over the rows. In each further cell, one numeric column is at another value (see columnPosition). cell holds the fields
// that all these cells share, such as the values of the grouping's columns.
func (l *layout) cellsAt(param int, factors []string, rows []int, cell Cell) []Cell {
	cell.Param, cell.Fixed = l.record.Params[param].Name, l.record.Params[param].IsFixed
	numbers := l.record.columnsOf(param, false)
	means, asides := make([]float64, len(numbers)), make([][]columnPosition, len(numbers))
	for k, c := range numbers {
		means[k], asides[k] = positionsOf(c.Name, l.numbers[c.Name], rows)
	}
	all := []Cell{l.cell(param, factors, means, cell)}
	for k, c := range numbers {
		for _, a := range asides[k] {
			moved, with := slices.Clone(means), cell
			moved[k], with.moved, with.At = a.value, c.Name, a.text
			with.digits = digitsApart(a.value, means[k])
			all = append(all, l.cell(param, factors, moved, with))
		}
	}
	return all
}

// columnPosition is a value of a numeric column that is not its mean.
type columnPosition struct {
	text  string // name of the position, such as "x + 1 sd"
	value float64
}

// positionsOf returns the mean of a column over rows, and the positions one standard deviation below and above it. If the column
// has only two values in these rows, the positions are the two values. A column that does not vary has no positions.
func positionsOf(name string, column []float64, rows []int) (mean float64, all []columnPosition) {
	x := make([]float64, len(rows))
	for i, row := range rows {
		x[i] = column[row]
	}
	mean, sd := moments(x)
	const digits = 12 // further digits of a mean are noise
	mean, low, high := rounded(mean, digits), rounded(mean-sd, digits), rounded(mean+sd, digits)
	slices.Sort(x)
	switch x = slices.Compact(x); len(x) {
	case 1:
		return x[0], nil
	case 2:
		return mean, []columnPosition{{name + " = " + textOf(x[0]), x[0]}, {name + " = " + textOf(x[1]), x[1]}}
	}
	return mean, []columnPosition{{name + " - 1 sd", low}, {name + " + 1 sd", high}}
}

// digitsApart returns the number of digits, at least 4, with which the difference of two numbers is exact to 1 %.
func digitsApart(x, other float64) int {
	size := math.Max(math.Abs(x), math.Abs(other))
	digits := 2 + math.Ceil(math.Log10(size/math.Abs(x-other)))
	return int(min(max(digits, 4), 17))
}

// cell returns a cell of a parameter at values of its factors and numeric columns.
func (l *layout) cell(param int, factors []string, numbers []float64, cell Cell) Cell {
	cell.Values = slices.Clone(cell.Values)
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
		if at := slices.IndexFunc(cell.Values, func(has Value) bool { return has.Column == c.Name }); at >= 0 {
			cell.Values[at] = v
		} else {
			cell.Values = append(cell.Values, v)
		}
	}
	return cell
}

// pointOf returns the values of data columns that determine the parameter in a cell.
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

// pointsOf returns the points of several cells of one parameter.
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
