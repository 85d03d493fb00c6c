package expr_test

import (
	"math"
	"testing"

	"likc/compiler/expr"
)

// TestGamma: log Γ, ψ and ψ' agree with 60-digit arithmetic, to rounding errors of terms of the size of log x.
func TestGamma(t *testing.T) {
	x := expr.Var("x")
	slope := expr.NewTape([]string{"x"}, expr.Digamma.Info().Partial([]*expr.Expr{x}, expr.New(expr.Digamma, x))[0])
	for _, row := range table(t, "testdata/gamma.txt") {
		at, tangent := [3]float64{row[0]}, [3]complex128{complex(row[0], row[0]*1e-100)}
		trigamma, _ := slope.Eval(nil, row[:1])
		for _, c := range []struct {
			what      string
			got, want float64
		}{
			{"lgamma", expr.LGamma.Info().Eval(at), row[1]},
			{"digamma", expr.Digamma.Info().Eval(at), row[2]},
			{"derivative of digamma", trigamma[0] * row[0], row[3] * row[0]},
			{"complex step of lgamma", imag(expr.LGamma.Info().Complex(tangent)) / 1e-100, row[2] * row[0]},
			{"complex step of digamma", imag(expr.Digamma.Info().Complex(tangent)) / 1e-100, row[3] * row[0]},
		} {
			if !(math.Abs(c.got-c.want) <= 4e-15*math.Max(1, math.Abs(c.want))) {
				t.Errorf("%s at %v = %v, want %v", c.what, row[0], c.got, c.want)
			}
		}
	}
	inf := math.Inf(1)
	for op, want := range map[expr.Op]float64{expr.LGamma: inf, expr.Digamma: -inf} {
		eval := op.Info().Eval
		if eval([3]float64{0}) != want || eval([3]float64{inf}) != inf || !math.IsNaN(eval([3]float64{math.NaN()})) {
			t.Errorf("%v at 0, Inf, NaN: %v, %v, %v", op, eval([3]float64{0}), eval([3]float64{inf}), eval([3]float64{math.NaN()}))
		}
	}
}
