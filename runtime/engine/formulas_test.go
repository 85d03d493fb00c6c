package engine

import (
	"math"
	"testing"

	"likc/runtime/ssm"
)

// Formulas that stand in for the density of a process without a closed form have the distribution of its simulated trials. The bound is
// what one seed in a thousand exceeds, and .005 for the formula's own error.
func TestFormulasHaveTheDistributionOfTheirProcess(t *testing.T) {
	const n = 20_000
	rt, choice := make([]float64, n), make([]float64, n)
	for _, name := range []string{"angle_formula", "weibull_formula", "ornstein_formula"} {
		m, over := timed(t, name)
		s, _ := m.Simulator()
		for i, theta := range Spread(m, 3)[1:] {
			if err := s.Simulate(ssm.NewRand(11, uint64(i)), theta, ssm.BridgeScheme(), rt, choice); err != nil {
				t.Fatal(err)
			}
			if d := distanceFromDensity(over, theta, rt, choice); !(d < 1.95/math.Sqrt(n)+0.005) {
				t.Errorf("%s at %v: simulated trials are %v from the density", name, theta, d)
			}
		}
	}
}
