package study

import (
	"context"

	"likc/runtime/fit/hierarchy"
	"likc/search/study/bank"
)

// bankSource has the subjects of a bank.
type bankSource struct {
	*bank.Bank
	names []string
}

// OfBank returns the subjects of a bank, in its order.
func OfBank(b *bank.Bank) Source {
	s := bankSource{Bank: b}
	for _, p := range b.Settings.Params {
		s.names = append(s.names, p.Name)
	}
	return s
}

func (s bankSource) N() int { return len(s.Subjects) }

func (s bankSource) Case(_ context.Context, i int) (Case, error) {
	return caseOf(s.names, &s.Subjects[i]), nil
}

// First returns the first n cases of a source, or all of a source with fewer.
func First(s Source, n int) Source { return first{s, min(n, s.N())} }

type first struct {
	Source
	n int
}

func (f first) N() int { return f.n }

func caseOf(names []string, s *bank.Subject) Case {
	return Case{ID: s.ID, Names: names, Truth: s.Theta, Data: hierarchy.Data{Columns: [][]float64{s.RT}, Choice: s.Choice}}
}
