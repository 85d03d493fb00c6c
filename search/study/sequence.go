package study

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"likc/runtime/fit/hierarchy"
	"likc/runtime/model/catalog"
	"likc/runtime/model/ssm"
	"likc/runtime/model/trials"
)

// Columns are data on whose columns simulated trials depend, a row a trial in the order in which they happen. Responses among them are not used.
// A simulated subject takes the rows of one participant, the participants in turn; an experiment takes all rows.
type Columns struct {
	SHA256  string        `json:"sha256"`            // SHA-256 of the file
	Subject string        `json:"subject,omitempty"` // column of the participants; "" for the one that is named so
	Table   *trials.Table `json:"-"`                 // the columns that [catalog.Sequence.Needed] names, and those of formulas
}

// of returns the rows of the participant whose turn it is at subject i.
func (c *Columns) of(i int) *trials.Table {
	t := c.Table
	if t.Person == nil {
		return t
	}
	seen := map[int32]bool{}
	var order []int32
	for _, person := range t.Person {
		if !seen[person] {
			seen[person], order = true, append(order, person)
		}
	}
	who := order[i%len(order)]
	out := &trials.Table{Symbols: t.Symbols, Columns: make([][]float64, len(t.Columns))}
	for row, person := range t.Person {
		if person == who {
			for j := range t.Columns {
				out.Columns[j] = append(out.Columns[j], t.Columns[j][row])
			}
		}
	}
	return out
}

// sequence draws trials that depend on columns or on one another.
type sequence struct {
	*catalog.Sequence
	scheme ssm.Scheme
}

// newSequence returns what draws the trials of a model; nil where they depend on parameters alone. It fails where columns are missing, and where
// there are some that nothing depends on.
func newSequence(m *catalog.Model, c *Columns) (*sequence, error) {
	of, ok := m.Sequence()
	switch {
	case !ok && c != nil:
		return nil, fmt.Errorf("%s: its trials depend on no columns: it takes none from data", m.Name)
	case !ok:
		return nil, nil
	case c == nil:
		return nil, fmt.Errorf("%s: its trials depend on columns or on the trials before them: data must say which (%s)", m.Name, strings.Join(of.Needed(), ", "))
	}
	s := &sequence{Sequence: of}
	if p, ok := of.Process(); ok {
		scheme, _, err := p.Scheme("")
		if err != nil {
			return nil, err
		}
		s.scheme = scheme
	}
	return s, nil
}

// draw puts trials at the rows of a table into data. theta has each parameter: one number, or one a trial.
func (s *sequence) draw(ctx context.Context, rng *rand.Rand, theta [][]float64, table *trials.Table, d *hierarchy.Data) error {
	t, supplied := s.Blank(table)
	d.Columns, d.Choice, d.Person = t.Columns, t.Choice, t.Person
	return s.Draw(ctx, rng, s.scheme, theta, t, supplied)
}

// oneEach gives all trials the same parameters.
func oneEach(theta []float64) (all [][]float64) {
	for j := range theta {
		all = append(all, theta[j:j+1])
	}
	return all
}
