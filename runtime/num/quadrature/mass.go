package quadrature

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// Settings of Fit. Times are in seconds; tolerances are differences of log masses, except edgeTolerance.
const (
	massFrom, massTo = 1e-6, 1e4   // the first grid
	mostFrom, mostTo = 1e-12, 1e22 // the widest grid: the density of a first passage without drift falls only as u^(-3/2)
	massPoints       = 400         // points of the first grid
	mostPoints       = 1 << 15     // points of the finest grid
	massTolerance    = 1e-7        // the largest difference between two grids that agree
	jumpTolerance    = 5e-3        // the same for the finest grid, because of densities that jump: their mass has an error of some thousandths
	edgeTolerance    = 1e-9        // the largest u·density at the ends of a grid, divided by its maximum
)

// ErrNoMass is the error that a density has no finite mass above zero.
var ErrNoMass = errors.New("the density cannot be normalised: its integral over time is infinite, zero or undefined")

// Fit returns a table on a grid that is fine and wide enough: the log mass on a grid with half the points differs by at most
// 1e-7, and the density vanishes at both ends. If no grid is as fine, the finest one is accepted if the difference is at most
// 5e-3, as for a density that jumps. Otherwise Fit returns an error.
func Fit(f Density, theta, choices []float64) (*Table, error) {
	from, to, n := massFrom, massTo, massPoints
	last := math.NaN()
	for {
		t := NewTable(f, theta, choices, NewGrid(from, to, n))
		z := t.LogZ()
		if math.IsNaN(z) || math.IsInf(z, 0) {
			return nil, ErrNoMass
		}
		first, end := t.edges()
		switch {
		case first > edgeTolerance && from > mostFrom:
			from, n, last = from/1e3, n+n/4, math.NaN()
		case end > edgeTolerance && to < mostTo:
			to, n, last = to*1e3, n+n/4, math.NaN()
		case first > edgeTolerance || end > edgeTolerance:
			return nil, ErrNoMass
		case math.Abs(z-last) <= massTolerance, 2*n > mostPoints && math.Abs(z-last) <= jumpTolerance:
			return t, nil
		case 2*n > mostPoints:
			return nil, errors.New("the density is too rough to be integrated over time")
		default:
			last, n = z, 2*n-1
		}
	}
}

// Mass returns the integral of the density over all times u and choices. The error is that of [Fit].
func Mass(f Density, theta, choices []float64) (float64, error) {
	t, err := Fit(f, theta, choices)
	if err != nil {
		return math.NaN(), err
	}
	return math.Exp(t.LogZ()), nil
}

// Rule is a rule for integrals over time: ∫ f ≈ Σ Weight[k]·f(Time[k]), with times in seconds.
type Rule struct{ Time, Weight []float64 }

// Head returns a rule for integrals from time 0 to `to`. Its points do not depend on a model's parameters. It applies Gauss's
// rule of 8 points to intervals of 0.01 s, or of an eightieth of the time if that is longer. So the rise of a density after
// its onset falls on several points, wherever the onset is.
func Head(to float64) Rule {
	var r Rule
	for done := 0.0; done < to; {
		end := done + max(0.01, done/80)
		if end > to-0.005 { // the last interval takes up a tiny remainder
			end = to
		}
		r.add(done, end)
		done = end
	}
	return r
}

// add appends Gauss's rule of 8 points for one interval.
func (r *Rule) add(from, to float64) {
	const points = 8
	at, weight := make([]float64, points), make([]float64, points)
	quad.Legendre{}.FixedLocations(at, weight, from, to)
	r.Time, r.Weight = append(r.Time, at...), append(r.Weight, weight...)
}
