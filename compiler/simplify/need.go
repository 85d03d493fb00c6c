package simplify

import "math"

// need is what the chain required of a factor's base, whatever became of its exponent.
type need uint8

const (
	nonZero need = 1 << iota
	nonNegative
)

// needOf returns what base^exp requires of the base.
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

// enforced returns what the factor as it stands requires of its base.
func (f factor) enforced() need {
	if f.abs {
		return needOf(f.exp) &^ nonNegative
	}
	return needOf(f.exp)
}

func isWhole(x float64) bool { return x == math.Trunc(x) }
func isEven(x float64) bool  { return math.Mod(x, 2) == 0 }
