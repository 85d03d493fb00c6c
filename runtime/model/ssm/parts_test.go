package ssm

import (
	"math"
	"testing"
)

// TestBoundaries checks boundaries that collapse, at times at which they are easily computed by hand.
func TestBoundaries(t *testing.T) {
	bound := func(name string, theta []float64, tau float64) float64 {
		m, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		return m.Diffusion(theta).Bound(tau)
	}
	weibull := []float64{1, 1.5, 0.5, 0.3, 2, 3}
	angle := []float64{1, 1.5, 0.5, 0.3, math.Pi / 4}
	for _, c := range []struct {
		name      string
		theta     []float64
		tau, want float64
	}{
		{"weibull", weibull, 0, 1.5}, {"weibull", weibull, 3, 1.5 / math.E}, {"weibull", weibull, 6, 1.5 * math.Exp(-4)},
		{"angle", angle, 0, 1.5}, {"angle", angle, 1, 0.5}, {"angle", angle, 2, 0},
	} {
		if got := bound(c.name, c.theta, c.tau); !(math.Abs(got-c.want) <= 1e-14) {
			t.Errorf("%s at %v s: %v, want %v", c.name, c.tau, got, c.want)
		}
	}
}

// TestJitterIsHalfAStep checks that the decision time of a walk that ends at its first step is uniform within half a step of that step's
// length.
func TestJitterIsHalfAStep(t *testing.T) {
	const step = 0.5
	r := NewRand(4, 4)
	e := euler{Diffusion{Onset: 1, Bound: func(tau float64) float64 {
		if tau > 0 {
			return 0
		}
		return 1
	}, Drift: steady(0)}, step, 20}
	low, high, mean, upper := math.Inf(1), math.Inf(-1), 0.0, 0
	const n = 4000
	for range n {
		rt, choice := e.draw(r)
		low, high, mean = min(low, rt), max(high, rt), mean+rt/n
		if choice > 0 {
			upper++
		}
	}
	deviation := step / math.Sqrt(12*n)
	if low < 1.25 || high > 1.75 || !(math.Abs(mean-1.5) <= 4*deviation) || math.Abs(float64(upper)-n/2) > 4*math.Sqrt(n)/2 {
		t.Errorf("times from %v to %v, mean %v; %d of %d at the upper boundary", low, high, mean, upper, n)
	}
}

// TestInfinitiesHaveNoDensity checks that the density is NaN if an argument is NaN, and 0 if arguments are infinite.
func TestInfinitiesHaveNoDensity(t *testing.T) {
	inf := math.Inf(1)
	for _, theta := range [][]float64{{inf, 1, 0.5, math.Inf(-1)}, {1, inf, 0.5, 0.1}, {math.Inf(-1), 1, 0.5, 0.1}} {
		if got := DDM.LogDensity(1, 1, theta); !math.IsInf(got, -1) {
			t.Errorf("at %v: %v", theta, got)
		}
	}
	if got := DDM.LogDensity(inf, 1, []float64{math.Inf(-1), 1, 0.5, 0.1}); !math.IsInf(got, -1) {
		t.Errorf("after an infinite time: %v", got)
	}
	if got := DDM.LogDensity(1, 1, []float64{1, math.NaN(), 0.5, 0.1}); !math.IsNaN(got) {
		t.Errorf("of NaN: %v", got)
	}
}
