package catalog

import (
	"fmt"

	"likc/runtime/model/evidence"
	"likc/runtime/model/process"
)

// declared makes a model of what it says of its process: its simulator, where trials need no other columns than response times and choices, and
// the numerical density of a process written down, where it has one.
func (m *Model) declared() error {
	m.Origin.Kind = Process
	p, err := process.OfModel(m.Model)
	if err == nil {
		m.simulator = &Simulator{Process: p}
	}
	if m.Model.Evidence == nil {
		if len(m.Trials) > 1 {
			return nil // programs may draw such trials too, one request for all columns
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
