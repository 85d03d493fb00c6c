package catalog

import (
	"fmt"

	"likc/runtime/model/evidence"
	"likc/runtime/model/process"
)

// declared sets the simulator and the numerical density of a model that defines a process instead of a log density.
// It sets a simulator only if trials have no columns besides response times and choices, and a density only if the
// process has one.
func (m *Model) declared() error {
	m.Origin.Kind = Process
	p, err := process.OfModel(m.Model)
	if err == nil {
		m.simulator = &Simulator{Process: p}
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
