package bound

import (
	"math"
	"slices"
	"testing"

	"likc/runtime/model/catalog"
	"likc/runtime/model/ssm"
)

func timed(t testing.TB, name string) (*catalog.Model, *Timed) {
	t.Helper()
	m, err := catalog.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open(m, Ready)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	over, err := b.Timed()
	if err != nil {
		t.Fatal(err)
	}
	return m, over
}

// Densities have mass one at points all over their ranges. The leading term of a series for the density has another mass.
func TestMass(t *testing.T) {
	for _, name := range []string{"ddm", "lognormal", teacherFolder("spline")} {
		m, over := timed(t, name)
		for _, theta := range Spread(m, 12) {
			if mass, err := over.Mass(theta); err != nil || !(math.Abs(mass-1) <= 1e-4) {
				t.Errorf("%s at %v: mass %v, %v", name, theta, mass, err)
			}
		}
	}
	_, over := timed(t, "wald")
	if mass, err := over.Mass([]float64{1, 1, 0.5, 0.2}); err == nil && math.Abs(mass-1) < 0.05 {
		t.Errorf("the leading term alone has mass %v", mass)
	}
}

// Trials that are drawn from the density have the same distribution as trials that the process simulates.
func TestSimulateFromDensity(t *testing.T) {
	_, over := timed(t, "ddm")
	theta := []float64{0.7, 1.1, 0.4, 0.3}
	const n = 20000
	rt, choice := make([]float64, n), make([]float64, n)
	if err := over.Simulate(ssm.NewRand(1, 2), theta, rt, choice); err != nil {
		t.Fatal(err)
	}
	var signed []float64 // rt, negative at the lower boundary
	for i := range rt {
		signed = append(signed, rt[i]*choice[i])
	}
	slices.Sort(signed)
	worst := 0.0
	lower := ssm.DDM.CDF(math.Inf(1), -1, theta)
	for i, x := range signed {
		p := lower + ssm.DDM.CDF(x, 1, theta)
		if x < 0 {
			p = lower - ssm.DDM.CDF(-x, -1, theta)
		}
		worst = max(worst, math.Abs(p-float64(i)/n), math.Abs(p-float64(i+1)/n))
	}
	if worst*math.Sqrt(n) > 1.63 { // 1 % of samples of a correct distribution exceed this
		t.Errorf("Kolmogorov's distance is %v √n", worst*math.Sqrt(n))
	}
}

func TestTimedRefuses(t *testing.T) {
	m, err := catalog.Open("drift")
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open(m, Ready)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := b.Timed(); err == nil {
		t.Error("a model of two columns is integrated over one")
	}
}

// TestMassesInWords compares descriptions of masses; equal masses are given once.
func TestMassesInWords(t *testing.T) {
	nan := math.NaN()
	for want, m := range map[string]Masses{
		"integrates to 1 over time and all choices, at 2 points of the ranges":                                                            {1, 1},
		"not normalised: integrates to 2 over time and all choices, at 1 point of the ranges":                                             {2},
		"not normalised: integrates to 1.5 to 2 over time and all choices, at 3 points of the ranges":                                     {2, 1.5, 1.75},
		"not normalised: integrates to 1 over time and all choices, at 3 points of the ranges, and is infinite or undefined at 2 of them": {nan, 1, nan},
		"cannot be normalised: its integral over time is infinite, zero or undefined at 2 points of the ranges":                           {nan, nan},
	} {
		if got := m.String(); got != want {
			t.Errorf("%v: %s, want %s", m, got, want)
		}
	}
}
