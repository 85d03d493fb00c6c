package normal

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"likc/compiler/expr"
)

// Tolerance is the largest difference that is allowed between log Z on the grid and log Z by adaptive quadrature, at each point
// that is checked.
const Tolerance = 2e-5

// Grid is a rule for integrals over times u > 0 since the onset: the trapezoid rule in log u. It converges faster than any power of the
// step where the integrand vanishes towards both ends with all its derivatives.
type Grid struct {
	U, LogWeight []float64 // seconds; log of the weights
	Points       int       // number of parameter vectors at which the grid was checked
	Error        float64   // the largest difference in log Z found there
}

// A scan in log u finds where a density has its mass. It goes from 1e-17 s to 1e18 s, because a density may have a tail as
// heavy as u^(-3/2), that of a first-passage time without drift.
const (
	scanFrom, scanTo, scanStep = -39.0, 42.0, 0.25
	tailShare                  = 2e-6 // the largest share of the mass that may be left out at each end
)

// steps are the distances of a grid's points in log u that are tried, the largest first.
var steps = []float64{0.5, 0.4, 0.3, 0.25, 0.2, 0.15, 0.12, 0.1, 0.08, 0.06, 0.05, 0.04, 0.03, 0.02, 0.015, 0.01}

// newGrid returns a grid with points from lo to hi in log u, at distances of about step.
func newGrid(lo, hi, step float64) Grid {
	n := int(math.Ceil((hi-lo)/step)) + 1
	step = (hi - lo) / float64(n-1)
	var g Grid
	for i := range n {
		s := lo + step*float64(i)
		weight := math.Log(step) + s // du = u d log u
		if i == 0 || i == n-1 {
			weight -= math.Ln2
		}
		g.U, g.LogWeight = append(g.U, math.Exp(s)), append(g.LogWeight, weight)
	}
	return g
}

// choose returns the coarsest grid that is within Tolerance at every point.
func choose(d *density, points [][]float64) (Grid, error) {
	lo, hi := math.Inf(1), math.Inf(-1)
	exact := make([]float64, len(points))
	for i, theta := range points {
		from, to, err := d.reach(theta)
		if err != nil {
			return Grid{}, fmt.Errorf("at %s: %w", d.name(theta), err)
		}
		exact[i] = d.adaptive(theta, from, to)
		lo, hi = min(lo, from), max(hi, to)
	}
	middle := slices.Sorted(slices.Values(exact))[len(exact)/2]
	d.typical = math.Round(middle) + 0 // + 0 turns -0 into 0, because printed code would show the sign
	var g Grid
	worst := 0
	for _, step := range steps {
		g = newGrid(lo, hi, step)
		g.Points = len(points)
		if worst = d.check(&g, points, exact); g.Error <= Tolerance {
			return g, nil
		}
	}
	return Grid{}, fmt.Errorf("at %s: the integral over time changes too fast: a grid of %d points misses its log by %.2g", d.name(points[worst]), len(g.U), g.Error)
}

// check sets the grid's largest error and returns the index of its point. It stops at the first point beyond Tolerance.
func (d *density) check(g *Grid, points [][]float64, exact []float64) (worst int) {
	for i, theta := range points {
		if miss := math.Abs(d.onGrid(g, theta) - exact[i]); !(miss <= g.Error) {
			worst, g.Error = i, miss
		}
		if !(g.Error <= Tolerance) {
			return worst
		}
	}
	return worst
}

// onGrid returns log Z at theta, computed on the grid.
func (d *density) onGrid(g *Grid, theta []float64) float64 {
	terms := make([]float64, 0, 2*len(g.U))
	for k := range d.choices {
		for i, u := range g.U {
			terms = append(terms, d.log(k, theta, u)+g.LogWeight[i])
		}
	}
	return logSum(terms)
}

// logSum returns log Σ exp(term) without overflow.
func logSum(terms []float64) float64 {
	most, sum := math.Inf(-1), 0.0
	for _, x := range terms {
		most = max(most, x)
	}
	for _, x := range terms {
		sum += math.Exp(x - most)
	}
	return most + math.Log(sum)
}

// mostCorners is the largest number of parameters for which all corners of the ranges, and the points midway between them, are
// checked.
const mostCorners = 4

// spreadPoints is the number of further points, which are spread evenly over the ranges.
const spreadPoints = 32

// points returns the parameter vectors at which a grid is checked: some at which the density has its mass latest, earliest, or in the
// shortest interval, and others spread over the ranges. If there are few parameters, points close to the corners of the ranges and midway
// between them are checked, too. An infinite range counts as an interval at its finite end, or as [-1, 1].
func (d *density) points(m *expr.Model) (all [][]float64) {
	if n := len(m.Params); n <= mostCorners {
		levels := [...]float64{0.001, 0.5, 0.999}
		for k := range int(math.Pow(3, float64(n))) {
			all = append(all, m.PointAt(func(j int) float64 { return levels[k/int(math.Pow(3, float64(j)))%3] }))
		}
	}
	all = append(all, d.extreme(m, func(_, to float64) float64 { return to }),
		d.extreme(m, func(from, _ float64) float64 { return -from }),
		d.extreme(m, func(from, to float64) float64 { return from - to }))
	return append(all, spread(m, spreadPoints)...)
}

// leastStep is the last step of a climb, as a share of a parameter's range.
const leastStep = 0.03

// extreme climbs from the middle of the ranges to a large value of `of`, a function of the bounds of the mass in log time. It changes one
// parameter at a time, by steps that become smaller. Points without an integral are passed over.
func (d *density) extreme(m *expr.Model, of func(from, to float64) float64) []float64 {
	share := slices.Repeat([]float64{0.5}, len(m.Params))
	at := func() []float64 { return m.PointAt(func(j int) float64 { return share[j] }) }
	most := math.Inf(-1)
	for step := 0.5; step > leastStep; {
		climbs := false
		for j, x := range share {
			best := x
			for _, to := range [...]float64{x, x - step, x + step} {
				share[j] = min(max(to, 0.001), 0.999)
				from, to, err := d.reach(images(m, [][]float64{at()})[0])
				if height := of(from, to); err == nil && height > most {
					most, best, climbs = height, share[j], true
				}
			}
			share[j] = best
		}
		if !climbs {
			step /= 2
		}
	}
	return at()
}

// spread returns n points spread evenly over the ranges.
func spread(m *expr.Model, n int) (all [][]float64) {
	for i := range n {
		all = append(all, m.PointAt(func(j int) float64 { return math.Mod(0.5+float64(i+1)*additive(j), 1) }))
	}
	return all
}

// additive returns the step in coordinate j of an additive sequence, which fills a cube evenly. Steps are powers of 1/ρ, where
// ρ = 1.3247… is the plastic number, the root of x³ = x + 1.
func additive(j int) float64 { return math.Mod(math.Pow(1.0/1.32471795724474602596, float64(j+1)), 1) }

// name returns parameters as text, such as "v=1, a=2".
func (d *density) name(theta []float64) string {
	var words []string
	for j, x := range theta {
		words = append(words, fmt.Sprintf("%s=%.4g", d.params[j], x))
	}
	return strings.Join(words, ", ")
}
