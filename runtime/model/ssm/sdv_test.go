package ssm

import (
	"math"
	"slices"
	"testing"

	"likc/testdata/reference"
)

func sdv(t *testing.T) *Model {
	t.Helper()
	m, err := Lookup("ddm_sdv")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestVaryingDriftAgainstReference compares densities with those by numerical integration over the drift, and gradients with numerical
// derivatives.
func TestVaryingDriftAgainstReference(t *testing.T) {
	m, n := sdv(t), 0
	for i, row := range reference.Rows(t, "densities/full_ddm_reference.csv") {
		if number(t, row, "sz") != 0 || number(t, row, "st") != 0 {
			continue
		}
		n++
		theta := append(referenceTheta(t, row), number(t, row, "sv"))
		rt, choice, want := number(t, row, "rt"), number(t, row, "choice"), number(t, row, "logp")
		grad := make([]float64, 5)
		if got := m.LogDensityGrad(rt, choice, theta, grad); !(relative(got, want) <= 1e-8) {
			t.Errorf("row %d: %v, want %v", i+2, got, want)
		}
		for j, got := range grad {
			h := 1e-4 * min(1, rt-theta[3])
			at := func(step float64) float64 {
				moved := slices.Clone(theta)
				moved[j] += step * h
				return m.LogDensity(rt, choice, moved)
			}
			if central := (8*(at(1)-at(-1)) - (at(2) - at(-2))) / (12 * h); !(relative(got, central) <= 1e-6) {
				t.Errorf("row %d: d/d%s is %v, want %v", i+2, m.Params[j].Name, got, central)
			}
		}
	}
	if n < 40 {
		t.Errorf("%d rows with a varying drift alone", n)
	}
}

// TestVaryingDriftWithoutVariation checks that ddm_sdv with sv = 0 is ddm, and that the same responses as in ddm have probability 0.
func TestVaryingDriftWithoutVariation(t *testing.T) {
	m := sdv(t)
	for _, c := range []struct{ rt, choice, v, a, z, t float64 }{{0.8, 1, 1.2, 0.9, 0.4, 0.2}, {2.5, -1, -2, 1.6, 0.7, 0.3}, {0.2, 1, 0, 1, 0.5, 0.2}, {1, 0, 0, 1, 0.5, 0.2}} {
		theta, grad, want := []float64{c.v, c.a, c.z, c.t, 0}, make([]float64, 5), make([]float64, 4)
		got, exact := m.LogDensityGrad(c.rt, c.choice, theta, grad), DDM.LogDensityGrad(c.rt, c.choice, theta[:4], want)
		if got != exact && !(math.Abs(got-exact) <= 1e-13) {
			t.Errorf("%+v: %v, want %v", c, got, exact)
		}
		for j := range want {
			if !(math.Abs(grad[j]-want[j]) <= 1e-12*math.Max(1, math.Abs(want[j]))) {
				t.Errorf("%+v: derivative %d is %v, want %v", c, j, grad[j], want[j])
			}
		}
	}
}
