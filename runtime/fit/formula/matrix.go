package formula

import (
	"math"
	"slices"
)

// terms returns the columns of terms. The function `base` returns the part of a term's column names before the levels.
func (c *coder) terms(terms []Term, base func(Term) string) ([]DesignTerm, error) {
	for _, t := range terms {
		for _, f := range t.Factors {
			if _, err := c.factor(f); err != nil {
				return nil, err
			}
		}
	}
	var all []DesignTerm
	total := 0
	for t := range codings(terms, func(f Factor) bool { return c.done[f.String()].categorical() }) {
		m := c.matrix(t)
		if total += m.columns; m.columns > MaxColumns || total > MaxColumns {
			return nil, errorf(t.Pos, "design has more than %d columns", MaxColumns)
		}
		if c.cells += m.columns * c.table.Rows; c.cells > MaxCells {
			return nil, errorf(t.Pos, "design has more than %d numbers in %d rows", MaxCells, c.table.Rows)
		}
		columns, err := m.fill(t, base(t.Term), c.table.Rows)
		if err != nil {
			return nil, err
		}
		all = append(all, DesignTerm{t.Term, columns})
	}
	return all, nil
}

// matrix is the layout of one coded term. The levels of its last categorical factor vary fastest.
type matrix struct {
	numeric []*values
	labels  []*values  // the categorical factors
	digits  [][]int    // digit of each level of each categorical factor, -1 for the reference
	levels  [][]string // label of each digit of each categorical factor
	columns int
}

func (c *coder) matrix(t coded) *matrix {
	m := &matrix{columns: 1}
	for i, f := range t.Factors {
		v := c.done[f.String()]
		if !v.categorical() {
			m.numeric = append(m.numeric, v)
			continue
		}
		digits, levels := make([]int, len(v.coding.Levels)), []string(nil)
		for j, level := range v.coding.Levels {
			if digits[j] = -1; t.full[i] || level != v.coding.Reference {
				digits[j] = len(levels)
				levels = append(levels, level)
			}
		}
		m.labels, m.digits, m.levels = append(m.labels, v), append(m.digits, digits), append(m.levels, levels)
		m.columns = min(m.columns*len(levels), MaxColumns+1)
	}
	return m
}

// fill returns the columns.
func (m *matrix) fill(t coded, base string, rows int) ([]DesignColumn, error) {
	all := make([]DesignColumn, m.columns)
	for i := range all {
		all[i] = DesignColumn{Name{base, m.names(i)}, make([]float64, rows)}
	}
	for r := range rows {
		product := m.product(r)
		if math.IsInf(product, 0) || math.IsNaN(product) {
			return nil, errorf(t.Pos, "%s is %v in row %d, expected a finite number", t, product, r+1)
		}
		if i := m.column(r); i >= 0 {
			all[i].Values[r] = product
		}
	}
	return all, nil
}

// column returns the one column that is not 0 in a row; -1 if all are 0.
func (m *matrix) column(row int) int {
	column := 0
	for k, v := range m.labels {
		digit := m.digits[k][v.index[row]]
		if digit < 0 {
			return -1
		}
		column = column*len(m.levels[k]) + digit
	}
	return column
}

func (m *matrix) product(row int) float64 {
	p := 1.0
	for _, v := range m.numeric {
		p *= v.numbers[row]
	}
	return p
}

// names returns the levels in the name of a column.
func (m *matrix) names(column int) []string {
	names := make([]string, len(m.levels))
	for k, levels := range slices.Backward(m.levels) {
		names[k] = levels[column%len(levels)]
		column /= len(levels)
	}
	return names
}
