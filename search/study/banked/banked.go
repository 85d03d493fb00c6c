// Package banked takes subjects of studies from banks.
package banked

import (
	"context"

	"likc/runtime/fit/formula"
	"likc/runtime/fit/hierarchy"
	"likc/search/study"
	"likc/search/study/bank"
)

// Source returns the source of a bank's subjects, in its order.
func Source(b *bank.Bank) study.Source {
	s := source{Bank: b}
	for _, p := range b.Settings.Params {
		s.names = append(s.names, p.Name)
	}
	return s
}

type source struct {
	*bank.Bank
	names []string
}

// N returns the number of subjects.
func (s source) N() int { return len(s.Subjects) }

// Case returns subject i.
func (s source) Case(_ context.Context, i int) (study.Case, error) {
	of := &s.Subjects[i]
	c := study.Case{ID: of.ID, Names: s.names, Truth: of.Theta, Data: hierarchy.Data{Columns: [][]float64{of.RT}, Choice: of.Choice}}
	if d := s.Settings.Design; d != nil {
		c.Table.Rows = len(c.Columns[0])
		for j, name := range d.Columns {
			c.Table.Columns = append(c.Table.Columns, formula.DataColumn{Name: name, Numeric: of.Columns[j]})
		}
	}
	return c, nil
}
