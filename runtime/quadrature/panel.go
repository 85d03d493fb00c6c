package quadrature

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// PanelPoints is how many points a panel has.
const PanelPoints = 12

// Panel is Gauss's rule on an interval, with weights of the two highest Legendre coefficients of the integrand.
var Panel = newPanelRule()

// PanelRule is a rule of PanelPoints points on [-1, 1].
type PanelRule struct {
	At, Weight [PanelPoints]float64
	high       [2][PanelPoints]float64 // the highest two coefficients, times 2
}

func newPanelRule() *PanelRule {
	r := &PanelRule{}
	quad.Legendre{}.FixedLocations(r.At[:], r.Weight[:], -1, 1)
	for i, x := range r.At {
		low, next := 1.0, x // Legendre's polynomials of degrees n-1 and n
		for n := 1; n < PanelPoints-1; n++ {
			low, next = next, (float64(2*n+1)*x*next-float64(n)*low)/float64(n+1)
		}
		r.high[0][i] = (2*PanelPoints - 3) * r.Weight[i] * low
		r.high[1][i] = (2*PanelPoints - 1) * r.Weight[i] * next
	}
	return r
}

// Points appends the points of the interval between two ends.
func (r *PanelRule) Points(points []float64, from, to float64) []float64 {
	for _, x := range r.At {
		points = append(points, from+(to-from)*(1+x)/2)
	}
	return points
}

// Error estimates by how much the rule is off, as a share of the integral of a function that has these values at the points, none of them
// negative. Where the coefficients of a function fall geometrically, the rule's error is about the square of its highest ones.
func (r *PanelRule) Error(values *[PanelPoints]float64) float64 {
	var sum, first, second float64
	for i, f := range values {
		sum += r.Weight[i] * f
		first += r.high[0][i] * f
		second += r.high[1][i] * f
	}
	if sum == 0 {
		return 0
	}
	rest := max(math.Abs(first), math.Abs(second)) / sum
	return rest * rest
}
