package compiler

import (
	"slices"

	"likc/compiler/expr"
	"likc/compiler/simplify"
)

// simplify puts the model's log density in canonical form. The support is left as written: it decides exactly which trials
// count.
func (u *Unit) simplify() {
	r := simplifyUnder(u.Model.LogLik, u.Model.Support)
	m := *u.Model
	m.LogLik = r.Expr
	m.Lets = keptLets(u.Model.Lets, r.Expr, u.Model.Support)
	u.Simplified, u.Fired = &m, r.Fired
	for _, c := range r.Dropped {
		u.Dropped = append(u.Dropped, c.String())
	}
}

// keptLets finds the lets again whose simplified values are nodes of e, each after those that it uses.
func keptLets(lets []expr.Let, e *expr.Expr, support []expr.Support) []expr.Let {
	nodes := map[uint64]*expr.Expr{}
	for _, n := range expr.Order(e) {
		nodes[n.Hash()] = n
	}
	var kept []expr.Let
	for _, l := range lets {
		value := simplifyUnder(l.Value, support).Expr
		if n := nodes[value.Hash()]; n != nil && len(n.Args) > 0 && n.Equal(value) {
			kept = append(kept, expr.Let{Name: l.Name, Value: n})
			delete(nodes, value.Hash())
		}
	}
	slices.SortStableFunc(kept, func(a, b expr.Let) int { return a.Value.Size() - b.Value.Size() })
	return kept
}

// simplifyUnder simplifies e where the support holds.
func simplifyUnder(e *expr.Expr, support []expr.Support) simplify.Result {
	var known simplify.Assume
	for _, c := range support {
		known.Positive = append(known.Positive, expr.New(expr.Sub, c.Right, c.Left))
	}
	return simplify.Simplify(e, simplify.Options{Assume: known})
}

// simplifyGroup simplifies what the reflection made of a group's log density, and of the lets in it, so that names are
// found again.
func simplifyGroup(g *expr.Group) {
	g.LogLik = simplifyUnder(g.LogLik, g.Support).Expr
	lets := make([]expr.Let, len(g.Lets))
	for i, l := range g.Lets {
		lets[i] = expr.Let{Name: l.Name, Value: simplifyUnder(l.Value, g.Support).Expr}
	}
	g.Lets = lets
}
