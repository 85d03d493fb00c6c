package binding

import (
	"math"
	"testing"

	"likc/compiler/expr"
)

// TestMap compares a binding function, with polynomials of two inputs and a tilt, with formulas written by hand.
func TestMap(t *testing.T) {
	p, q := expr.Var("p"), expr.Var("q")
	term := func(c float64, degrees ...int) expr.BindingTerm {
		return expr.BindingTerm{Coefficient: c, Degrees: degrees}
	}
	m := &expr.Model{Params: []expr.Param{{Name: "p", Lower: -1, Upper: 1}, {Name: "q", Lower: 0.1, Upper: 5}}, Binding: &expr.Binding{
		Inputs: []*expr.Expr{expr.New(expr.Log, q), expr.New(expr.Mul, p, q)},
		Shifts: []expr.BindingShift{{Param: "q", Terms: []expr.BindingTerm{term(0.05, 0, 0), term(0.8, 2, 1), term(-0.3, 0, 3)}}},
		Tilt:   []expr.BindingTerm{term(0.4, 2, 1), term(0.7, 1, 0)},
	}}
	f := Of(m)
	theta, bound := []float64{0.4, 1.7}, make([]float64, 3)
	trace := f.NewTrace()
	f.At(trace, theta, bound)
	x, y := math.Log(1.7), 0.4*1.7
	shift, tilt := 0.05+0.8*(2*x*x-1)*y-0.3*(4*y*y*y-3*y), 0.4*(2*x*x-1)*y+0.7*x
	if bound[0] != 0.4 || !(math.Abs(bound[1]-(1.7+shift)) <= 1e-14) || !(math.Abs(bound[2]-tilt) <= 1e-14) {
		t.Errorf("%v, want 0.4, %v and %v", bound, 1.7+shift, tilt)
	}
	if n := testing.AllocsPerRun(100, func() { f.At(trace, theta, bound) }); n != 0 {
		t.Errorf("%v allocations an evaluation", n)
	}
}
