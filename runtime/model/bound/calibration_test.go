package bound

import (
	"fmt"
	"math"
	"testing"

	"likc/compiler/binding"
	"likc/compiler/expr"
	"likc/runtime/model/catalog"
	"likc/runtime/num/isa"
)

// On every instruction set, the binding function agrees with package binding, which evaluates it as written, and
// derivatives agree with finite differences.
func TestBoundAt(t *testing.T) {
	calibrated, err := catalog.Open("expr2_calibrated")
	if err != nil {
		t.Fatal(err)
	}
	p, q := expr.Var("p"), expr.Var("q")
	term := func(c float64, degrees ...int) expr.BindingTerm {
		return expr.BindingTerm{Coefficient: c, Degrees: degrees}
	}
	small := &expr.Model{Params: []expr.Param{{Name: "p", Lower: -1, Upper: 1}, {Name: "q", Lower: 0.1, Upper: 5}}, Binding: &expr.Binding{
		Inputs: []*expr.Expr{expr.New(expr.Log, q), expr.New(expr.Mul, p, q), q, expr.Num(0.25)},
		Shifts: []expr.BindingShift{{Param: "q", Terms: []expr.BindingTerm{term(0.05, 0, 0, 0, 0), term(0.8, 2, 1, 0, 3), term(-0.3, 0, 3, 1, 0)}}},
	}}
	for level := isa.Portable; level <= isa.Best(); level++ {
		t.Run(fmt.Sprint(level), func(t *testing.T) {
			checkBoundAt(t, calibrated.Model, level, []float64{0.7, 1.2, 0.45, 0.3}, []float64{-2.9, 0.35, 0.88, 0})
			checkBoundAt(t, small, level, []float64{0.4, 1.7}, []float64{-1, 0.3})
		})
	}
}

func checkBoundAt(t *testing.T, m *expr.Model, level isa.Level, points ...[]float64) {
	t.Helper()
	f, written := newBoundAt(m), binding.Of(m)
	f.use(level)
	space, trace := f.newSpace(), written.NewTrace()
	got, want := make([]float64, f.out), make([]float64, written.Out())
	for _, theta := range points {
		f.at(space, theta, got)
		written.At(trace, theta, want)
		for j := range want {
			if !(math.Abs(got[j]-want[j]) <= 1e-12*(1+math.Abs(want[j]))) {
				t.Errorf("%s at %v: value %d is %v, want %v", m.Name, theta, j, got[j], want[j])
			}
		}
		grad := make([]float64, f.out) // gradient of 1·bound[0] + 2·bound[1] + …
		for j := range grad {
			grad[j] = float64(j + 1)
		}
		f.back(space, grad)
		for j := range theta {
			along := func(x float64) (sum float64) {
				at := append([]float64(nil), theta...)
				at[j] += x
				written.At(trace, at, want)
				for k, x := range want {
					sum += float64(k+1) * x
				}
				return sum
			}
			const step = 1e-5
			if d := (along(step) - along(-step)) / (2 * step); !(math.Abs(d-grad[j]) <= 1e-6*(1+math.Abs(d))) {
				t.Errorf("%s at %v: derivative %d is %v, finite differences say %v", m.Name, theta, j, grad[j], d)
			}
		}
	}
	if n := testing.AllocsPerRun(10, func() { f.at(space, points[0], got); f.back(space, got) }); n != 0 {
		t.Errorf("%v allocations an evaluation", n)
	}
}
