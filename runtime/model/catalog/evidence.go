package catalog

import (
	"fmt"

	"likc/runtime/model/evidence"
)

// writtenDown makes a model of a process written down: its simulator, and its numerical density where it has one.
func (m *Model) writtenDown() {
	m.Origin.Kind = Process
	if p, err := evidence.Process(m.Model); err == nil {
		m.simulator = &Simulator{Process: p}
	}
	d, err := evidence.New(m.Model)
	if err != nil {
		m.undense = fmt.Errorf("%s only simulates: %w", m.Name, err)
		return
	}
	m.Origin.Kind, m.density = Numerical, d
	if d.Plain() {
		m.density = evidence.Plain{Density: d}
	}
}

// Evidence returns the numerical density of a process written down; false for any other model.
func (m *Model) Evidence() (*evidence.Density, bool) {
	switch d := m.density.(type) {
	case *evidence.Density:
		return d, true
	case evidence.Plain:
		return d.Density, true
	}
	return nil, false
}
