package compiler

import (
	"likc/compiler/expr"
	"likc/compiler/simplify"
)

// simplify puts the model's log density in canonical form.
func (u *Unit) simplify() {
	m, r := simplify.Model(u.Model, simplify.Options{})
	u.Simplified, u.Fired = m, r.Fired
	for _, c := range r.Dropped {
		u.Dropped = append(u.Dropped, c.String())
	}
}

// simplifyGroup simplifies what the reflection made of a group's log density, and of the lets in it.
func simplifyGroup(m *expr.Model, g *expr.Group) {
	seen := *m
	seen.LogLik, seen.Support, seen.Lets = g.LogLik, g.Support, g.Lets
	out, _ := simplify.Model(&seen, simplify.Options{})
	g.LogLik, g.Lets = out.LogLik, out.Lets
}
