package spline_test

import (
	"math"
	"testing"

	"likc/runtime/model/kernel"
	"likc/runtime/model/neural"
	"likc/runtime/model/neural/spline"
	"likc/runtime/model/ssm"
)

// If one parameter depends on a column, such as the drift, densities and gradients of rows agree with rows that are evaluated
// one by one: at both boundaries, along short and long lines.
func TestAlongLine(t *testing.T) {
	o, err := neural.Open("../../../../testdata/teacher/spline")
	if err != nil {
		t.Fatal(err)
	}
	const n = 300
	centre := []float64{0.5, 1, 0.5, 0.25}
	rt, choice := make([]float64, n), make([]float64, n)
	if err := ssm.DDM.Simulate(ssm.NewRand(1, 1), centre, ssm.Scheme{}, rt, choice); err != nil {
		t.Fatal(err)
	}
	rows, err := o.Rows(kernel.Responses(rt, choice))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		varies int
		half   float64
	}{{"short", 0, 0.1}, {"long", 0, 2.5}, {"boundary", 1, 0.3}, {"start", 2, 0.1}} {
		theta := kernel.Fixed(append([]float64{}, centre...))
		theta[3][0] = 0.2
		theta[c.varies] = make([]float64, n)
		for i := range n {
			theta[c.varies][i] = centre[c.varies] + c.half*math.Sin(float64(i))
		}
		logp, grad := evaluate(rows, theta)
		if used := spline.LastNodes(rows); used == 0 {
			t.Errorf("%s: not along a line", c.name)
		}
		for i := range n {
			at := make([]float64, 4)
			for j := range at {
				at[j] = kernel.At(theta[j], i)
			}
			one, err := o.Density.Sum(kernel.Responses(rt[i:i+1], choice[i:i+1]))
			if err != nil {
				t.Fatal(err)
			}
			want := make([]float64, 4)
			if value := one.LogLikGrad(at, want); !near(logp[i], value) {
				t.Fatalf("%s, row %d: %v, alone %v", c.name, i, logp[i], value)
			}
			for j := range want {
				if !near(grad[j][i], want[j]) {
					t.Fatalf("%s, row %d, parameter %d: derivative %v, alone %v", c.name, i, j, grad[j][i], want[j])
				}
			}
		}
	}
}

// near reports whether numbers agree up to the error of interpolation. The relative error of each number of a curve's shape
// is 1e-9; some of these numbers have large effects.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(1, math.Abs(b)) }

func evaluate(rows kernel.Rows, theta [][]float64) (logp []float64, grad [][]float64) {
	logp = make([]float64, rows.N())
	for range theta {
		grad = append(grad, make([]float64, rows.N()))
	}
	rows.Each(theta, logp, grad)
	return logp, grad
}

// Rows outside the support have the density 0 and no gradient.
func TestOutsideOfLine(t *testing.T) {
	o, err := neural.Open("../../../../testdata/teacher/spline")
	if err != nil {
		t.Fatal(err)
	}
	rt, choice := make([]float64, 40), make([]float64, 40)
	theta := kernel.Fixed([]float64{0, 1, 0.5, 0.3})
	theta[0] = make([]float64, 40)
	for i := range rt {
		rt[i], choice[i], theta[0][i] = 0.29+0.02*float64(i), 1, 0.01*float64(i)
	}
	rows, err := o.Rows(kernel.Responses(rt, choice))
	if err != nil {
		t.Fatal(err)
	}
	logp, grad := evaluate(rows, theta)
	if !math.IsInf(logp[0], -1) || grad[0][0] != 0 || grad[3][0] != 0 || math.IsInf(logp[1], -1) || grad[0][1] == 0 {
		t.Errorf("%v, gradient %v", logp[:2], grad)
	}
	theta[0][7] = math.NaN()
	if logp, _ = evaluate(rows, theta); !math.IsNaN(logp[7]) || math.IsNaN(logp[8]) {
		t.Errorf("with a NaN: %v", logp[7:9])
	}
}

func BenchmarkRowsOfParticipant(b *testing.B) {
	o, err := neural.Open("../../../../testdata/teacher/spline")
	if err != nil {
		b.Fatal(err)
	}
	const n = 285
	rt, choice := make([]float64, n), make([]float64, n)
	theta := []float64{0.5, 1, 0.5, 0.25}
	if err := ssm.DDM.Simulate(ssm.NewRand(1, 1), theta, ssm.Scheme{}, rt, choice); err != nil {
		b.Fatal(err)
	}
	rows, err := o.Rows(kernel.Responses(rt, choice))
	if err != nil {
		b.Fatal(err)
	}
	each := kernel.Fixed(theta)
	each[3][0] = 0.2
	each[0] = make([]float64, n)
	for i := range n {
		each[0][i] = 0.5 + 0.2*math.Sin(float64(i))
	}
	logp, grad := evaluate(rows, each)
	for b.Loop() {
		rows.Each(each, logp, grad)
	}
}
