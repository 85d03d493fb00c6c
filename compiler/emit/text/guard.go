package text

import (
	"slices"
	"strings"

	"likc/compiler/expr"
)

// guard is a condition under which a branch of an if is taken: the first branch if it holds, the second if it does not.
type guard struct {
	condition *expr.Expr
	holds     bool
}

func (g guard) equals(other guard) bool {
	return g.holds == other.holds && g.condition.Equal(other.condition)
}

// guards returns the conditions under which each node of an expression is needed: those of all branches that every way to it leads through,
// outer ones first.
func guards(e *expr.Expr) map[*expr.Expr][]guard {
	of := map[*expr.Expr][]guard{e: nil}
	for _, n := range slices.Backward(expr.Order(e)) {
		for i, a := range n.Args {
			under := of[n]
			if n.Op == expr.If && i > 0 {
				under = append(slices.Clip(under), guard{n.Args[0], i == 1})
			}
			if known, ok := of[a]; ok {
				under = slices.DeleteFunc(slices.Clone(known), func(g guard) bool { return !slices.ContainsFunc(under, g.equals) })
			}
			of[a] = under
		}
	}
	return of
}

// guarded returns the code of a number, which in a language that needs it is computed under conditions only, and else is 0, which no branch reads.
func (w *writer) guarded(e *expr.Expr, under []guard) string {
	if !w.lang.taped || len(under) == 0 || w.vectors.isVector(e) {
		return w.text(e)
	}
	var list []string
	for _, g := range under {
		text := "(" + w.condition(g.condition) + ")"
		if !g.holds {
			text = "!" + text
		}
		list = append(list, text)
	}
	return strings.Join(list, " && ") + " ? " + w.write(e, primary) + " : " + w.lang.number(0)
}
