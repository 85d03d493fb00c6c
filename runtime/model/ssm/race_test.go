package ssm

import (
	"math"
	"testing"
)

// TestPositiveNormal checks that rates have the mean of a normal distribution given that it is positive, which is mean + φ/Φ, for positive
// means and for means far below 0.
func TestPositiveNormal(t *testing.T) {
	const n = 200_000
	r := NewRand(5, 0)
	for _, mean := range []float64{1.5, -0.5, -1.5, -6} {
		sum, squares := 0.0, 0.0
		for range n {
			x := positiveNormal(r, mean)
			if !(x > 0) {
				t.Fatalf("mean %v: a rate of %v", mean, x)
			}
			sum, squares = sum+x, squares+x*x
		}
		want := mean + math.Exp(-mean*mean/2)/math.Sqrt(2*math.Pi)/(math.Erfc(-mean/math.Sqrt2)/2)
		got := sum / n
		if se := math.Sqrt((squares/n - got*got) / n); !(math.Abs(got-want) < 4*se) {
			t.Errorf("mean %v: rates have the mean %v ± %v, want %v", mean, got, se, want)
		}
	}
}

// TestCheckBoundaries checks that functions that need two boundaries reject other models, with an error that lists their choices.
func TestCheckBoundaries(t *testing.T) {
	for name, want := range map[string]string{
		"ddm":        "",
		"lba3":       "model lba3: it has the choices 0 to 2; want a model of two boundaries",
		"exgaussian": "model exgaussian: it has one response; want a model of two boundaries",
	} {
		m, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := m.CheckBoundaries(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// A neural likelihood can be trained for any process with several choices.
func TestCheckTeachable(t *testing.T) {
	for name, want := range map[string]string{
		"ddm":        "",
		"weibull":    "",
		"lca2":       "",
		"full_ddm":   "",
		"exgaussian": "model exgaussian: it has one response; want several choices",
	} {
		m, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := m.CheckTeachable(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// A boundary cannot collapse at an angle of π/2 or more.
func TestAcute(t *testing.T) {
	for name, i := range map[string]int{"angle": 4, "race_angle3": 6} {
		m, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		for angle, ok := range map[float64]bool{-0.1: true, 0: true, 1.57: true, 1.58: false, 3: false, -1.6: false} {
			theta := append([]float64(nil), m.Example...)
			theta[i] = angle
			if err := m.Check(theta); (err == nil) != ok {
				t.Errorf("%s: theta = %v: %v", name, angle, err)
			}
		}
	}
}

// TestPositiveNormalFarBelow checks means very far below 0, for which a rate is nearly exponentially distributed with the mean -1/mean.
func TestPositiveNormalFarBelow(t *testing.T) {
	r := NewRand(5, 0)
	for _, mean := range []float64{-1e9, -1e155, -1e300, -math.MaxFloat64} {
		const n = 1000
		sum := 0.0
		for range n {
			sum += -mean * positiveNormal(r, mean) / n
		}
		if !(math.Abs(sum-1) < 4/math.Sqrt(n)) {
			t.Errorf("mean %v: rates have the mean %v / %v, want 1", mean, sum, -mean)
		}
	}
}

// TestAlike checks that the accumulators of a race count as alike only if the field Each lists the parameters of each accumulator, and
// that a model is invalid if an accumulator lacks such a parameter.
func TestAlike(t *testing.T) {
	m := Model{Name: "m", Process: "p", Cites: "c", Params: []Param{{Name: "v0", Upper: 1}, {Name: "v1", Upper: 1}}, Choices: []float64{0, 1}, Example: []float64{0, 0},
		Sampler: func([]float64) Sampler { return nil }}
	if m.Alike() || m.CheckTeachable() != nil {
		t.Error(m.Alike(), m.CheckTeachable())
	}
	m.Each = []string{"v"}
	if !m.Alike() || m.broken() != nil {
		t.Error(m.Alike(), m.broken())
	}
	m.Each = []string{"v", "b"}
	if err := m.broken(); err == nil || err.Error() != "ssm: model m: its parameters [v b] are not numbered 0 to 1, one for each accumulator" {
		t.Error(err)
	}
	m.Each, m.Choices = []string{"v"}, []float64{1, -1}
	if m.broken() == nil {
		t.Error("two boundaries that each have a parameter")
	}
}
