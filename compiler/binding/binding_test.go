package binding

import (
	"math"
	"testing"

	"likc/compiler/expr"
)

// A network of two hidden layers, against its formula and finite differences.
func TestMap(t *testing.T) {
	m := &expr.Model{Params: []expr.Param{{Name: "p", Lower: -1, Upper: 1}, {Name: "q", Lower: 0.1, Upper: 5}}, Binding: &expr.Binding{
		Inputs: []expr.BindingInput{{Param: "q", Log: true}, {Param: "p"}},
		Hidden: []expr.BindingLayer{{{0.1, 0.5, -0.4}, {-0.3, 0.2, 0.7}}, {{0.2, 1.1, -0.6}}},
		Shifts: []expr.BindingShift{{Param: "q", Weights: []float64{0.05, 0.8}}},
	}}
	f := Of(m)
	theta, bound := []float64{0.4, 1.7}, make([]float64, 2)
	trace := f.NewTrace()
	f.At(trace, theta, bound)
	x, y := math.Log(1.7), 0.4
	h := math.Tanh(0.2 + 1.1*math.Tanh(0.1+0.5*x-0.4*y) - 0.6*math.Tanh(-0.3+0.2*x+0.7*y))
	if bound[0] != 0.4 || !(math.Abs(bound[1]-(1.7+0.05+0.8*h)) <= 1e-15) {
		t.Errorf("%v, want 0.4 and %v", bound, 1.75+0.8*h)
	}
	grad := []float64{2, -3} // of 2p - 3q at the bound parameters
	f.Back(trace, grad)
	const step = 1e-6
	for j := range theta {
		value := func(x float64) float64 {
			at, out := append([]float64(nil), theta...), make([]float64, 2)
			at[j] += x
			f.At(f.NewTrace(), at, out)
			return 2*out[0] - 3*out[1]
		}
		if d := (value(step) - value(-step)) / (2 * step); !(math.Abs(d-grad[j]) <= 1e-8) {
			t.Errorf("derivative %d is %v, finite differences say %v", j, grad[j], d)
		}
	}
}
