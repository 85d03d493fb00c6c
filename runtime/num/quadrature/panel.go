package quadrature

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// PanelPoints is the number of points of a [PanelRule].
const PanelPoints = 12

// Panel is the Gauss–Legendre rule of PanelPoints points. It also estimates the highest Legendre coefficients of the integrand, and
// from them its error.
var Panel = newPanelRule()

// PanelRule is a rule for integrals over [-1, 1]: Σ Weight[k]·f(At[k]).
type PanelRule struct {
	At, Weight [PanelPoints]float64
	high       [3][PanelPoints]float64 // Σ high[j][k]·f(At[k]) is twice one of the three highest Legendre coefficients of f
}

func newPanelRule() *PanelRule {
	r := &PanelRule{}
	quad.Legendre{}.FixedLocations(r.At[:], r.Weight[:], -1, 1)
	for i, x := range r.At {
		low, next := 1.0, x // Legendre's polynomials of degrees n-1 and n
		for n := 1; n < PanelPoints; n++ {
			if k := n - PanelPoints + len(r.high); k >= 0 {
				r.high[k][i] = float64(2*n+1) * r.Weight[i] * next
			}
			low, next = next, (float64(2*n+1)*x*next-float64(n)*low)/float64(n+1)
		}
	}
	return r
}

// Points appends the points of the rule for the interval [from, to].
func (r *PanelRule) Points(points []float64, from, to float64) []float64 {
	for _, x := range r.At {
		points = append(points, from+(to-from)*(1+x)/2)
	}
	return points
}

// Integrate returns the integral over [-1, 1] of a function, from its values at the points At, and an estimate of the error. If the
// function's Legendre coefficients fall geometrically, the relative error is about the square of the highest relative coefficients.
func (r *PanelRule) Integrate(values *[PanelPoints]float64) (sum, off float64) {
	var size float64
	var high [len(r.high)]float64
	for i, f := range values {
		sum += r.Weight[i] * f
		size += r.Weight[i] * math.Abs(f)
		for k := range high {
			high[k] += r.high[k][i] * f
		}
	}
	if size == 0 {
		return 0, 0
	}
	rest := 0.0
	for _, x := range high {
		rest = max(rest, math.Abs(x))
	}
	return sum, rest * rest / size
}
