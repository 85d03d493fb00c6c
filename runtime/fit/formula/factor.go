package formula

import (
	"math"
	"slices"
)

// values holds a factor's values in all rows: numbers, or indices of levels.
type values struct {
	numbers []float64
	index   []int
	coding  FactorCoding
}

func (v *values) categorical() bool { return v.coding.Levels != nil }

// coder converts factors into values, each factor once. It determines their coding from the data, or uses a given one.
type coder struct {
	table  Table
	coding Coding
	learns bool               // whether it determines the coding
	done   map[string]*values // the factors that were converted, by Factor.String
	cells  int                // number of numbers in the columns made so far
}

func (c *coder) factor(f Factor) (*values, error) {
	key := f.String()
	if v, ok := c.done[key]; ok {
		return v, nil
	}
	known, ok := c.coding.Factors[key]
	if !ok && !c.learns {
		return nil, errorf(f.Pos, "%s is not in the coding, expected the coding of this formula", f)
	}
	v, err := c.evaluate(f, known)
	if err != nil {
		return nil, err
	}
	c.coding.Factors[key], c.done[key] = v.coding, v
	return v, nil
}

func (c *coder) evaluate(f Factor, known FactorCoding) (*values, error) {
	if f.Kind != Plain && f.Kind != Category {
		return c.transformed(f, known)
	}
	column, err := c.table.column(f.Column, f.Pos)
	if err != nil {
		return nil, err
	}
	wanted := known.Levels != nil || c.learns && column.Labels != nil
	if i := column.stray(); i >= 0 && f.Kind == Plain && c.learns {
		return nil, errorf(f.Pos, "column %s holds numbers, but %s in row %d: mend that row, or write C(%s) if they are labels", quote(f.Column), quote(column.Labels[i]), c.table.rowNumber(i), f.Column)
	}
	if f.Kind == Category || wanted {
		return c.categories(f, column, known)
	}
	numbers, err := c.table.numbers(column, f.Pos)
	return &values{numbers: numbers}, err
}

// transformed evaluates the arithmetic of a factor, and centers or scales it.
func (c *coder) transformed(f Factor, known FactorCoding) (*values, error) {
	numbers, err := c.arith(f.Value)
	if err != nil {
		return nil, err
	}
	if f.Kind == Arithmetic {
		return &values{numbers: numbers}, nil
	}
	if c.learns {
		known = moments(numbers)
		if f.Kind == Center {
			known.Scale = 0
		} else if known.Scale == 0 {
			return nil, errorf(f.Pos, "%s is the same in every row, expected values that vary", f.Value)
		}
		if math.IsInf(known.Scale, 0) {
			return nil, errorf(f.Pos, "%s is too large for its standard deviation to be a float64", f.Value)
		}
	}
	for i := range numbers {
		numbers[i] -= known.Center
		if known.Scale != 0 {
			numbers[i] /= known.Scale
		}
	}
	return &values{numbers: numbers, coding: known}, nil
}

// moments returns the mean and the standard deviation (with divisor n).
func moments(numbers []float64) FactorCoding {
	if slices.Min(numbers) == slices.Max(numbers) {
		return FactorCoding{Center: numbers[0]} // the exact mean of equal numbers, without rounding
	}
	n := float64(len(numbers))
	mean := 0.0
	for _, v := range numbers {
		mean += v / n
	}
	variance := 0.0
	for _, v := range numbers {
		variance += (v - mean) / n * (v - mean)
	}
	return FactorCoding{Center: mean, Scale: math.Sqrt(variance)}
}

// arith evaluates arithmetic on the table's columns.
func (c *coder) arith(a *Arith) ([]float64, error) {
	columns := map[string][]float64{}
	for _, ref := range a.columns() {
		column, err := c.table.column(ref.Column, ref.Pos)
		if err != nil {
			return nil, err
		}
		if columns[ref.Column], err = c.table.numbers(column, ref.Pos); err != nil {
			return nil, err
		}
	}
	numbers := make([]float64, c.table.Rows)
	for row := range numbers {
		v := a.value(row, columns)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, errorf(a.Pos, "%s is %v in row %d, expected a finite number", a, v, c.table.rowNumber(row))
		}
		numbers[row] = v
	}
	return numbers, nil
}

// categories returns the level of every row.
func (c *coder) categories(f Factor, column *DataColumn, known FactorCoding) (*values, error) {
	labels, err := c.table.labels(column, f.Pos)
	if err != nil {
		return nil, err
	}
	if c.learns {
		if known, err = learnLevels(f, column, labels); err != nil {
			return nil, err
		}
	}
	index, unknown := indexIn(known.Levels, labels)
	if unknown >= 0 {
		return nil, errorf(f.Pos, "column %s is %s in row %d, expected one of %s", quote(column.Name), quote(labels[unknown]), c.table.rowNumber(unknown), list(known.Levels))
	}
	return &values{index: index, coding: known}, nil
}

// learnLevels determines the levels of a factor and its reference level.
func learnLevels(f Factor, column *DataColumn, labels []string) (FactorCoding, error) {
	coding := FactorCoding{Levels: levelsOf(labels), Reference: f.Reference}
	if coding.Reference == "" {
		coding.Reference = column.Reference
	}
	switch n := len(coding.Levels); {
	case n == 1:
		return coding, errorf(f.Pos, "column %s has only the level %s, expected at least two", quote(column.Name), quote(labels[0]))
	case n > MaxLevels:
		return coding, errorf(f.Pos, "column %s has %d levels, expected at most %d", quote(column.Name), n, MaxLevels)
	case coding.Reference == "":
		coding.Reference = coding.Levels[0]
	case !slices.Contains(coding.Levels, coding.Reference):
		return coding, errorf(f.Pos, "reference %s is not a level of column %s, expected one of %s", quote(coding.Reference), quote(column.Name), list(coding.Levels))
	}
	return coding, nil
}
