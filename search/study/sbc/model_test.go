package sbc

import (
	"math"
	"testing"

	"likc/runtime/model/catalog"
	"likc/runtime/num/quadrature"
	"likc/search/study"
)

// TestIntegral: the compiled integral equals adaptive quadrature of the expression, and its gradient equals differences of the
// quadrature. The log-normal density is normalised, so its log Z is 0.
func TestIntegral(t *testing.T) {
	for name, thetas := range map[string][][]float64{
		"expr2":     {{1, 1.2, 0.45, 0.3}, {-2.5, 2.4, 0.88, 1.9}, {0.1, 0.31, 0.12, 0}},
		"expr3":     {{1, 1.2, 0.45, 0.3}, {-2.5, 2.4, 0.88, 1.9}},
		"lognormal": {{0.3, 0.5}, {-1.5, 1}},
	} {
		src, err := catalog.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		g, done, err := newGenerator(t.Context(), src)
		if err != nil {
			t.Fatal(err)
		}
		logZ := func(theta []float64) float64 {
			return quadrature.AdaptiveLogZ(g.density, theta, g.choices, gridFrom, gridTo)
		}
		for _, theta := range thetas {
			grad := make([]float64, len(theta))
			z := g.z.LogLikGrad(theta, grad)
			if want := logZ(theta); math.Abs(math.Log(z)-want) > 1e-7 || name == "lognormal" && math.Abs(want) > 1e-7 {
				t.Errorf("%s at %v: log Z is %v, quadrature says %v", name, theta, math.Log(z), want)
			}
			for j := range theta {
				const h = 1e-4
				at := append([]float64(nil), theta...)
				at[j] += h
				up := logZ(at)
				at[j] -= 2 * h
				if want := (up - logZ(at)) / (2 * h); math.Abs(grad[j]/z-want) > 1e-4*max(1, math.Abs(want)) {
					t.Errorf("%s at %v: ∂%d log Z is %v, differences say %v", name, theta, j, grad[j]/z, want)
				}
			}
		}
		if err := done(); err != nil {
			t.Error(err)
		}
	}
}

// BenchmarkIntegral times log Z and its gradient.
func BenchmarkIntegral(b *testing.B) {
	src, err := catalog.Open("expr2")
	if err != nil {
		b.Fatal(err)
	}
	g, done, err := newGenerator(b.Context(), src)
	if err != nil {
		b.Fatal(err)
	}
	defer done()
	theta, grad := []float64{1, 1.2, 0.45, 0.3}, make([]float64, 4)
	for b.Loop() {
		g.z.LogLikGrad(theta, grad)
	}
}

// TestProcess: with trials of the process, found31 is shown to be biased, and ddm is not.
func TestProcess(t *testing.T) {
	s := DefaultSettings()
	s.Simulations, s.Trials, s.Warmup, s.Draws, s.Process = 30, 300, 150, 100, true
	for name, honest := range map[string]bool{"ddm": true, "found31": false} {
		src, err := catalog.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Calibrate(t.Context(), src, s, study.Where{})
		if err != nil {
			t.Fatal(err)
		}
		if all := got.All.Inside == len(got.All.Params); all != honest || got.Failed > 0 {
			t.Errorf("%s: %d parameters inside the band, %d failed", name, got.All.Inside, got.Failed)
		}
	}
	src, err := catalog.Open("lognormal")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(t.Context(), src, true); err == nil {
		t.Error("trials of a model without a process")
	}
}
