package loo

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
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

// TestSmoothLeavesTheBody: of S independent weights the 3·√S largest are smoothed, here 300 of 10,000. The ratios of the others stay,
// and so does the largest weight, because the last quantile is beyond it.
func TestSmoothLeavesTheBody(t *testing.T) {
	const n, longest = 10000, 300
	before := noise(n, 6)
	after := slices.Clone(before)
	Smooth(after)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(before[a], before[b]) })
	changed := 0
	for at, i := range order {
		moved := math.Abs(after[i] - before[i] - (after[order[0]] - before[order[0]]))
		if moved <= 1e-9 {
			continue
		}
		if changed++; at < n-longest {
			t.Errorf("the weight of rank %d is changed by %v", at+1, moved)
		}
	}
	if changed != longest-1 {
		t.Errorf("%d weights are changed, want %d", changed, longest-1)
	}
}

// TestQuantiles compares with distribution functions that have a closed form: the exponential distribution for the shape 0, a ratio of
// shares for 1, and a bounded distribution for -1.
func TestQuantiles(t *testing.T) {
	for _, p := range []float64{0.001, 0.3, 0.5, 0.999} {
		for shape, want := range map[float64]float64{0: -2 * math.Log(1-p), 1: 2 * p / (1 - p), -1: 2 * p} {
			if got := (pareto{shape, 2}).quantile(p); !(math.Abs(got-want) <= 1e-12*want) {
				t.Errorf("shape %v, share %v: %v, want %v", shape, p, got, want)
			}
		}
	}
}
