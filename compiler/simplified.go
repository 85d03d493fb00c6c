package compiler

import (
	"slices"

	"likc/compiler/expr"
	"likc/compiler/simplify"
)

// simplify puts the model's log density in canonical form. Where that drops a requirement on a trial, the model is
// compiled as written: a NaN at a trial is never hidden.
func (u *Unit) simplify() {
	m, r := simplify.Model(u.Model, simplify.Options{})
	u.Simplified, u.Fired = m, r.Fired
	for _, c := range r.Dropped {
		u.Dropped = append(u.Dropped, c.String())
	}
	for _, g := range u.Model.Groups() {
		_, r := u.simplifyGroup(g)
		u.AsWritten = u.AsWritten || hides(u.Model, r.Dropped)
	}
}

// simplifyGroup simplifies the log density and the lets that a group sees; the result is the model as that group has it.
func (u *Unit) simplifyGroup(g expr.Group) (*expr.Model, simplify.Result) {
	seen := *u.Model
	seen.LogLik, seen.Support, seen.Lets = g.LogLik, g.Support, g.Lets
	var o simplify.Options
	if u.ranged {
		o.Assume.Symbols = ranges(&seen)
	}
	return simplify.Model(&seen, o)
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

// hides reports whether one of the dropped requirements cannot be kept by a guard: it is on a trial, or it stems from a
// power with a variable exponent, for which the simplifier asks more than the power itself does.
func hides(m *expr.Model, dropped []simplify.Condition) bool {
	if len(dropped) == 0 {
		return false
	}
	for _, c := range dropped {
		if onTrial(m, c.Expr) {
			return true
		}
	}
	for _, n := range expr.Order(m.LogLik) {
		if n.Op == expr.Pow && n.Args[1].Op != expr.Const {
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
