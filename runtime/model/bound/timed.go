package bound

import (
	"fmt"
	"math"
	"math/rand/v2"

	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/trials"
	"likc/runtime/num/quadrature"
)

// Timed is the density of a model over one response time and all choices. It can be integrated, and its trials can be simulated if
// it can be normalised.
type Timed struct {
	model   *catalog.Model
	choices []float64  // a single arbitrary code for a model without choice
	of      *Prepared  // the model without wrappers, such as lapses
	own     *ownPoints // tables from which trials are drawn; nil unless the model is a normalised expression
}

// Timed returns the model's density over time. Wrappers are ignored, because they do not change the mass. It returns an error for a
// model with other trial columns than one response time.
func (p *Prepared) Timed() (*Timed, error) {
	if p.wrapped != nil {
		return p.wrapped.Timed()
	}
	m := p.Model
	if m.Stateful() {
		return nil, fmt.Errorf("%s: its trials depend on those before them, so it has no density over one response time", m.Name)
	}
	if len(m.Trials) != 1 || m.Trials[0] != trials.ResponseTime(m.Trials) {
		return nil, fmt.Errorf("%s: its density is over more than a response time: it reads %v", m.Name, m.Trials)
	}
	t := &Timed{model: m, choices: []float64{0}, of: p, own: p.own}
	if m.Choice != "" {
		t.choices = m.Codes()
	}
	return t, nil
}

// at sets dst to the log density at times u since the onset.
func (t *Timed) at(theta []float64, choice float64, u, dst []float64) {
	onset := t.model.OnsetAt(theta)
	rt := make([]float64, len(u))
	for i, x := range u {
		rt[i] = onset + x
	}
	var choices []float64
	if t.model.Choice != "" {
		choices = make([]float64, len(u))
		for i := range choices {
			choices[i] = choice
		}
	}
	rows, err := t.of.Rows(kernel.Trials{Columns: [][]float64{rt}, Choice: choices})
	if err != nil {
		for i := range dst {
			dst[i] = math.NaN()
		}
		return
	}
	params := make([][]float64, len(theta))
	for j := range theta {
		params[j] = theta[j : j+1]
	}
	rows.Each(params, dst, nil)
}

// Mass returns the integral of the density over time and all choices; it is 1 if the density is normalised.
func (t *Timed) Mass(theta []float64) (float64, error) {
	return quadrature.Mass(t.at, theta, t.choices)
}

// MassTolerance is the largest distance from 1 of the mass of a density that counts as normalised.
const MassTolerance = 0.01

// drawPoints is the number of points of the table from which manyTrials or more trials are drawn; the density is linear between
// them. Fewer trials are drawn from the table with which the integral was computed, whose distribution function is accurate to about
// 1e-4.
const (
	drawPoints = 4000
	manyTrials = 100
)

// Simulate fills rt and choice, of equal lengths, with independent trials at theta, from the normalised density. choice is nil for a
// model without choice.
func (t *Timed) Simulate(rng *rand.Rand, theta, rt, choice []float64) error {
	table, err := t.table(theta, len(rt))
	if err != nil {
		return fmt.Errorf("simulate %s at %v: %w", t.model.Name, theta, err)
	}
	onset := t.model.OnsetAt(theta)
	for i := range rt {
		u, c := table.Draw(rng)
		rt[i] = onset + u
		if choice != nil {
			choice[i] = c
		}
	}
	return nil
}

// table returns the table from which a number of trials are drawn.
func (t *Timed) table(theta []float64, trials int) (*quadrature.Table, error) {
	if t.own != nil {
		return t.own.table(theta, trials)
	}
	table, err := quadrature.Fit(t.at, theta, t.choices)
	if err == nil && trials >= manyTrials {
		table = table.Finer(t.at, theta, drawPoints)
	}
	return table, err
}

// Spread returns n points that are spread evenly over the inner parts of a model's ranges: see [expr.Model.PointAt]. They are points
// of Halton's sequence.
func Spread(m *catalog.Model, n int) [][]float64 {
	var points [][]float64
	for i := range n {
		points = append(points, m.PointAt(func(j int) float64 { return 0.15 + 0.7*halton(i+1, primes[j%len(primes)]) }))
	}
	return points
}

// primes are the bases of Halton's sequence, one for each parameter.
var primes = [...]int{2, 3, 5, 7, 11, 13, 17, 19}

// halton returns element i of the van der Corput sequence of a base.
func halton(i, base int) (x float64) {
	for f := 1 / float64(base); i > 0; f /= float64(base) {
		x += f * float64(i%base)
		i /= base
	}
	return x
}
