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
}

// Evidence returns the numerical density of a process written down; false for any other model.
func (m *Model) Evidence() (*evidence.Density, bool) {
	d, ok := m.density.(*evidence.Density)
	return d, ok
}
