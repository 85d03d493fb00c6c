package formula

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Table holds data, with a row for each observation.
type Table struct {
	Rows       int
	Columns    []DataColumn
	RowNumbers []int // number of each row in its file, for errors; nil for 1, 2, …
}

// rowNumber returns the number by which errors name a row.
func (t Table) rowNumber(row int) int {
	if t.RowNumbers == nil {
		return row + 1
	}
	return t.RowNumbers[row]
}

// Of returns the table with only the given rows.
func (t Table) Of(rows []int) Table {
	out := Table{Rows: len(rows), Columns: slices.Clone(t.Columns), RowNumbers: make([]int, len(rows))}
	for k := range out.Columns {
		out.Columns[k].Numeric, out.Columns[k].Labels = picked(t.Columns[k].Numeric, rows), picked(t.Columns[k].Labels, rows)
	}
	for i, row := range rows {
		out.RowNumbers[i] = t.rowNumber(row)
	}
	return out
}

// picked returns the values in the given rows; nil for a nil column.
func picked[T any](column []T, rows []int) []T {
	if column == nil {
		return nil
	}
	out := make([]T, len(rows))
	for i, row := range rows {
		out[i] = column[row]
	}
	return out
}

// DataColumn is a column of numbers or of labels.
type DataColumn struct {
	Name      string
	Numeric   []float64 // a number for each row; nil for a column of labels
	Labels    []string  // a label for each row; nil for a column of numbers
	Reference string    // the level that treatment coding omits; "" for the first
}

// check returns an error if the columns do not form a table. Errors in the content are found where a formula uses a column.
func (t Table) check() error {
	if t.Rows < 1 {
		return errorf(Pos{1, 1}, "data have no rows")
	}
	for i, c := range t.Columns {
		switch n := len(c.Numeric) + len(c.Labels); {
		case c.Numeric != nil && c.Labels != nil:
			return fmt.Errorf("formula: column %s of the data has both numbers and labels", quote(c.Name))
		case n != t.Rows:
			return fmt.Errorf("formula: column %s of the data has %d rows, expected %d", quote(c.Name), n, t.Rows)
		case slices.ContainsFunc(t.Columns[:i], func(b DataColumn) bool { return b.Name == c.Name }):
			return fmt.Errorf("formula: column %s is twice in the data", quote(c.Name))
		}
	}
	return nil
}

// column finds a column that the formula names at pos.
func (t Table) column(name string, pos Pos) (*DataColumn, error) {
	var names []string
	for i, c := range t.Columns {
		if c.Name == name {
			return &t.Columns[i], nil
		}
		names = append(names, c.Name)
	}
	if names == nil {
		return nil, errorf(pos, "no column %s in the data, which have none", quote(name))
	}
	return nil, errorf(pos, "no column %s in the data, expected one of %s", quote(name), list(names))
}

// list lists the first few names.
func list(names []string) string {
	const most = 8
	if len(names) > most {
		return fmt.Sprintf("%s, … (%d in all)", strings.Join(names[:most], ", "), len(names))
	}
	return strings.Join(names, ", ")
}

// numbers returns a column's values as finite numbers. Labels are converted if all are numbers, such as codes with leading zeros.
func (t Table) numbers(c *DataColumn, pos Pos) ([]float64, error) {
	if i := c.stray(); i >= 0 {
		return nil, errorf(pos, "column %s holds numbers, but %s in row %d", quote(c.Name), quote(c.Labels[i]), t.rowNumber(i))
	}
	if spelt, ok := c.spelt(); ok {
		return spelt, nil
	}
	if c.Numeric == nil {
		return nil, errorf(pos, "column %s holds labels such as %s, expected numbers", quote(c.Name), quote(c.Labels[0]))
	}
	for i, v := range c.Numeric {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, errorf(pos, "column %s is %v in row %d, expected a finite number", quote(c.Name), v, t.rowNumber(i))
		}
	}
	return c.Numeric, nil
}

// spelt returns the numbers that a column of labels spells. It returns false if a label is no number, or if the column has no
// labels.
func (c *DataColumn) spelt() ([]float64, bool) {
	numbers := make([]float64, len(c.Labels))
	for i, label := range c.Labels {
		v, err := strconv.ParseFloat(label, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, false
		}
		numbers[i] = v
	}
	return numbers, c.Labels != nil
}

// stray returns the first row without a number in a column of labels of which more than half are numbers; -1 for any other
// column.
func (c *DataColumn) stray() int {
	first, others := -1, 0
	for i, label := range c.Labels {
		if _, err := strconv.ParseFloat(label, 64); err == nil {
			continue
		}
		if others++; first < 0 {
			first = i
		}
	}
	if 2*others >= len(c.Labels) {
		return -1
	}
	return first
}

// labels returns a column's values as labels. A number is written with the fewest digits that determine it; whole numbers have all
// their digits.
func (t Table) labels(c *DataColumn, pos Pos) ([]string, error) {
	if c.Labels == nil {
		numbers, err := t.numbers(c, pos)
		if err != nil {
			return nil, err
		}
		labels := make([]string, len(numbers))
		for i, v := range numbers {
			form := byte('g')
			if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
				form = 'f' // writes 20231015 instead of 2.0231015e+07
			}
			labels[i] = strconv.FormatFloat(v+0, form, -1, 64) // adding 0 turns -0 into 0
		}
		return labels, nil
	}
	if i := slices.Index(c.Labels, ""); i >= 0 {
		return nil, errorf(pos, "column %s is empty in row %d, expected a label", quote(c.Name), t.rowNumber(i))
	}
	return c.Labels, nil
}

// levelsOf returns the distinct labels, sorted.
func levelsOf(labels []string) []string {
	seen := map[string]bool{}
	var levels []string
	for _, l := range labels {
		if !seen[l] {
			seen[l] = true
			levels = append(levels, l)
		}
	}
	sortLevels(levels)
	return levels
}

// sortLevels sorts levels as numbers if all are numbers, otherwise as texts.
func sortLevels(levels []string) {
	numbers := make(map[string]float64, len(levels))
	for _, l := range levels {
		v, err := strconv.ParseFloat(l, 64)
		if err != nil || math.IsNaN(v) {
			slices.Sort(levels)
			return
		}
		numbers[l] = v
	}
	slices.SortFunc(levels, func(a, b string) int {
		return cmp.Or(cmp.Compare(numbers[a], numbers[b]), cmp.Compare(a, b))
	})
}

// indexIn returns each label's index among the levels, -1 if it is none of them. unknown is the first row with such a label; -1
// if there is none.
func indexIn(levels, labels []string) (index []int, unknown int) {
	indexOf := make(map[string]int, len(levels))
	for i, l := range levels {
		indexOf[l] = i
	}
	index, unknown = make([]int, len(labels)), -1
	for row, l := range labels {
		i, ok := indexOf[l]
		if !ok {
			i = -1
			if unknown < 0 {
				unknown = row
			}
		}
		index[row] = i
	}
	return index, unknown
}
