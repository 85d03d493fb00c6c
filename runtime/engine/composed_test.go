package engine

import (
	"math"
	"os"
	"testing"

	"likc/runtime/likelihood"
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
    input log s
    hidden { 0.1 0.5 -0.3; -0.2 0.4 0.6; 0.3 -0.7 0.2 }
    shift m { 0.02 0.3 -0.2 0.1 }
    shift s { 0.1 0.02 0.05 -0.03 }
    shift t { 0.01 0.02 0.01 -0.02 }
  }
}`

// boundDensity is that density, written by hand.
func boundDensity(rt, choice float64, theta []float64) float64 {
	x, y := theta[0], math.Log(theta[1])
	h := []float64{math.Tanh(0.1 + 0.5*x - 0.3*y), math.Tanh(-0.2 + 0.4*x + 0.6*y), math.Tanh(0.3 - 0.7*x + 0.2*y)}
	m := theta[0] + 0.02 + 0.3*h[0] - 0.2*h[1] + 0.1*h[2]
	s := theta[1] + 0.1 + 0.02*h[0] + 0.05*h[1] - 0.03*h[2]
	t := theta[2] + 0.01 + 0.02*h[0] + 0.01*h[1] - 0.02*h[2]
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

// Every engine gives the density at the binding function and its gradient; so do rows, single trials and what faults are found with.
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
		lik, err := b.Bind([][]float64{boundTimes}, boundChoices)
		if err != nil {
			t.Fatal(name, err)
		}
		for _, theta := range boundPoints {
			if got := lik.LogLik(theta); !(math.Abs(got-want(theta)) <= 3e-5*float64(len(boundTimes))) {
				t.Errorf("%s at %v: %v, want %v", name, theta, got, want(theta))
			}
		}
		if name != Tree { // which allocates
			likelihood.Check(t, lik, boundPoints, 10)
		}
	}
	b, err := Open(m, Ready)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	rows, err := b.Rows([][]float64{boundTimes}, boundChoices)
	if err != nil {
		t.Fatal(err)
	}
	likelihood.CheckRows(t, rows, boundPoints)
	single, err := NewPointwise(m, [][]float64{boundTimes}, boundChoices)
	if err != nil {
		t.Fatal(err)
	}
	trial, err := TrialDensity(m, [][]float64{boundTimes}, boundChoices)
	if err != nil {
		t.Fatal(err)
	}
	logp, one := make([]float64, len(boundTimes)), [][]float64{{0}}
	for _, theta := range boundPoints {
		rows.Each(likelihood.Fixed(theta), logp, nil)
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

// The mass of the density is 1, and a lapse before the onset bounds no parameter.
func TestBoundModelIsDensity(t *testing.T) {
	m := model(t, boundText)
	b, err := Open(m, Ready)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if masses, ok := b.Masses(m); !ok || !masses.Normalised() {
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
