package bound

import (
	"math"
	"os"
	"testing"

	"likc/runtime/model/kernel"
)

// boundText is a normal density of log times mixed with lapses, whose parameters are bound to others.
const boundText = `model bound {
  trial rt
  choice c
  param m in [-1, 1]
  param s in [0.2, 1]
  param t in [0, 0.4]
  support t < rt
  lower { m = -m }
  loglik = -log(rt - t) - log(s) - ((log(rt - t) - m)/s)^2/2 + 7*s
  normalise
  lapse 0.1 until 8
  bind {
    input m
    input log(s)
    shift m { 0.02 0 0; 0.3 1 1; -0.1 0 2 }
    shift s { 0.1 0 0; 0.05 2 0; -0.03 0 1 }
    shift t { 0.01 0 0; 0.02 1 0 }
  }
}`

// tiltedText is an exponential density whose rate is bound to a parameter and tilted.
const tiltedText = `model tilted {
  trial rt
  param r in [0.5, 2]
  param t in [0, 0.4]
  support t < rt
  loglik = -r*(rt - t) + 3*r
  normalise
  lapse 0.1 until 8
  bind {
    input log(r)
    shift r { 0.1 0; 0.05 2 }
    tilt { 0.3 0; 0.1 1 }
  }
}`

// tiltedDensity returns the log density of tiltedText, written by hand: its rate is the value of the binding function plus the tilt.
func tiltedDensity(rt float64, theta []float64) float64 {
	x := math.Log(theta[0])
	rate := theta[0] + 0.1 + 0.05*(2*x*x-1) + 0.3 + 0.1*x
	density := 0.0
	if rt <= 8 {
		density = 0.1 / 8
	}
	if rt > theta[1] {
		density += 0.9 * rate * math.Exp(-rate*(rt-theta[1]))
	}
	return math.Log(density)
}

// Every engine gives a tilted density and its gradient, as a sum and by rows.
func TestTiltedModel(t *testing.T) {
	m := model(t, tiltedText)
	theta := []float64{1.3, 0.2}
	want := func(theta []float64) (sum float64) {
		for _, rt := range boundTimes[:7] {
			sum += tiltedDensity(rt, theta)
		}
		return sum
	}
	for _, name := range []Engine{Tree, IR, Ready} {
		b, err := Open(m, name)
		if err != nil {
			t.Fatal(name, err)
		}
		defer b.Close()
		lik, err := b.Bind(kernel.Responses(boundTimes[:7], nil), Design{})
		if err != nil {
			t.Fatal(name, err)
		}
		rows, err := b.Rows(kernel.Responses(boundTimes[:7], nil))
		if err != nil {
			t.Fatal(name, err)
		}
		grad, logp := make([]float64, 2), make([]float64, 7)
		each := [][]float64{make([]float64, 7), make([]float64, 7)}
		got := lik.LogLikGrad(theta, grad)
		rows.Each([][]float64{theta[:1], theta[1:]}, logp, each)
		sum := 0.0
		for _, x := range logp {
			sum += x
		}
		if exact := want(theta); !(math.Abs(got-exact) <= 1e-4) || !(math.Abs(sum-exact) <= 1e-4) || lik.Dim() != 2 || rows.Dim() != 2 {
			t.Errorf("%s: %d parameters, %d of rows, log-likelihood %v, sum of rows %v, want %v", name, lik.Dim(), rows.Dim(), got, sum, exact)
		}
		for j := range theta {
			const step = 1e-5
			up, down := append([]float64(nil), theta...), append([]float64(nil), theta...)
			up[j], down[j] = theta[j]+step, theta[j]-step
			d, rowsSum := (want(up)-want(down))/(2*step), 0.0
			for _, x := range each[j] {
				rowsSum += x
			}
			if !(math.Abs(grad[j]-d) <= 1e-3) || !(math.Abs(rowsSum-d) <= 1e-3) {
				t.Errorf("%s: derivative %d is %v, by rows %v, want %v", name, j, grad[j], rowsSum, d)
			}
		}
	}
}

