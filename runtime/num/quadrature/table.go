// Package quadrature integrates densities of response times over time and choices. It computes their mass and their
// distribution function, and draws from densities by inverting the distribution function.
package quadrature

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

// Grid is a rule for integrals over u > 0: points evenly spaced in log u, with the weights of the trapezoid rule in log u.
// If the integrand and all its derivatives vanish at both ends, the error falls faster than any power of the step.
type Grid struct {
	U, LogWeight []float64 // the points, in seconds, and the logarithms of their weights
	logs         []float64 // logarithms of U
}

// NewGrid returns a grid of n points from lo to hi.
func NewGrid(lo, hi float64, n int) Grid {
	g := Grid{make([]float64, n), make([]float64, n), make([]float64, n)}
	step := math.Log(hi/lo) / float64(n-1)
	for i := range n {
		g.U[i] = lo * math.Exp(step*float64(i))
		g.LogWeight[i], g.logs[i] = math.Log(g.U[i]*step), math.Log(g.U[i])
	}
	g.LogWeight[0] -= math.Ln2
	g.LogWeight[n-1] -= math.Ln2
	return g
}

// Density sets dst to the log of a density, which need not be normalised, at the times u, in seconds since the onset, for parameters
// theta and one choice.
type Density func(theta []float64, choice float64, u, dst []float64)

// Table is a density for one parameter vector, on a grid of times u. Between grid points, u·density is interpolated linearly in log
// u. Trials can be drawn from it.
type Table struct {
	grid    Grid
	choices []float64
	height  [][]float64 // u·density/exp(shift), one row for each choice
	sum     []float64   // cumulative masses of the intervals between grid points, row by row
	shift   float64
	step    float64 // the step in log u
}

// NewTable evaluates the density at the points of a grid. LogZ is NaN or infinite if the density cannot be normalised.
func NewTable(f Density, theta, choices []float64, g Grid) *Table {
	t := &Table{grid: g, choices: choices, shift: math.Inf(-1), step: math.Log(g.U[1] / g.U[0])}
	for _, c := range choices {
		row := make([]float64, len(g.U))
		f(theta, c, g.U, row)
		for i, log := range g.logs {
			row[i] += log
			t.shift = max(t.shift, row[i])
		}
		t.height = append(t.height, row)
	}
	total := 0.0
	for _, row := range t.height {
		for i := range row {
			row[i] = math.Exp(row[i] - t.shift)
			if i > 0 {
				total += t.step * (row[i-1] + row[i]) / 2
				t.sum = append(t.sum, total)
			}
		}
	}
	return t
}

// LogZ returns the log of the density's integral over all times u and choices.
func (t *Table) LogZ() float64 { return t.shift + math.Log(t.sum[len(t.sum)-1]) }

// Draw draws a time since the onset, in seconds, and a choice.
func (t *Table) Draw(rng *rand.Rand) (u, choice float64) {
	x := rng.Float64() * t.sum[len(t.sum)-1]
	k := min(sort.SearchFloat64s(t.sum, x), len(t.sum)-1)
	row, cell := k/(len(t.grid.U)-1), k%(len(t.grid.U)-1)
	left, right := t.height[row][cell], t.height[row][cell+1]
	// The position p ∈ [0, 1] within the interval solves left·p + (right-left)·p²/2 = y (left+right)/2 for a uniform y. This form of
	// the solution avoids cancellation.
	y := rng.Float64()
	p := y * (left + right) / (left + math.Sqrt(left*left+y*(right*right-left*left)))
	return t.grid.U[cell] * math.Exp(p*t.step), t.choices[row]
}

// Distribution returns the integral of the density over one choice up to time u, divided by the integral over all times and
// choices.
func (t *Table) Distribution(u, choice float64) float64 {
	at := slices.Index(t.choices, choice)
	cells := len(t.grid.U) - 1
	if at < 0 || u <= t.grid.U[0] {
		return 0
	}
	before := 0.0 // the mass of the rows of earlier choices
	if at > 0 {
		before = t.sum[at*cells-1]
	}
	place := min(math.Log(u/t.grid.U[0])/t.step, float64(cells))
	cell := min(int(place), cells-1)
	p := place - float64(cell)
	left, right := t.height[at][cell], t.height[at][cell+1]
	mass := t.step * p * (left + (right-left)*p/2)
	if cell > 0 {
		mass += t.sum[at*cells+cell-1] - before
	}
	return mass / t.sum[len(t.sum)-1]
}

// edges returns u·density at both ends of the grid, as shares of its largest value on the grid. Each is the largest over the choices.
func (t *Table) edges() (first, last float64) {
	most := 0.0
	for _, row := range t.height {
		first, last = max(first, row[0]), max(last, row[len(row)-1])
		most = max(most, slices.Max(row))
	}
	return first / most, last / most
}

// Finer returns a table of the density f over the same range of times with at least n points.
func (t *Table) Finer(f Density, theta []float64, n int) *Table {
	u := t.grid.U
	if len(u) >= n {
		return t
	}
	return NewTable(f, theta, t.choices, NewGrid(u[0], u[len(u)-1], n))
}
