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

// Timed is the density of a model over one response time and all choices, which can be integrated, and simulated if it can be
// normalised.
type Timed struct {
	model   *catalog.Model
	choices []float64 // one that means nothing for a model without choice
	of      *Prepared
	own     *ownPoints // nil but for a normalised expression
}

// Timed returns the model's density over time; that inside its wrappers, which keep the mass. It fails for a model of other trial columns than one
// response time.
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

// at is the log density at times since the onset.
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

// Mass returns the integral of the density over time and all choices; 1 if it is normalised.
func (t *Timed) Mass(theta []float64) (float64, error) {
	return quadrature.Mass(t.at, theta, t.choices)
}

// MassTolerance is how far from 1 the mass of a density may be that is called normalised.
const MassTolerance = 0.01

// drawPoints is how many points a table has that manyTrials or more are drawn from: it is linear between them. Fewer trials are drawn
// from the table that the integral was found with, whose distribution function is right to some 1e-4.
const (
	drawPoints = 4000
	manyTrials = 100
)

// Simulate fills rt and choice, of equal lengths, with independent trials at theta: of the density normalised. choice is nil for a
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

// table is what so many trials are drawn from.
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

// Spread are n points of a model's ranges, spread evenly over their inner parts: see [expr.Model.PointAt].
// They are the points of Halton's sequence.
func Spread(m *catalog.Model, n int) [][]float64 {
	var points [][]float64
	for i := range n {
		points = append(points, m.PointAt(func(j int) float64 { return 0.15 + 0.7*halton(i+1, primes[j%len(primes)]) }))
	}
	return points
}

var primes = [...]int{2, 3, 5, 7, 11, 13, 17, 19}

// halton is element i of the van der Corput sequence of a base.
func halton(i, base int) (x float64) {
	for f := 1 / float64(base); i > 0; f /= float64(base) {
		x += f * float64(i%base)
		i /= base
	}
	return x
}
