package formula

import (
	"math"
	"slices"
)

// dependent limits the part of a column that is orthogonal to the earlier columns, as a share of the column's length. If the part
// is not longer, the column counts as dependent. Rounding alone leaves a share of about 1e-15 times the number of columns.
const dependent = 1e-10

// checkRank returns an error if a common column is a combination of earlier ones. Columns that are independent in some rows are
// independent in all rows, so it tries few rows first.
func checkRank(terms []DesignTerm, rows int) error {
	columns := 0
	for _, t := range terms {
		columns += len(t.Columns)
	}
	for n := 4 * columns; n < rows; n *= 8 {
		if firstRedundant(terms, rows, n) == nil {
			return nil
		}
	}
	return firstRedundant(terms, rows, rows)
}

// firstRedundant orthogonalises the columns one after another (Gram–Schmidt) in n evenly spaced rows. It returns the error of the
// first column that depends on the earlier ones.
func firstRedundant(terms []DesignTerm, rows, n int) error {
	var basis [][]float64
	var intercept bool
	for _, t := range terms {
		intercept = intercept || t.Term.IsIntercept()
		for _, c := range t.Columns {
			values := make([]float64, n)
			for i := range values {
				values[i] = c.Values[i*rows/n]
			}
			if !orthogonalize(values, basis) {
				return redundant(t, c, intercept, len(basis) == rows)
			}
			basis = append(basis, values)
		}
	}
	return nil
}

// redundant returns an error that explains why a column depends on others.
func redundant(t DesignTerm, c DesignColumn, intercept, full bool) error {
	lowest, highest := span(c.Values)
	switch {
	case lowest == 0 && highest == 0:
		return errorf(t.Term.Pos, "%s is 0 in every row, expected data that tell its coefficient", c.Name)
	case intercept && lowest == highest && !t.Term.IsIntercept():
		return errorf(t.Term.Pos, "%s is the same in every row: it cannot be told from the intercept", c.Name)
	case full:
		return errorf(t.Term.Pos, "%s is one column more than the data have rows", c.Name)
	}
	return errorf(t.Term.Pos, "%s is a combination of the columns before it: their coefficients cannot be told apart", c.Name)
}

func span(values []float64) (lowest, highest float64) { return slices.Min(values), slices.Max(values) }

// orthogonalize subtracts from values their projection on an orthonormal basis, and scales the remainder to length 1. It returns
// false if the remainder is 0, apart from rounding.
func orthogonalize(values []float64, basis [][]float64) bool {
	lowest, highest := span(values)
	if lowest == 0 && highest == 0 {
		return false
	}
	divide(values, max(-lowest, highest)) // avoids overflow of squares
	divide(values, norm(values))
	for before := 1.0; ; {
		for _, b := range basis {
			subtractAlong(values, b)
		}
		left := norm(values)
		if left <= dependent {
			return false
		}
		if left > before/2 { // otherwise rounding may have left a part along the basis
			divide(values, left)
			return true
		}
		before = left
	}
}

func divide(values []float64, by float64) {
	for i := range values {
		values[i] /= by
	}
}

// subtractAlong subtracts from values its projection on b.
func subtractAlong(values, b []float64) {
	dot := 0.0
	for i, v := range values {
		dot += v * b[i]
	}
	for i := range values {
		values[i] -= dot * b[i]
	}
}

// norm returns the length of a vector.
func norm(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v * v
	}
	return math.Sqrt(sum)
}
