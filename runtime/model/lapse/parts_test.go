package lapse

import (
	"math"
	"testing"
)

// TestExtreme: where exp(logF) is too large or too small for a number, the mixture is (1-p)·f, with its share of f and its slope in p.
func TestExtreme(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		logF, p, u          float64
		value, share, slope float64
	}{
		{800, 0.3, 0.1, 800 + math.Log(0.7), 1, -1 / 0.7},
		{-800, 0, 0.1, -800, 1, math.MaxFloat64}, // u/f
		{-700, 0, 0.1, -700, 1, 0.1 * math.Exp(700)},
		{-inf, 0.3, 0, -inf, 0, 0},
		{800, 1, 0, -inf, 0, 0},
		{800, 1.5, 0.1, nan, 0, 0},
		{800, -0.5, 0.1, nan, 0, 0},
	} {
		value, share, slope := extreme(c.logF, c.p, c.u)
		same := value == c.value || math.IsNaN(value) && math.IsNaN(c.value) || math.Abs(value-c.value) <= 1e-12
		if !same || share != c.share || !(math.Abs(slope-c.slope) <= 1e-15*math.Abs(c.slope)) {
			t.Errorf("extreme(%v, %v, %v) = %v, %v, %v, want %v, %v, %v", c.logF, c.p, c.u, value, share, slope, c.value, c.share, c.slope)
		}
	}
}

// TestLapsesFillTheWindow: lapses lie evenly in the window, half of them at the upper boundary.
func TestLapsesFillTheWindow(t *testing.T) {
	x := mix(t, "ddm", Window{0.5, 2.5})
	for _, c := range []struct {
		first, second, rt float64
		choice            int
	}{{0, 0.1, 0.5, 0}, {0.25, 0.4999, 1, 0}, {0.75, 0.5, 2, 1}, {1, 0.9, 2.5, 1}} {
		if rt, choice := x.lapse(c.first, c.second); rt != c.rt || choice != c.choice {
			t.Errorf("lapse(%v, %v) = %v, %v, want %v, %v", c.first, c.second, rt, choice, c.rt, c.choice)
		}
	}
}
