package compiler

import (
	"math"
	"strings"
	"testing"

	"likc/compiler/ir"
	"likc/compiler/syntax"
)

// TestSplitGradient: each derivative of this log density has several terms. Multiplied out, the three derivatives need only one sum each
// of x, x² and 1, with the exponential as a factor. Value and derivatives are the same as those of the form that is not multiplied out.
func TestSplitGradient(t *testing.T) {
	models, err := syntax.Read("m.lik", strings.NewReader(`model m {
  trial rt
  param p in [-1, 1]
  param q in [0.5, 2]
  param r in [0, 1]
  loglik = exp(-(q^2 + r)*rt + (p*q - r)*rt^2/9 + p*r)
}`))
	if err != nil {
		t.Fatal(err)
	}
	x := []float64{0.2, 0.5, 0.9, 1.4, 2.2}
	var sums [2]int
	var values [2][]float64
	for k, options := range []Options{{NoSeparate: true}, {SplitGradient: true, Check: true}} {
		u, err := Compile(models[0], options)
		if err != nil {
			t.Fatal(err)
		}
		sums[k] = ir.Describe(u.Program).Sums
		bound, err := ir.Bind(u.Program, [][]float64{x}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, theta := range [][]float64{{0.3, 1.1, 0.4}, {-0.9, 0.6, 0.8}} {
			grad := make([]float64, 3)
			values[k] = append(append(values[k], bound.LogLikGrad(theta, grad)), grad...)
		}
	}
	if sums[1] != 3 || sums[0] <= 3 {
		t.Errorf("%d sums as written and %d multiplied out, want more than 3, and 3", sums[0], sums[1])
	}
	for i, want := range values[0] {
		if got := values[1][i]; !(math.Abs(got-want) <= 1e-12*(1+math.Abs(want))) {
			t.Errorf("number %d is %v, want %v", i, got, want)
		}
	}
}
