package evolve

import (
	"context"
	"math"
)

// nodeWorth is the price of a node when a canonical form is compared with its tree. It is at most as large as the rounding
// difference between losses of equal expressions.
const nodeWorth = 1e-9

// Tidied returns the entries in canonical form, tidied by the objective's scorer. It keeps those whose loss is then below that of
// all shorter ones. Without a [Tidier] the entries do not change.
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
		c.canonical() // rounding may have made a constant neutral, such as a factor of 1
		e.Tree, e.Terms, e.Loss = c.at.Tree, c.at.Terms, c.at.Loss
		if at := &tidy[e.Size()]; !math.IsInf(e.Loss, 1) && e.Loss < at.lossOr() {
			*at = e
		}
	}
	return pareto(tidy)
}
