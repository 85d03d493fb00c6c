package vector

import (
	"math"
	"testing"

	"likc/compiler/expr"
)

// TestKernelsAgreeWithOperators: every kernel gives the values of the operator table for each row, also if dst is its first operand. The tolerance
// covers a few roundings, and a relative error of 1.2e-13 of math.Erfc in normcdf(-30) = 4.906713927148187e-198, which the kernel has right.
func TestKernelsAgreeWithOperators(t *testing.T) {
	rows := []float64{-700, -30, -3.2, -1, -0.5, -1e-9, 0, 1e-9, 0.25, 0.5, 1, 2.5, 7, 36, 700}
	for _, op := range expr.Ops() {
		k := Double[op]
		if k.Unary == nil && k.Binary == nil && k.Ternary == nil {
			continue
		}
		for _, y := range rows {
			x, second, third := append([]float64(nil), rows...), make([]float64, len(rows)), make([]float64, len(rows))
			for i := range rows {
				second[i], third[i] = y, 1.5
			}
			switch {
			case k.Unary != nil:
				k.Unary(x, x)
			case k.Binary != nil:
				k.Binary(x, x, second)
			default:
				k.Ternary(x, x, second, third)
			}
			for i, at := range rows {
				want := op.Info().Eval([3]float64{at, y, 1.5})
				if same := x[i] == want || math.IsNaN(x[i]) && math.IsNaN(want); !same && !(math.Abs(x[i]-want) <= 2e-13*math.Abs(want)) {
					t.Errorf("%s at %v, %v: %v, want %v", op.Info().Name, at, y, x[i], want)
				}
			}
			if k.Unary != nil {
				break // there is no second operand
			}
		}
	}
}
