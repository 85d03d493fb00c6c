package evolve

import (
	"context"
	"math"
)

// nodeWorth is what a node costs where a canonical form is taken: no more than losses of equal expressions differ by.
const nodeWorth = 1e-9

// Tidied returns entries in canonical form and as the objective's scorer tidies them, those alone that are then below all shorter ones. Without a
// [Tidier] they stay as they are.
func (s *Search) Tidied(entries []Entry) []Entry {
	scorer := s.objective.NewScorer()
	tidier, ok := scorer.(Tidier)
	if !ok {
		return entries
	}
	p := &Polisher{objective: s.objective, strict: s.strict, rules: s.rules, settings: Climb{Price: nodeWorth}}
	tidy := make([]Entry, s.settings.MaxSize+1)
	for _, e := range entries {
		c := p.begin(context.Background(), scorer, e.Tree, 0)
		c.canonical()
		c.at.Loss = tidier.Tidy(&c.at.Tree, c.at.Terms)
		c.canonical() // a rounded constant may have become neutral, as a factor of 1
		e.Tree, e.Terms, e.Loss = c.at.Tree, c.at.Terms, c.at.Loss
		if at := &tidy[e.Size()]; !math.IsInf(e.Loss, 1) && e.Loss < at.lossOr() {
			*at = e
		}
	}
	return pareto(tidy)
}
