package hierarchy

import (
	"math"
	"slices"
)

// at returns the cells of a parameter at given factors. In the first, all numeric columns are at their means over rows; in each
// further one, one numeric column is aside: at another value. of holds the values of the grouping's columns.
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

// aside is the position of a numeric column that is not at its mean.
type aside struct {
	text  string
	value float64
}

// asidesOf returns the mean of a column over rows, and the positions one standard deviation below and above. If the rows have only
// two values, it returns both as positions instead. A column that does not vary has no such position.
func asidesOf(name string, column []float64, rows []int) (mean float64, all []aside) {
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
		return mean, []aside{{name + " = " + textOf(x[0]), x[0]}, {name + " = " + textOf(x[1]), x[1]}}
	}
	return mean, []aside{{name + " - 1 sd", low}, {name + " + 1 sd", high}}
}

// digitsApart returns the number of digits, at least 4, with which the difference of two numbers is exact to 1 %.
func digitsApart(x, other float64) int {
	size := math.Max(math.Abs(x), math.Abs(other))
	digits := 2 + math.Ceil(math.Log10(size/math.Abs(x-other)))
	return int(min(max(digits, 4), 17))
}

// cell returns a cell of a parameter at values of its factors and numeric columns.
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

// pointOf returns the point of a cell.
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