// boundDensity returns the log density of boundText, written by hand.
func boundDensity(rt, choice float64, theta []float64) float64 {
	x, y := theta[0], math.Log(theta[1])
	m := theta[0] + 0.02 + 0.3*x*y - 0.1*(2*y*y-1)
	s := theta[1] + 0.1 + 0.05*(2*x*x-1) - 0.03*y
	t := theta[2] + 0.01 + 0.02*x
	density := 0.0
	if rt <= 8 {
		density = 0.1 / 16
	}
	if rt > t {
		z := (math.Log(rt-t) - choice*m) / s
		density += 0.9 / 2 * math.Exp(-z*z/2) / (math.Sqrt(2*math.Pi) * s * (rt - t))
	}
	return math.Log(density)
}

var (
	boundTimes   = []float64{0.05, 0.3, 0.7, 1.1, 0.55, 3, 0.9, 9.5}
	boundChoices = []float64{1, -1, 1, 1, -1, 1, -1, -1}
	boundPoints  = [][]float64{{0.3, 0.5, 0.1}, {-0.8, 0.3, 0.35}, {0, 0.9, 0}}
)

// Every engine evaluates the density at the values of the binding function, with its gradient. Rows, single trials and the density
// that FindFault uses agree.
func TestBoundModel(t *testing.T) {
	m := model(t, boundText)
	want := func(theta []float64) (sum float64) {
		for i, rt := range boundTimes {
			sum += boundDensity(rt, boundChoices[i], theta)
		}
		return sum
	}
	engines := []Engine{Tree, IR, Ready}
	if os.Getenv("LIKC_LONG") != "" {
		engines = append(engines, Go)
	}
	for _, name := range engines {
		b, err := Open(m, name)
		if err != nil {
			t.Fatal(name, err)
		}
		defer b.Close()
		lik, err := b.Bind(kernel.Responses(boundTimes, boundChoices), Design{})
		if err != nil {
			t.Fatal(name, err)
		}
		for _, theta := range boundPoints {
			if got := lik.LogLik(theta); !(math.Abs(got-want(theta)) <= 3e-5*float64(len(boundTimes))) {
				t.Errorf("%s at %v: %v, want %v", name, theta, got, want(theta))
			}
		}
		if name != Tree { // the engine Tree allocates
			kernel.Check(t, lik, boundPoints, 10)
		}
	}
	b, err := Open(m, Ready)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	rows, err := b.Rows(kernel.Responses(boundTimes, boundChoices))
	if err != nil {
		t.Fatal(err)
	}
	kernel.CheckRows(t, rows, boundPoints)
	single := boundTo(t, m, [][]float64{boundTimes}, boundChoices)
	trial, err := TrialDensity(m, [][]float64{boundTimes}, boundChoices)
	if err != nil {
		t.Fatal(err)
	}
	logp, one := make([]float64, len(boundTimes)), [][]float64{{0}}
	for _, theta := range boundPoints {
		rows.Each(kernel.Fixed(theta), logp, nil)
		for i, rt := range boundTimes {
			want := boundDensity(rt, boundChoices[i], theta)
			single.LogDensity(one, [][]float64{theta}, i)
			for who, got := range map[string]float64{"rows": logp[i], "single trials": one[0][0], "faults": trial(i, theta)} {
				if !(math.Abs(got-want) <= 3e-5) {
					t.Errorf("%s: trial %d at %v: %v, want %v", who, i, theta, got, want)
				}
			}
		}
	}
}

// The mass of the density is 1. Because lapses may come before the onset, trials do not bound t from above.
func TestBoundModelIsDensity(t *testing.T) {
	m := model(t, boundText)
	b, err := Open(m, Ready)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if masses, ok := b.Masses(); !ok || !masses.Normalised() {
		t.Errorf("it %s", masses)
	}
	if m.IsBoundByTrials("t") {
		t.Error("trials bound t")
	}
	params, err := m.Parameters(nil, [][]float64{boundTimes}, boundChoices)
	if err != nil || params[2].Upper != 0.4 {
		t.Errorf("%v, %v: t may lie above the fastest trial, 0.05 s", params, err)
	}
}
