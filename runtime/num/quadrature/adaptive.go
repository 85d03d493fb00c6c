package quadrature

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// AdaptiveLogZ returns the log of the integral from lo to hi over all choices by adaptive quadrature in log u: independent
// of any grid but for where it starts.
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

// adaptive halves an interval until Gauss-Legendre rules of ten points on the whole and on the halves agree.
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
