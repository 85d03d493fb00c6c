package study

import (
	"context"

	"likc/runtime/fit/formula"
	"likc/runtime/fit/hierarchy"
	"likc/search/study/bank"
)

// bankSource is the source of a bank's subjects.
type bankSource struct {
	*bank.Bank
	names []string
}

// OfBank returns the source of a bank's subjects, in its order.
func OfBank(b *bank.Bank) Source {
	s := bankSource{Bank: b}
	for _, p := range b.Settings.Params {
		s.names = append(s.names, p.Name)
	}
	return s
}

func (s bankSource) N() int { return len(s.Subjects) }

func (s bankSource) Case(_ context.Context, i int) (Case, error) {
	c := caseOf(s.names, &s.Subjects[i])
	if d := s.Settings.Design; d != nil {
		c.Table.Rows = len(c.Columns[0])
		for j, name := range d.Columns {
			c.Table.Columns = append(c.Table.Columns, formula.DataColumn{Name: name, Numeric: s.Subjects[i].Columns[j]})
		}
	}
	return c, nil
}

// First returns a source with the first n cases of s, or all if it has fewer.
func First(s Source, n int) Source { return first{s, min(n, s.N())} }

type first struct {
	Source
	n int
}

func (f first) N() int { return f.n }

func caseOf(names []string, s *bank.Subject) Case {
	return Case{ID: s.ID, Names: names, Truth: s.Theta, Data: hierarchy.Data{Columns: [][]float64{s.RT}, Choice: s.Choice}}
}
