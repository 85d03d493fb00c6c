package catalog

import (
	"fmt"
	"slices"

	"likc/compiler/expr"
	"likc/runtime/model/trials"
)

// checkMissing returns an error if the log density of a trial without a response depends on its response time.
// That time is only a number that the model declares for an empty cell.
func checkMissing(m *expr.Model) error {
	rt := trials.ResponseTime(m.Trials)
	x, timeless := m.Missing[rt]
	silent, declared := m.Missing[m.Choice]
	switch {
	case !timeless:
		return nil
	case m.LogLik == nil:
		return fmt.Errorf("trial %s missing %v: only an expression has densities of trials without a response", rt, x)
	case !declared:
		return fmt.Errorf("trial %s missing %v: no choice is declared for trials without a response; want one, as in choice c in {0, 1} missing 0", rt, x)
	}
	if m.Called != nil {
		return fmt.Errorf("trial %s missing %v: the model has states or calls densities, which take no number for a missing response time", rt, x)
	}
	for _, g := range m.Groups() {
		roots := []*expr.Expr{g.LogLik}
		for _, s := range g.Support {
			roots = append(roots, s.Left, s.Right)
		}
		if g.Choice == silent && slices.Contains(expr.Symbols(roots...), rt) {
			return fmt.Errorf("trial %s missing %v: the density of choice %v depends on %s, which a trial of that choice need not have; want if(%s <= …) around it, so that it does not",
				rt, x, silent, rt, m.Choice)
		}
	}
	return nil
}
