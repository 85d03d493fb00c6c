package normal

import (
	"errors"
	"math"

	"likc/compiler/expr"
	"likc/runtime/num/gauss"
)

// density evaluates exp f, the density before normalisation, as a function of the time since the onset. It evaluates the
// expression as written.
type density struct {
	params  []string
	choices []float64 // 0 for a model without choice
	tapes   []*expr.Tape
	values  []float64 // the parameters, then the time
	out     []float64
	typical float64 // the median of log Z over the points that are checked, rounded to a whole number
}

// newDensity prepares a model for evaluation. Its symbol u is the time since the onset.
func newDensity(since *expr.Model, u string) *density {
	d := &density{params: since.ParamNames(), values: make([]float64, len(since.Params)+1)}
	symbols := append(since.ParamNames(), u)
	for _, g := range since.Groups() {
		d.choices, d.tapes = append(d.choices, g.Choice), append(d.tapes, expr.NewTape(symbols, g.LogLik))
	}
	return d
}

// log returns f for choice number k at the time u since the onset.
func (d *density) log(k int, theta []float64, u float64) float64 {
	copy(d.values, theta)
	d.values[len(theta)] = u
	d.out, _ = d.tapes[k].Eval(d.out[:0], d.values)
	return d.out[0]
}

var (
	errUndefined = errors.New("the log density is undefined there")
	errNoMass    = errors.New("the integral over time is infinite or zero")
)

// reach returns the bounds of log u between which all mass lies, except a share of at most tailShare at each end.
func (d *density) reach(theta []float64) (from, to float64, err error) {
	n := int((scanTo-scanFrom)/scanStep) + 1
	height := make([]float64, n)
	most := math.Inf(-1)
	for i := range height {
		s := scanFrom + scanStep*float64(i)
		terms := make([]float64, 0, 2)
		for k := range d.choices {
			x := d.log(k, theta, math.Exp(s)) + s
			if math.IsNaN(x) {
				return 0, 0, errUndefined
			}
			terms = append(terms, x)
		}
		height[i] = max(terms[0], terms[len(terms)-1])
		most = max(most, height[i])
	}
	if math.IsInf(most, 0) {
		return 0, 0, errNoMass
	}
	sum := 0.0
	for i := range height {
		height[i] = math.Exp(height[i] - most)
		sum += height[i]
	}
	if max(height[0], height[n-1]) > tailShare*sum/10 {
		return 0, 0, errNoMass
	}
	first, last := 0, n-1
	for tail := 0.0; tail+height[first] < tailShare*sum; first++ {
		tail += height[first]
	}
	for tail := 0.0; tail+height[last] < tailShare*sum; last-- {
		tail += height[last]
	}
	return scanFrom + scanStep*float64(first-1), scanFrom + scanStep*float64(last+1), nil
}

// margin is how far adaptive quadrature goes beyond the bounds of [density.reach], in log u, so that it includes the mass that
// a grid leaves out.
const margin = 8

// adaptive returns log Z, computed by adaptive quadrature in log u. It shares no code with grids, so that the two can be
// compared.
func (d *density) adaptive(theta []float64, from, to float64) float64 {
	from, to = from-margin, to+margin
	most := math.Inf(-1)
	for s := from; s <= to; s += scanStep / 4 {
		for k := range d.choices {
			most = max(most, d.log(k, theta, math.Exp(s))+s)
		}
	}
	total, left := 0.0, mostHalvings
	for k := range d.choices {
		integrand := func(s float64) float64 { return math.Exp(d.log(k, theta, math.Exp(s)) + s - most) }
		pieces := math.Ceil(to - from)
		width := (to - from) / pieces
		for i := range int(pieces) {
			a := from + float64(i)*width
			total += gauss.Adaptive(integrand, a, a+width, gauss.Eight.On(integrand, a, a+width), agreement, &left)
		}
	}
	return most + math.Log(total)
}

// mostHalvings is the largest number of intervals that are halved in one integral. A density that needs more changes too fast
// for any grid.
const mostHalvings = 2000

// agreement is the largest difference of the two rules on an interval that is accepted, as a share of the largest value of the
// integrand.
const agreement = 1e-9
