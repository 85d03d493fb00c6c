package simplify

import "math"

// need is the set of requirements on a factor's base that the original product had. Exponents may have changed since.
type need uint8

const (
	nonZero need = 1 << iota
	nonNegative
)

// needOf returns the requirements of base^exp on the base.
func needOf(exp float64) need {
	var n need
	if exp < 0 {
		n |= nonZero
	}
	if !isWhole(exp) {
		n |= nonNegative
	}
	return n
}

// enforced returns the requirements that the factor now has on its base.
func (f factor) enforced() need {
	if f.abs {
		return needOf(f.exp) &^ nonNegative
	}
	return needOf(f.exp)
}

// isWhole and isEven report whether x is a whole number, and whether it is an even one.
func isWhole(x float64) bool { return x == math.Trunc(x) }
func isEven(x float64) bool  { return math.Mod(x, 2) == 0 }
