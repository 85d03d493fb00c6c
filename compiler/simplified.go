package compiler

import (
	"slices"

	"likc/compiler/expr"
	"likc/compiler/simplify"
)

// density is the log density of one group of trials in canonical form.
type density struct {
	group expr.Group
	model *expr.Model // the model with the group's choice and parameters substituted, simplified unless it has loops
	simplify.Result
}

// simplify brings the log density of the model, and of each group, into canonical form. If the simplified form is defined for
// trials for which the original is not, the model is compiled as written, because a NaN must not be hidden.
func (u *Unit) simplify(groups []expr.Group) {
	whole := u.rewrite(u.Model, nil)
	u.Simplified, u.Fired = whole.model, whole.Fired
	for _, c := range whole.Dropped {
		u.Dropped = append(u.Dropped, c.String())
	}
	for _, g := range groups {
		d := whole
		if u.ranged || !sameAsModel(g, u.Model) {
			d = u.simplifyGroup(g)
		}
		d.group = g
		u.densities = append(u.densities, d)
		u.AsWritten = u.AsWritten || hides(u.Model, d)
	}
}

// keepLoops uses the groups of a model whose integrals are loops without simplifying them, because the rules do not know sums
// over nodes.
func (u *Unit) keepLoops(looped *expr.Model) {
	u.looped, u.Simplified, u.AsWritten = looped, looped, true
	for _, g := range looped.Groups() {
		u.densities = append(u.densities, density{group: g, model: looped})
	}
}

// sameAsModel reports whether a group has the same expressions as the model. Then they are the same nodes, because a substitution that
// changes nothing makes no new nodes.
func sameAsModel(g expr.Group, m *expr.Model) bool {
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

// rewrite calls the simplifier. known holds the ranges of symbols.
func (u *Unit) rewrite(m *expr.Model, known map[string]expr.Interval) density {
	u.rewrites++
	var o simplify.Options
	o.Assume.Symbols = known
	simplified, result := simplify.Model(m, o)
	return density{model: simplified, Result: result}
}

// ranges returns the declared ranges of the parameters, and ranges of trial columns that must be above a parameter within the
// support.
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

// hides reports whether a dropped requirement cannot be replaced by a guard ([guarded]). This holds for a requirement on
// trials. It also holds if the log density contains a power with a variable exponent, or an operator such as a branch, which may be
// defined although an argument is not: a requirement from there may be stricter than needed, and requirements do not say where they come from.
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

// guarded makes the total undefined where a dropped requirement does not hold. For each requirement it adds zero times an
// expression that is NaN there. For example, (√a)² is simplified to a, but for a negative a the total stays NaN.
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

// halved writes √exp(x) as exp(x/2) where x depends on trials. The expression is larger, but its evaluation needs no root and
// its derivative no reciprocal.
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
