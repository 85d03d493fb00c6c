package quadrature

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// AdaptiveLogZ returns the log of a density's integral over times from lo to hi, in seconds, and over all
// choices. It uses adaptive quadrature in log u. Its result does not depend on a grid, so that it can check
// [Grid].
func AdaptiveLogZ(f Density, theta, choices []float64, lo, hi float64) float64 {
	shift := NewTable(f, theta, choices, NewGrid(lo, hi, 100)).shift
	total := 0.0
	u, dst := make([]float64, 1), make([]float64, 1)
	for _, c := range choices {
		integrand := func(s float64) float64 {
			u[0] = math.Exp(s)
			f(theta, c, u, dst)
			return math.Exp(dst[0] + s - shift)
		}
		const pieces = 16
		width := math.Log(hi/lo) / pieces
		for k := range pieces {
			a := math.Log(lo) + float64(k)*width
			total += adaptive(integrand, a, a+width, 1e-9, 30)
		}
	}
	return shift + math.Log(total)
}

// adaptive returns the integral of f from a to b. It halves intervals until Gauss-Legendre rules of ten
// points on an interval and on its two halves agree to the tolerance, at most depth times.
func adaptive(f func(float64) float64, a, b, tolerance float64, depth int) float64 {
	middle := (a + b) / 2
	const points = 10
	whole := quad.Fixed(f, a, b, points, nil, 0)
	halves := quad.Fixed(f, a, middle, points, nil, 0) + quad.Fixed(f, middle, b, points, nil, 0)
	if depth == 0 || math.Abs(whole-halves) <= tolerance || math.IsNaN(halves) {
		return halves
	}
	return adaptive(f, a, middle, tolerance/2, depth-1) + adaptive(f, middle, b, tolerance/2, depth-1)
}
