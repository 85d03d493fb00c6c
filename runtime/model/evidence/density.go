package evidence

import (
	"fmt"
	"slices"

	"likc/compiler/expr"
)

// Density is the numerical log density of a model's process. It is safe for concurrent use.
type Density struct {
	Model *expr.Model
	*process
	time int   // the index of the trial column of response times
	used []int // the indexes of the other trial columns on which the process depends
}

// New returns the density of a model's process. It fails if the method here gives no density: if accumulators depend on each
// other, a drift is not linear in the evidence, a race has an onset that varies, or a parameter is the time at which a drift or
// noise jumps.
func New(m *expr.Model) (*Density, error) { return newDensity(m, true) }

// newDensity returns the density of a process. If tilted, a drift that may be applied afterwards is left out of the streams.
func newDensity(m *expr.Model, tilted bool) (*Density, error) {
	e := m.Evidence
	if e.Interacts() {
		return nil, fmt.Errorf("accumulators depend on each other")
	}
	if len(e.Accumulators) > 1 && e.Onset.Kind != expr.PointLaw {
		return nil, fmt.Errorf("a race whose onset varies from trial to trial has no density yet")
	}
	d := &Density{Model: m, process: &process{dim: len(m.Params), symbols: m.ParamNames()}, time: slices.Index(m.Trials, e.Time)}
	names := expr.Symbols(e.Roots()...)
	for j, name := range m.Trials {
		if j != d.time && slices.Contains(names, name) {
			d.used, d.symbols = append(d.used, j), append(d.symbols, name)
		}
	}
	d.symbols = append(d.symbols, expr.Tau)
	if tilted {
		d.tilt = newTilt(e, d.symbols, d.dim)
	}
	var inner []*expr.Expr
	for _, a := range e.Accumulators {
		if d.tilt != nil {
			a.Drift = expr.Num(0)
		}
		s, err := newStream(&a, d.symbols, d.dim)
		if err != nil {
			return nil, err
		}
		d.streams = append(d.streams, s)
		inner = append(inner, (&expr.Evidence{Accumulators: []expr.Accumulator{a}}).Roots()...)
	}
	if e.Onset.Kind == expr.NormalLaw {
		inner = append(inner, e.Onset.B) // densities are convolved with an onset of this standard deviation
	}
	names = expr.Symbols(inner...)
	for _, p := range m.Params {
		d.late = append(d.late, !slices.Contains(names, p.Name))
	}
	for _, j := range d.used {
		d.lateColumn = append(d.lateColumn, !slices.Contains(names, m.Trials[j]))
	}
	d.onset = newLaw(e.Onset, d.symbols, d.symbols[:d.dim])
	d.pool.New = func() any { return d.newSpace(usual) }
	return d, nil
}
