package kernel

// Combinations are linear combinations of coefficients, one for each trial. That of trial i is the sum of Value[k]·c[Column[k]] over
// Start[i] ≤ k < Start[i+1]. The representation is sparse, because most combinations contain only a few coefficients.
type Combinations struct {
	Columns int       // number of coefficients
	Start   []int     // for each trial, the index of its first term in Column and Value; then the number of all terms
	Column  []int     // for each term, the index of its coefficient
	Value   []float64 // for each term, the factor of its coefficient
}

// Rows returns the number of combinations.
func (c *Combinations) Rows() int { return max(0, len(c.Start)-1) }

// Row returns the columns and the values of a combination.
func (c *Combinations) Row(i int) (columns []int, values []float64) {
	return c.Column[c.Start[i]:c.Start[i+1]], c.Value[c.Start[i]:c.Start[i+1]]
}

// Append appends a combination. It omits values that are 0.
func (c *Combinations) Append(columns []int, values []float64) {
	if len(c.Start) == 0 {
		c.Start = append(c.Start, 0)
	}
	for k, v := range values {
		if v != 0 {
			c.Column, c.Value = append(c.Column, columns[k]), append(c.Value, v)
		}
	}
	c.Start = append(c.Start, len(c.Column))
}

// At returns the value of a combination for the given coefficients.
func (c *Combinations) At(i int, coefficients []float64) float64 {
	sum := 0.0
	for k := c.Start[i]; k < c.Start[i+1]; k++ {
		sum += c.Value[k] * coefficients[c.Column[k]]
	}
	return sum
}
