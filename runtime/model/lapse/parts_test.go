package lapse

import (
	"math"
	"testing"
)

// TestExtreme checks cases where exp(logF) overflows or underflows: the mixture is (1-p)·f, and the test also
// compares its share of f and its derivative with respect to p.
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

// TestWindow checks that times are uniform in the window.
func TestWindow(t *testing.T) {
	w := Window{0.5, 2.5}
	for p, want := range map[float64]float64{0: 0.5, 0.25: 1, 0.75: 2, 1: 2.5} {
		if rt := w.Quantile(p); rt != want || math.Abs(w.After(rt)-(1-p)) > 1e-15 || w.Density(rt) != 0.5 {
			t.Errorf("the share %v comes before %v, want %v; after it %v come, with the density %v", p, rt, want, w.After(rt), w.Density(rt))
		}
	}
	for _, rt := range []float64{0.4, 2.6} {
		if w.Density(rt) != 0 {
			t.Errorf("there are lapses at %v", rt)
		}
	}
	again, err := ParseTimes(w.Text())
	if err != nil || again != Times(w) {
		t.Errorf("%q is read as %v, %v", w.Text(), again, err)
	}
	if got := (Window{Low: 0.5}).ForData(3); got != Times(Window{0.5, 3}) {
		t.Errorf("to the largest response time: %v", got)
	}
}
