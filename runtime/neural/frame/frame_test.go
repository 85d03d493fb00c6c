package frame

import (
	"math"
	"testing"

	"likc/runtime/ssm"
)

// TestFrame: inputs run over [-1, 1], and gradients go back through them and through the reflection.
func TestFrame(t *testing.T) {
	for _, m := range ssm.Models() {
		f := New(m)
		low, high := make([]float64, m.Dim()), make([]float64, m.Dim())
		for i, p := range m.Params {
			low[i], high[i] = p.Lower, p.Upper
		}
		inputs, onset := m.Dim(), 0.0
		if i := m.Index(m.Onset); i >= 0 {
			inputs, onset = inputs-1, m.Params[i].Lower
		}
		if f.Inputs() != inputs || f.Onset(low) != onset {
			t.Errorf("%s: %d inputs, the onset is %q", m.Name, f.Inputs(), m.Onset)
		}
		x, y := make([]float64, f.Inputs()), make([]float64, f.Inputs())
		f.Fill(x, low)
		f.Fill(y, high)
		for i := range x {
			if !(math.Abs(x[i]+1) <= 1e-12) || !(math.Abs(y[i]-1) <= 1e-12) {
				t.Errorf("%s: input %d runs from %v to %v", m.Name, i, x[i], y[i])
			}
		}
		checkGradient(t, f, low)
	}
}

// checkGradient is of Σ (i+1)·input.
func checkGradient(t *testing.T, f *Frame, theta []float64) {
	t.Helper()
	dx, x, at := make([]float64, f.Inputs()), make([]float64, f.Inputs()), make([]float64, len(theta))
	for i := range dx {
		dx[i] = float64(i + 1)
	}
	for _, reflected := range []bool{false, true} {
		value := func() (sum float64) {
			copy(at, theta)
			if reflected {
				f.Model.Reflect(at, at)
			}
			f.Fill(x, at)
			for i, v := range x {
				sum += dx[i] * v
			}
			return sum
		}
		grad := make([]float64, len(theta))
		f.AddGradient(grad, dx, reflected)
		before := value()
		for i := range theta {
			theta[i] += 0.5
			if d := (value() - before) / 0.5; !(math.Abs(d-grad[i]) <= 1e-9) {
				t.Errorf("%s, reflected %v: derivative in %s is %v, want %v", f.Model.Name, reflected, f.Model.Params[i].Name, grad[i], d)
			}
			theta[i] -= 0.5
		}
	}
}

// TestNoOnset: a process without an onset gives all of its parameters to networks, and begins at 0.
func TestNoOnset(t *testing.T) {
	f := New(&ssm.Model{Name: "race", Params: []ssm.Param{{Name: "k", Lower: 1, Upper: 3, Domain: ssm.Positive}}})
	theta, x, grad := []float64{2.5}, []float64{0}, []float64{0}
	f.Fill(x, theta)
	f.AddOnset(grad, 7)
	if f.Inputs() != 1 || x[0] != 0.5 || f.Onset(theta) != 0 || grad[0] != 0 || f.Outside(theta, 0.1) != 0 {
		t.Errorf("%d inputs %v, onset %v, gradient %v", f.Inputs(), x, f.Onset(theta), grad)
	}
}
