package regress

import (
	"fmt"
	"math"

	"likc/compiler/expr"
)

// Link is the function of a target that is a linear combination of terms, as in generalised linear models [nelder1972]. Under
// the logarithm products of powers are sums, under the square norms are.
//
// Reference: [nelder1972] J. A. Nelder, R. W. M. Wedderburn, Generalized Linear Models, J. R. Statist. Soc. A 135.
type Link int

// Links: the power family with the exponents 1, 0 (as its limit), -1 and 2.
const (
	Identity Link = iota
	Log
	Reciprocal
	Square
	links
)

// String returns the link's name.
func (k Link) String() string { return [links]string{"identity", "log", "reciprocal", "square"}[k] }

// of applies the link to a target; all but the identity take positive ones alone.
func (k Link) of(target []float64) ([]float64, error) {
	linked := make([]float64, len(target))
	for i, y := range target {
		if k != Identity && !(y > 0) {
			return nil, fmt.Errorf("row %d: link %v: %v is not positive", i+1, k, y)
		}
		switch linked[i] = y; k {
		case Log:
			linked[i] = math.Log(y)
		case Reciprocal:
			linked[i] = 1 / y
		case Square:
			linked[i] = y * y
		}
	}
	return linked, nil
}

// inverse is the target where the linear combination is z.
func (k Link) inverse(z float64) float64 {
	switch k {
	case Log:
		return math.Exp(z)
	case Reciprocal:
		return 1 / z
	case Square:
		return math.Sqrt(z)
	}
	return z
}

// undo writes the inverse of the link of a sum; under the logarithm that is the product of the terms' exponentials.
func (k Link) undo(sum, product *expr.Expr) *expr.Expr {
	switch k {
	case Log:
		return product
	case Reciprocal:
		return expr.Over(expr.Num(1), sum)
	case Square:
		return expr.New(expr.Sqrt, sum)
	}
	return sum
}
