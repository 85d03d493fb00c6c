package bound

import (
	"fmt"
	"math"
	"testing"

	"likc/testdata/reference"
)

// Models of one response agree with log densities and gradients at 40 digits.
func TestOneResponseAgreesWithReference(t *testing.T) {
	for _, name := range []string{"exwald", "shifted_gamma", "lognormal_mixture"} {
		m, _ := timed(t, name)
		theta := make([]float64, len(m.Params))
		for i, row := range reference.Rows(t, "densities/"+name+"_reference.csv") {
			for j, p := range m.ParamNames() {
				theta[j] = number(t, row, p)
			}
			got, grad := rowGradient(t, m.Model, number(t, row, "rt"), 0, theta)
			what := fmt.Sprintf("%s_reference.csv row %d", name, i+2)
			if want := number(t, row, "logp"); !(math.Abs(got-want) <= 1e-8*math.Max(1, math.Abs(want))) {
				t.Errorf("%s: log density %v, want %v", what, got, want)
			}
			for j, p := range m.ParamNames() {
				if want := number(t, row, "dlogp_d"+p); !(math.Abs(grad[j]-want) <= 1e-6*math.Max(1, math.Abs(want))) {
					t.Errorf("%s: d/d%s is %v, want %v", what, p, grad[j], want)
				}
			}
		}
	}
}

// TestMixtureOfOneKind checks lognormal_mixture at p = 0 and p = 1, where all trials come from one component.
// The value is that component's, and the derivative with respect to p is the difference of the two densities
// divided by that component's density.
func TestMixtureOfOneKind(t *testing.T) {
	m, _ := timed(t, "lognormal_mixture")
	const mean, apart, sd, shift = -1, 1, 0.4, 0.1
	density := func(tau, mean float64) float64 {
		x := (math.Log(tau) - mean) / sd
		return math.Exp(-x*x/2) / (sd * tau * math.Sqrt(2*math.Pi))
	}
	for _, rt := range []float64{0.15, 0.5, 3} {
		fast, slow := density(rt-shift, mean), density(rt-shift, mean+apart)
		for p, want := range map[float64]float64{0: fast, 1: slow} {
			got, grad := rowGradient(t, m.Model, rt, 0, []float64{p, mean, apart, sd, shift})
			if slope := (slow - fast) / want; !(math.Abs(got-math.Log(want)) <= 1e-12) || !(math.Abs(grad[0]/slope-1) <= 1e-12) {
				t.Errorf("p = %v at %v s: log density %v and slope %v; want %v and %v", p, rt, got, grad[0], math.Log(want), slope)
			}
		}
	}
}
