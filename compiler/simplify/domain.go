package simplify

import (
	"likc/compiler/expr"
)

// dropInside records the requirements of all operators in e, because e is no longer part of the result.
func (s *Simplifier) dropInside(e *expr.Expr) { s.dropped = requirements(s.dropped, e) }

// dropNode records the requirements of the operator of n on its arguments.
func (s *Simplifier) dropNode(n *expr.Expr) {
	for _, c := range n.Op.Info().Domain {
		s.dropped = append(s.dropped, Condition{n.Args[c.Arg], c.Must})
	}
}

// requirements appends the requirements of all operators in the expressions on their arguments.
func requirements(list []Condition, roots ...*expr.Expr) []Condition {
	return requirementsOf(list, expr.Order(roots...))
}

// visible returns the nodes of e for which this holds: if the node is undefined, so is e.
func visible(e *expr.Expr) []*expr.Expr {
	var list []*expr.Expr
	seen := map[*expr.Expr]bool{}
	var walk func(*expr.Expr)
	walk = func(e *expr.Expr) {
		if seen[e] || e.Op.Info().Blind {
			return
		}
		seen[e] = true
		list = append(list, e)
		for _, a := range e.Args {
			walk(a)
		}
	}
	walk(e)
	return list
}

// requirementsOf appends the requirements of the nodes' operators on their arguments.
func requirementsOf(list []Condition, nodes []*expr.Expr) []Condition {
	for _, n := range nodes {
		for _, c := range n.Op.Info().Domain {
			list = append(list, Condition{n.Args[c.Arg], c.Must})
		}
		if n.Op == expr.Pow {
			list = append(list, powRequirement(n.Args[0], n.Args[1])...)
		}
	}
	return list
}

// powRequirement returns conditions under which base^exponent is real. For a variable exponent they are stricter than
// necessary, because whole exponents also allow negative bases.
func powRequirement(base, exponent *expr.Expr) []Condition {
	if exponent.Op != expr.Const {
		return []Condition{{base, expr.Positive}}
	}
	switch needOf(exponent.Value) {
	case nonZero:
		return []Condition{{base, expr.NonZero}}
	case nonNegative:
		return []Condition{{base, expr.NonNegative}}
	case nonZero | nonNegative:
		return []Condition{{base, expr.Positive}}
	}
	return nil
}

// lost returns the dropped conditions, each once, that follow neither from what is known nor from out being defined.
func (s *Simplifier) lost(out *expr.Expr) []Condition {
	if len(s.dropped) == 0 {
		return nil
	}
	var kept []Condition
	for _, c := range requirementsOf(nil, visible(out)) {
		kept = s.elementary(kept, c)
	}
	var lost []Condition
	for _, d := range s.dropped {
		for _, c := range s.elementary(nil, Condition{s.rewritten(d.Expr), d.Must}) {
			if !implied(kept, c) && !implied(lost, c) {
				lost = append(lost, c)
			}
		}
	}
	return lost
}

// rewritten returns the canonical form of a dropped expression, in which it may occur in the result.
func (s *Simplifier) rewritten(e *expr.Expr) *expr.Expr {
	fired, dropped := len(s.order), len(s.dropped)
	out := s.rewrite(e)
	for _, id := range s.order[fired:] {
		s.fired[id] = false
	}
	s.order, s.dropped = s.order[:fired], s.dropped[:dropped]
	return out
}

// implied reports whether a condition in the list implies c.
func implied(list []Condition, c Condition) bool {
	for _, d := range list {
		if d.Expr == c.Expr && (d.Must == c.Must || implies[d.Must][c.Must]) {
			return true
		}
	}
	return false
}

// implies holds, for each condition on an expression, the weaker conditions that follow from it.
var implies = map[expr.Must]map[expr.Must]bool{
	expr.Positive:    {expr.NonZero: true, expr.NonNegative: true, expr.AboveMinus1: true},
	expr.NonNegative: {expr.AboveMinus1: true},
	expr.InUnit:      {expr.NonZero: true, expr.NonNegative: true, expr.Positive: true, expr.AboveMinus1: true},
	expr.BelowZero:   {expr.NonZero: true},
}

// elementary appends c to the list as conditions on the smallest possible expressions: x·y ≠ 0 becomes x ≠ 0 and y ≠ 0. It
// leaves out conditions that are known to hold.
func (s *Simplifier) elementary(list []Condition, c Condition) []Condition {
	if s.is(c.Expr, c.Must) {
		return list
	}
	x := c.Expr
	switch {
	case c.Must == expr.NonZero && (x.Op == expr.Mul || x.Op == expr.Div):
		for _, a := range x.Args {
			list = s.elementary(list, Condition{a, expr.NonZero})
		}
		return list
	case x.Op == expr.Mul && x.Args[0].Op == expr.Const && x.Args[0].Value > 0 && c.Must <= expr.Positive:
		return s.elementary(list, Condition{x.Args[1], c.Must})
	case c.Must == expr.NonZero && vanishesWithArgument(x), c.Must == expr.Positive && x.Op == expr.Sqrt:
		return s.elementary(list, Condition{x.Args[0], c.Must})
	case c.Must == expr.Positive && isEvenPower(x):
		return s.elementary(list, Condition{x.Args[0], expr.NonZero})
	}
	if implied(list, c) {
		return list
	}
	return append(list, c)
}

// vanishesWithArgument reports whether the node is zero if and only if its first argument is zero.
func vanishesWithArgument(x *expr.Expr) bool {
	switch x.Op {
	case expr.Neg, expr.Square, expr.Abs, expr.Sqrt, expr.Cbrt:
		return true
	case expr.Pow:
		return x.Args[1].Op == expr.Const && x.Args[1].Value > 0
	}
	return false
}

func isEvenPower(x *expr.Expr) bool {
	return x.Op == expr.Square || x.Op == expr.Abs ||
		x.Op == expr.Pow && x.Args[1].Op == expr.Const && isEven(x.Args[1].Value)
}
