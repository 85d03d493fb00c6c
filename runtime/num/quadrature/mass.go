package quadrature

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// Settings of Mass: its first grid, the limits of its grids, in seconds, and how well two grids must agree.
const (
	massFrom, massTo = 1e-6, 1e4
	mostFrom, mostTo = 1e-12, 1e22 // a first passage without drift has a tail of u^(-3/2)
	massPoints       = 400
	mostPoints       = 1 << 15
	massTolerance    = 1e-7
	jumpTolerance    = 5e-3 // on the finest grid, of a density that jumps: the mass is then right to some thousandths
	edgeTolerance    = 1e-9
)

// ErrNoMass says that a density has no finite mass above zero.
var ErrNoMass = errors.New("the density cannot be normalised: its integral over time is infinite, zero or undefined")

// Fit returns a table that is fine and wide enough: a grid of half the points agrees with its mass to 1e-7, and the density has
// vanished at its ends. A density that jumps has the finest grid, if it agrees to 5e-3. Fit fails where no grid does.
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

// Mass returns the integral of the density over all u and choices.
func Mass(f Density, theta, choices []float64) (float64, error) {
	t, err := Fit(f, theta, choices)
	if err != nil {
		return math.NaN(), err
	}
	return math.Exp(t.LogZ()), nil
}

// Rule is a rule for integrals over time: Σ weight·f(time).
type Rule struct{ Time, Weight []float64 }

// Head returns the rule from 0 to a time, whose points do not depend on parameters either. It is Gauss's rule of 8 points on
// pieces of 0.01 s, or an eightieth of the time where that is longer: wherever the onset lies, the rise after it is on several
// points.
func Head(to float64) Rule {
	var r Rule
	for done := 0.0; done < to; {
		end := done + max(0.01, done/80)
		if end > to-0.005 { // no piece is tiny
			end = to
		}
		r.add(done, end)
		done = end
	}
	return r
}

// add adds Gauss's rule of 8 points for one piece.
func (r *Rule) add(from, to float64) {
	const points = 8
	at, weight := make([]float64, points), make([]float64, points)
	quad.Legendre{}.FixedLocations(at, weight, from, to)
	r.Time, r.Weight = append(r.Time, at...), append(r.Weight, weight...)
}
