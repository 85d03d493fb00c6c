package frame

import (
	"math"
	"testing"

	"likc/runtime/model/kernel"
	"likc/runtime/model/ssm"

	"github.com/google/go-cmp/cmp"
)

// TestFrame checks that inputs have the range [-1, 1], and that gradients agree with finite differences, through the views of all choices.
func TestFrame(t *testing.T) {
	for _, m := range ssm.Models() {
		f := New(m)
		low, high := make([]float64, m.Dim()), make([]float64, m.Dim())
		for i, p := range m.Params {
			low[i], high[i] = p.Lower, p.Upper
		}
		inputs := m.Dim()
		if m.ShiftIndex() >= 0 {
			inputs--
		}
		if f.Inputs() != inputs || f.Onset(low) != m.Earliest(low) || f.Onset(high) != m.Earliest(high) {
			t.Errorf("%s: %d inputs, the onset is %q", m.Name, f.Inputs(), m.Onset)
		}
		x, y := make([]float64, f.Inputs()), make([]float64, f.Inputs())
		f.Fill(x, low, 0)
		f.Fill(y, high, 0)
		for i := range x {
			if !(math.Abs(x[i]+1) <= 1e-12) || !(math.Abs(y[i]-1) <= 1e-12) {
				t.Errorf("%s: input %d runs from %v to %v", m.Name, i, x[i], y[i])
			}
		}
		checkGradient(t, f, low)
	}
}

// checkGradient compares the gradient of Σ (i+1)·input[i] with finite differences.
func checkGradient(t *testing.T, f *Frame, theta []float64) {
	t.Helper()
	dx, x, at := make([]float64, f.Inputs()), make([]float64, f.Inputs()), make([]float64, len(theta))
	for i := range dx {
		dx[i] = float64(i + 1)
	}
	for k := range f.Model.Choices {
		value := func() (sum float64) {
			f.View(at, theta, k)
			f.Fill(x, at, k)
			for i, v := range x {
				sum += dx[i] * v
			}
			return sum
		}
		grad := make([]float64, len(theta))
		f.AddGradient(grad, dx, k)
		before := value()
		for i := range theta {
			theta[i] += 0.5
			if d := (value() - before) / 0.5; !(math.Abs(d-grad[i]) <= 1e-9) {
				t.Errorf("%s, choice number %d: derivative in %s is %v, want %v", f.Model.Name, k, f.Model.Params[i].Name, grad[i], d)
			}
			theta[i] -= 0.5
		}
	}
}

// TestView checks that the view of the lower boundary is the reflected parameters, and that the view of accumulator k has the parameters
// of accumulator k first, followed by those of the next ones.
func TestView(t *testing.T) {
	for _, c := range []struct {
		model       string
		k           int
		theta, want []float64
	}{
		{"ddm", 0, []float64{1, 2, 0.25, 0.3}, []float64{1, 2, 0.25, 0.3}},
		{"ddm", 1, []float64{1, 2, 0.25, 0.3}, []float64{-1, 2, 0.75, 0.3}},
		{"race_angle3", 1, []float64{0.1, 0.2, 0.3, 1, 0.5, 0.4, 0.6}, []float64{0.2, 0.3, 0.1, 1, 0.5, 0.4, 0.6}},
		{"lnr4", 3, []float64{1, 2, 3, 4, 0.5, 0.1}, []float64{4, 1, 2, 3, 0.5, 0.1}},
	} {
		m, err := ssm.Lookup(c.model)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float64, m.Dim())
		New(m).View(got, c.theta, c.k)
		if !cmp.Equal(got, c.want) {
			t.Errorf("%s, choice number %d: %v, want %v", c.model, c.k, got, c.want)
		}
	}
}

// TestOnsetOfTrials checks that with uniform onsets the frame's onset is the earliest one: the middle minus half the width.
func TestOnsetOfTrials(t *testing.T) {
	m, err := ssm.Lookup("full_ddm")
	if err != nil {
		t.Fatal(err)
	}
	f, grad := New(m), make([]float64, m.Dim())
	theta := []float64{1, 1, 0.5, 0.4, 0.5, 0.1, 0.2}
	f.AddOnset(grad, 6)
	if want := []float64{0, 0, 0, 6, 0, 0, -3}; !cmp.Equal(grad, want) {
		t.Errorf("gradient %v, want %v", grad, want)
	}
	rows := kernel.Fixed(theta)
	rows[6] = []float64{0.2, 0.1}
	for i, want := range []float64{0.3, 0.35} {
		if got := f.OnsetOf(rows, i); math.Abs(got-want) > 1e-15 {
			t.Errorf("row %d: onset %v, want %v", i, got, want)
		}
	}
	if f.Outside(theta, 0.31) != 0 || !math.IsInf(f.Outside(theta, 0.3), -1) {
		t.Error("trials from 0.3 s on are outside, later ones are not")
	}
}

// TestNoOnset checks that for a process without an onset all parameters are inputs of networks, and the onset is 0.
func TestNoOnset(t *testing.T) {
	f := New(&ssm.Model{Name: "race", Choices: []float64{1}, Params: []ssm.Param{{Name: "k", Lower: 1, Upper: 3, Domain: ssm.Positive}}})
	theta, x, grad := []float64{2.5}, []float64{0}, []float64{0}
	f.Fill(x, theta, 0)
	f.AddOnset(grad, 7)
	if f.Inputs() != 1 || x[0] != 0.5 || f.Onset(theta) != 0 || grad[0] != 0 || f.Outside(theta, 0.1) != 0 {
		t.Errorf("%d inputs %v, onset %v, gradient %v", f.Inputs(), x, f.Onset(theta), grad)
	}
}
