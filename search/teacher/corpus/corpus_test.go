package corpus

import (
	"context"
	"math"
	"strings"
	"testing"

	"likc/runtime/ssm"
	"likc/search/bank"
)

func made(t *testing.T, seed uint64) *bank.Bank {
	t.Helper()
	s, err := bank.NewSettings("teacher-train", "ddm", "exact", seed)
	if err != nil {
		t.Fatal(err)
	}
	s.Subjects = 41
	b, err := bank.Make(context.Background(), s, 1)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSplitBySubject(t *testing.T) {
	b := made(t, 1)
	c, err := New(b)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Train) != 30 || len(c.Validation) != 11 {
		t.Errorf("%d subjects train and %d validate", len(c.Train), len(c.Validation))
	}
	trials := 0
	for i, s := range append(c.Train, c.Validation...) {
		trials += len(s.Upper) + len(s.Lower)
		if s.Theta[0] != b.Subjects[i].Theta[0] {
			t.Errorf("subject %d is another", i)
		}
	}
	if trials != b.Counts.Kept || c.Trials != trials {
		t.Errorf("%d trials of %d", trials, b.Counts.Kept)
	}
}

func TestEarlyTrialsAreRefused(t *testing.T) {
	b := made(t, 1)
	b.Subjects[7].RT[3] = b.Subjects[7].Theta[3]
	if _, err := New(b); err == nil || !strings.Contains(err.Error(), "subject 7") {
		t.Errorf("got %v", err)
	}
}

func TestHash(t *testing.T) {
	b := made(t, 1)
	first := Hash(b)
	if again := Hash(made(t, 1)); again != first {
		t.Error("the same bank has two hashes")
	}
	if other := Hash(made(t, 2)); other == first {
		t.Error("two banks have one hash")
	}
	b.Subjects[40].RT[19] = math.Nextafter(b.Subjects[40].RT[19], 1)
	if Hash(b) == first {
		t.Error("a changed response time is not seen")
	}
}

// TestFrame: inputs run over [-1, 1], and gradients go back through them and through the reflection.
func TestFrame(t *testing.T) {
	for _, m := range ssm.Models() {
		f := NewFrame(m)
		low, high := make([]float64, m.Dim()), make([]float64, m.Dim())
		for i, p := range m.Params {
			low[i], high[i] = p.Lower, p.Upper
		}
		if f.Inputs() != m.Dim()-1 || m.Params[f.Shift].Name != "t" {
			t.Errorf("%s: %d inputs without %s", m.Name, f.Inputs(), m.Params[f.Shift].Name)
		}
		x, y := make([]float64, f.Inputs()), make([]float64, f.Inputs())
		f.Fill(x, low)
		f.Fill(y, high)
		for i := range x {
			if math.Abs(x[i]+1) > 1e-12 || math.Abs(y[i]-1) > 1e-12 {
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
			if d := (value() - before) / 0.5; math.Abs(d-grad[i]) > 1e-9 {
				t.Errorf("%s, reflected %v: derivative in %s is %v, want %v", f.Model.Name, reflected, f.Model.Params[i].Name, grad[i], d)
			}
			theta[i] -= 0.5
		}
	}
}
