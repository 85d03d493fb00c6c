package loo

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSmooth: with weights normal(1)/normal(s) on draws of a normal with sd s, moments of the standard normal come out; draws that are too narrow
// are known by the shape.
func TestSmooth(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for sd, good := range map[float64]bool{1.3: true, 1: true, 0.45: false} {
		const n = 2000
		x, w := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = sd * r.NormFloat64()
			w[i] = -x[i]*x[i]/2 + x[i]*x[i]/(2*sd*sd) + 1000
		}
		shape := Smooth(w)
		if got := shape <= Threshold(n); got != good {
			t.Errorf("sd %v: shape %v", sd, shape)
		}
		total, mean, square := 0.0, 0.0, 0.0
		for i := range w {
			p := math.Exp(w[i])
			total, mean, square = total+p, mean+p*x[i], square+p*x[i]*x[i]
		}
		if math.Abs(total-1) > 1e-9 || good && (math.Abs(mean) > 0.1 || math.Abs(square-1) > 0.1) {
			t.Errorf("sd %v: sum %v, mean %v, mean square %v", sd, total, mean, square)
		}
	}
	for _, w := range [][]float64{{math.Inf(-1), math.Inf(-1)}, make([]float64, 4)} {
		if shape := Smooth(w); math.IsInf(shape, 1) != math.IsInf(w[0], -1) {
			t.Errorf("weights %v: shape %v", w, shape)
		}
	}
}
