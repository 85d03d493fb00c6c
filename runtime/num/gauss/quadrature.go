// Package gauss integrates functions of one variable by the rule of Gauss and Legendre. The compiler chooses the fixed rules of a
// model's integrals with it.
package gauss

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// Rule is the rule of Gauss and Legendre on [0, 1]: Σ Weight·f(X).
type Rule struct{ X, Weight []float64 }

// New returns the rule of n points.
func New(n int) Rule {
	r := Rule{make([]float64, n), make([]float64, n)}
	quad.Legendre{}.FixedLocations(r.X, r.Weight, 0, 1)
	return r
}

// On returns the integral of f from a to b by the rule.
func (r Rule) On(f func(float64) float64, a, b float64) float64 {
	sum := 0.0
	for j, x := range r.X {
		sum += r.Weight[j] * f(a+x*(b-a))
	}
	return sum * (b - a)
}

// Eight is the rule of adaptive quadrature.
var Eight = New(8)

// Adaptive returns the integral of f from a to b, of which whole is that by [Eight]. It halves the interval, and the halves, until the rule on
// an interval and on its two halves agrees to a tolerance. left is how many more halvings may follow; it is below 0 where more were needed,
// and then the result is not to be relied on. A result is NaN as soon as a half is.
func Adaptive(f func(float64) float64, a, b, whole, tolerance float64, left *int) float64 {
	middle := (a + b) / 2
	lower, upper := Eight.On(f, a, middle), Eight.On(f, middle, b)
	if math.Abs(whole-lower-upper) <= tolerance || math.IsNaN(lower+upper) {
		return lower + upper
	}
	if *left--; *left < 0 {
		return lower + upper
	}
	return Adaptive(f, a, middle, lower, tolerance, left) + Adaptive(f, middle, b, upper, tolerance, left)
}
