package study

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"likc/runtime/fit"
	"likc/runtime/fit/hierarchy"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/trials"
)

// Columns is a table of data on whose columns simulated trials depend. It has a row for each trial, in the order in which they
// happen. Its responses are not used. A simulated subject gets the rows of one participant, in turn; an experiment gets all rows.
type Columns struct {
	SHA256  string        `json:"sha256"`            // SHA-256 of the file
	Subject string        `json:"subject,omitempty"` // column of the participants; "" for the column "subject"
	Table   *trials.Table `json:"-"`                 // the columns that [catalog.Sequence.Needed] names, and those of formulas
}

// sequence simulates trials that depend on columns or on one another, in their order.
type sequence struct {
	*catalog.Sequence
	simulator *fit.Simulator
	task      *Task
}

// newSequence returns the simulator of a model's trials, with the wrappers of b; nil if trials depend only on parameters. It
// returns an error if columns are missing, or if the user gives columns to a model that uses none.
func newSequence(m *catalog.Model, b *bound.Prepared, c *Columns, task *Task) (*sequence, error) {
	of, ok := m.Sequence()
	switch {
	case !ok && c != nil:
		return nil, fmt.Errorf("%s: its trials depend on no columns: it takes none from data", m.Name)
	case !ok:
		return nil, nil
	case c == nil:
		return nil, fmt.Errorf("%s: its trials depend on columns or on the trials before them: data must say which (%s)", m.Name, strings.Join(of.Needed(), ", "))
	}
	simulator, err := fit.SimulatorOf(m, b)
	return &sequence{of, simulator, task}, err
}

// draw simulates trials for the rows of a table and stores them in d. theta holds each parameter: one number, or one for each trial. A deadline may be
// a column of d.Table.
func (s *sequence) draw(ctx context.Context, rng *rand.Rand, theta [][]float64, table *trials.Table, d *hierarchy.Data) (err error) {
	of := fit.Subject{Go: s.task.Go}
	if s.task.Deadline.IsSet() {
		if of.Deadlines, err = s.task.deadlines(&d.Table, table.N()); err != nil {
			return err
		}
	}
	respond, err := s.simulator.Respond(&of)
	if err != nil {
		return err
	}
	t, supplied := s.Blank(table)
	d.Columns, d.Choice, d.Person = t.Columns, t.Choice, t.Person
	return s.Draw(ctx, rng, respond, theta, t, supplied)
}

// oneEach returns each parameter as a slice with one number, which holds for all trials.
func oneEach(theta []float64) (all [][]float64) {
	for j := range theta {
		all = append(all, theta[j:j+1])
	}
	return all
}
