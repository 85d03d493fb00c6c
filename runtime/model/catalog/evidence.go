package catalog

import (
	"fmt"
	"slices"

	"likc/compiler/expr"
	"likc/runtime/model/evidence"
	"likc/runtime/model/process"
)

// declared sets the simulator and the numerical density of a model that defines a process instead of a log density.
// The density is set only if the process has one. A process that depends on trial columns is part of a [Sequence].
func (m *Model) declared() error {
	m.Origin.Kind = Process
	p, err := process.OfModel(m.Model)
	switch {
	case err == nil:
		m.simulator = &Simulator{Process: p}
	case m.Model.Evidence != nil && len(m.Trials) > 1:
		m.sequence, err = m.sequenceOfColumns()
	}
	if m.Model.Evidence == nil {
		if len(m.Trials) > 1 {
			return nil // an external program may still simulate such trials
		}
		return err
	}
	d, err := evidence.New(m.Model)
	if err != nil {
		m.undense = fmt.Errorf("%s only simulates: %w", m.Name, err)
		return nil
	}
	m.Origin.Kind, m.density = Numerical, d
	if d.Plain() {
		m.density = evidence.Plain{Density: d}
	}
	return nil
}

// sequenceOfColumns returns the simulator of a process that depends on trial columns. Each trial's columns are parameters of the
// process that draws its response.
func (m *Model) sequenceOfColumns() (*Sequence, error) {
	wide := *m.Model
	wide.Trials, wide.Params = []string{m.Trials[m.TimeColumn()]}, slices.Clone(m.Params)
	for j, name := range m.Trials {
		if j != m.TimeColumn() {
			wide.Params = append(wide.Params, expr.Param{Name: name, Lower: 0, Upper: 1})
		}
	}
	p, err := process.OfModel(&wide)
	if err != nil {
		return nil, err
	}
	var values []*expr.Expr
	for _, q := range wide.Params {
		values = append(values, expr.Var(q.Name))
	}
	return newSequence(m, p, values), nil
}

// Evidence returns the numerical density of a process that the model defines; it returns false for any other model.
func (m *Model) Evidence() (*evidence.Density, bool) {
	switch d := m.density.(type) {
	case *evidence.Density:
		return d, true
	case evidence.Plain:
		return d.Density, true
	}
	return nil, false
}
