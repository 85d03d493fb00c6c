package formula

import "math"

// dependent is the share of a column's length that must be new for the column to count as independent of those before it.
// Rounding alone leaves some 1e-15 of it, times the number of columns.
const dependent = 1e-10

// checkRank makes sure that no common column is a combination of those before it, by orthogonalising the columns one after
// another (Gram–Schmidt, twice each).
func checkRank(terms []DesignTerm, rows int) error {
	var basis [][]float64
	var intercept bool
	for _, t := range terms {
		intercept = intercept || t.Term.IsIntercept()
		for _, c := range t.Columns {
			rest := remainder(c.Values, basis)
			length := norm(c.Values)
			if left := norm(rest); length > 0 && left > dependent*length {
				for i := range rest {
					rest[i] /= left
				}
				basis = append(basis, rest)
				continue
			}
			return redundant(t, c, intercept, len(basis) == rows)
		}
	}
	return nil
}

// redundant says why a column adds nothing.
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

func span(values []float64) (lowest, highest float64) {
	lowest, highest = values[0], values[0]
	for _, v := range values {
		lowest, highest = min(lowest, v), max(highest, v)
	}
	return lowest, highest
}

// remainder returns what is left of values without its part along an orthonormal basis.
func remainder(values []float64, basis [][]float64) []float64 {
	rest := append([]float64(nil), values...)
	for range 2 {
		for _, b := range basis {
			dot := 0.0
			for i := range rest {
				dot += rest[i] * b[i]
			}
			for i := range rest {
				rest[i] -= dot * b[i]
			}
		}
	}
	return rest
}

// norm returns the length of a vector, of any finite entries.
func norm(values []float64) float64 {
	lowest, highest := span(values)
	largest := max(-lowest, highest)
	if largest == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range values {
		sum += (v / largest) * (v / largest)
	}
	return largest * math.Sqrt(sum)
}
