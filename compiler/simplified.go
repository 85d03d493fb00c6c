package compiler

import (
	"slices"

	"likc/compiler/expr"
	"likc/compiler/simplify"
)

// density is the log density of one group of trials in canonical form.
type density struct {
	group expr.Group
	seen  *expr.Model // the model as the group has it, simplified
	simplify.Result
}

// simplify puts the model's log density in canonical form, and that of each group. Where this drops a requirement on a
// trial, the model is compiled as written: a NaN at a trial is never hidden.
func (u *Unit) simplify(groups []expr.Group) {
	whole := u.rewrite(u.Model, nil)
	u.Simplified, u.Fired = whole.seen, whole.Fired
	for _, c := range whole.Dropped {
		u.Dropped = append(u.Dropped, c.String())
	}
	for _, g := range groups {
		d := whole
		if u.ranged || !sees(g, u.Model) {
			d = u.simplifyGroup(g)
		}
		d.group = g
		u.densities = append(u.densities, d)
		u.AsWritten = u.AsWritten || hides(u.Model, d)
	}
}

// keepLoops takes the groups of a model whose integrals are loops as they were written: the rules know no sums over nodes.
func (u *Unit) keepLoops(looped *expr.Model) {
	u.looped, u.Simplified, u.AsWritten = looped, looped, true
	for _, g := range looped.Groups() {
		u.densities = append(u.densities, density{group: g, seen: looped})
	}
}

// sees reports whether a group has the model's own expressions: substitution makes no new node where it changes nothing.
func sees(g expr.Group, m *expr.Model) bool {
	return g.LogLik == m.LogLik && slices.Equal(g.Support, m.Support) && slices.Equal(g.Lets, m.Lets)
}

// simplifyGroup simplifies the log density and the lets that a group sees.
func (u *Unit) simplifyGroup(g expr.Group) density {
	seen := *u.Model
	seen.LogLik, seen.Support, seen.Lets = g.LogLik, g.Support, g.Lets
	if u.ranged {
		return u.rewrite(&seen, ranges(&seen))
	}
	return u.rewrite(&seen, nil)
}

// rewrite calls the simplifier, with what is known of the symbols.
func (u *Unit) rewrite(m *expr.Model, known map[string]expr.Interval) density {
	u.rewrites++
	var o simplify.Options
	o.Assume.Symbols = known
	seen, result := simplify.Model(m, o)
	return density{seen: seen, Result: result}
}

// ranges bounds the parameters as declared, and trial columns by a parameter that the support keeps them above.
func ranges(m *expr.Model) map[string]expr.Interval {
	bounds := map[string]expr.Interval{}
	for _, p := range m.Params {
		bounds[p.Name] = expr.Interval{Lo: p.Lower, Hi: p.Upper}
	}
	for _, c := range m.Support {
		if c.Right.Op != expr.Sym || c.Left.Op != expr.Sym || !m.IsTrial(c.Right.Name) || m.IsTrial(c.Left.Name) {
			continue
		}
		above := expr.Above(bounds[c.Left.Name].Lo)
		if known, ok := bounds[c.Right.Name]; ok {
			above = above.Intersect(known)
		}
		bounds[c.Right.Name] = above
	}
	return bounds
}

// hides reports whether one of the dropped requirements cannot be kept by a guard: it is on a trial, or it may stem from a
// power with a variable exponent, for which the simplifier asks more than the power itself does, or from a branch that is
// not taken, where it does not matter.
func hides(m *expr.Model, d density) bool {
	if len(d.Dropped) == 0 {
		return false
	}
	for _, c := range d.Dropped {
		if onTrial(m, c.Expr) {
			return true
		}
	}
	for _, n := range expr.Order(d.group.LogLik) {
		if n.Op == expr.Pow && n.Args[1].Op != expr.Const || n.Op.Info().Blind {
			return true
		}
	}
	return false
}

// guarded adds to the total, for each requirement that simplification dropped, zero times something that is undefined
// where it does not hold: (√a)² is a, but for a negative a the total stays NaN.
func guarded(total *expr.Expr, dropped []simplify.Condition) *expr.Expr {
	undefined := map[expr.Must]expr.Op{
		expr.NonZero: expr.Inv, expr.NonNegative: expr.Sqrt, expr.Positive: expr.Log, expr.AboveMinus1: expr.Log1p, expr.InUnit: expr.Logit,
		expr.BelowZero: expr.Log1mExp,
	}
	for _, c := range dropped {
		total = expr.New(expr.Add, total, expr.New(expr.Mul, expr.Num(0), expr.New(undefined[c.Must], c.Expr)))
	}
	return total
}

// halved writes √exp(x) at a trial as exp(x/2), which is larger as an expression and cheaper to evaluate: it costs neither
// the root nor, in derivatives, its reciprocal.
func halved(m *expr.Model, e *expr.Expr) *expr.Expr {
	return expr.Map(e, func(n *expr.Expr, args []*expr.Expr) *expr.Expr {
		if n.Op == expr.Sqrt && args[0].Op == expr.Exp && onTrial(m, args[0]) {
			return expr.New(expr.Exp, expr.New(expr.Mul, expr.Num(0.5), args[0].Args[0]))
		}
		return n.With(args)
	})
}

// onTrial reports whether an expression has a trial symbol.
func onTrial(m *expr.Model, e *expr.Expr) bool {
	return slices.ContainsFunc(expr.Symbols(e), m.IsTrial)
}
