package expr_test

import (
	"testing"

	"likc/compiler/expr"
)

// TestKeepsPositive: exactly the operators in claim are marked KeepsPositive, and they have positive values at small and large positive
// arguments.
func TestKeepsPositive(t *testing.T) {
	claim := map[expr.Op]bool{expr.Mul: true, expr.Square: true, expr.Sqrt: true, expr.Inv: true}
	for _, op := range expr.Ops() {
		info := op.Info()
		if info.KeepsPositive != claim[op] {
			t.Errorf("%s: claims %v, want %v", info.Name, info.KeepsPositive, claim[op])
		}
		for _, x := range [][3]float64{{1e-9, 1e-9, 1e-9}, {1e9, 2, 3}, {0.5, 1e9, 1}} {
			if y := op.Info().Eval; info.KeepsPositive && !(y(x) > 0) {
				t.Errorf("%s of %v is %v", info.Name, x, y(x))
			}
		}
	}
}
