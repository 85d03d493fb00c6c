// Package gauss integrates functions of one variable by Gauss–Legendre rules, with fixed nodes or adaptively. The compiler uses
// it to replace the integrals of models by sums.
package gauss

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// Rule is a Gauss–Legendre rule on [0, 1]: the integral of f is Σ Weight·f(X).
type Rule struct{ X, Weight []float64 }

// New returns the rule of n points.
func New(n int) Rule {
	r := Rule{make([]float64, n), make([]float64, n)}
	quad.Legendre{}.FixedLocations(r.X, r.Weight, 0, 1)
	return r
}

// On returns the integral of f from a to b, computed by the rule.
func (r Rule) On(f func(float64) float64, a, b float64) float64 {
	sum := 0.0
	for j, x := range r.X {
		sum += r.Weight[j] * f(a+x*(b-a))
	}
	return sum * (b - a)
}

// Eight is the rule of adaptive quadrature.
var Eight = New(8)

// Adaptive returns the integral of f from a to b; whole must be its value by [Eight]. It halves intervals until the rule on an
// interval and on its two halves agree to a tolerance. left is the number of halvings that are still allowed. If more are
// needed, left becomes negative and the result is not reliable. The result is NaN if f is NaN at a point.
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
