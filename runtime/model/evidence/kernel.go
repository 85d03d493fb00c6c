package evidence

import (
	"fmt"
	"math"
	"slices"

	"likc/runtime/model/kernel"
)

// Rows binds trials to the log density, which is then evaluated row by row. Trials with the same parameters and columns share
// one solution: the densities at all times, computed together.
func (d *Density) Rows(t kernel.Trials) (kernel.Rows, error) {
	if len(t.Columns) < len(d.Model.Trials) {
		return nil, fmt.Errorf("%s: %d trial columns, expected %d", d.Model.Name, len(t.Columns), len(d.Model.Trials))
	}
	r := &rows{process: d.process, rt: t.Columns[d.time]}
	if m := d.Model; m.Choice != "" && len(t.Choice) != len(r.rt) {
		return nil, fmt.Errorf("%s: %d response times and %d choices", m.Name, len(r.rt), len(t.Choice))
	}
	codes := d.Model.Codes()
	for i, x := range r.rt {
		if !(x > 0) || x > math.MaxFloat64 {
			return nil, fmt.Errorf("trial %d: %s %v is not positive and finite", i+1, d.Model.Trials[d.time], x)
		}
		choice := 0
		if codes != nil {
			if choice = slices.Index(codes, t.Choice[i]); choice < 0 {
				return nil, fmt.Errorf("trial %d: choice %v is none of %v", i+1, t.Choice[i], codes)
			}
		}
		r.choice = append(r.choice, choice)
	}
	for _, j := range d.used {
		for i, x := range t.Columns[j] {
			if x-x != 0 {
				return nil, fmt.Errorf("trial %d: %s is %v, expected a finite number", i+1, d.Model.Trials[j], x)
			}
		}
		r.columns = append(r.columns, t.Columns[j])
	}
	r.sortByColumns()
	return r, nil
}

// Plain is the density of a process that depends on no trial columns: a density of response times and choices only.
type Plain struct{ *Density }

// Plain reports whether the density depends only on the response time and choice of a trial.
func (d *Density) Plain() bool { return len(d.Model.Trials) == 1 && d.Model.Choice != "" }

// LogDensity sets dst[i] to the log density of a trial at its own parameters.
func (d Plain) LogDensity(dst []float64, theta [][]float64, rt, choice []float64) {
	r, err := d.Rows(kernel.Responses(rt, choice))
	if err != nil { // cannot happen: the same columns were bound before
		panic("evidence: " + err.Error())
	}
	params := make([][]float64, d.dim)
	for p := range params {
		params[p] = make([]float64, len(theta))
		for i := range theta {
			params[p][i] = theta[i][p]
		}
	}
	r.Each(params, dst, nil)
}

// Curve is the density at one parameter vector, up to a response time. It is not safe for concurrent use.
type Curve struct{ space *space }

// At returns the density at a parameter vector, up to the response time most. columns holds values of the trial columns except
// that of response times, in the model's order.
func (d *Density) At(theta, columns []float64, most float64) *Curve {
	c := &Curve{d.newSpace(usual)}
	copy(c.space.values, theta)
	at := 0
	for j := range d.Model.Trials {
		if j == d.time {
			continue
		}
		if k := slices.Index(d.used, j); k >= 0 {
			c.space.values[d.dim+k] = columns[at]
		}
		at++
	}
	d.solve(c.space, most, true)
	return c
}

// Log returns the log density of a response at rt; choice is the index of a choice of the model. If grad is not nil, it is set
// to the gradient.
func (c *Curve) Log(rt float64, choice int, grad []float64) float64 {
	return c.space.log(rt, choice, grad)
}
