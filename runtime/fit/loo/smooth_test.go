package loo

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSmooth gives draws of a normal with a standard deviation sd weights for the standard normal. Its moments come out, unless the draws are too
// narrow, which the shape of the weights' tail shows: it is 1 - sd² there, 0.91 for 0.3.
func TestSmooth(t *testing.T) {
	for _, c := range []struct {
		sd   float64
		good bool
	}{{1.3, true}, {1, true}, {0.3, false}} {
		const n = 20000
		sd, good, r := c.sd, c.good, rand.New(rand.NewPCG(3, 4))
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
