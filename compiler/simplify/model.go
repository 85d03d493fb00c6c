package simplify

import (
	"slices"

	"likc/compiler/expr"
)

// Under returns the assumptions that follow from a model's support: right - left is positive wherever the density is evaluated.
// The ranges of parameters imply no assumptions, because densities are also evaluated outside them.
func Under(support []expr.Support) Assume {
	var a Assume
	for _, c := range support {
		a.Positive = append(a.Positive, expr.New(expr.Sub, c.Right, c.Left))
	}
	return a
}

// Model returns m with its log density and lets in canonical form, which may assume the model's support and Options.Assume. The
// result's Expr is the new log density. Lets that the density no longer uses are removed. The support stays as written, because
// rounding in it decides which trials are possible.
func Model(m *expr.Model, o Options) (*expr.Model, Result) {
	o.Assume.Positive = append(Under(m.Support).Positive, o.Assume.Positive...)
	s := New(o)
	out := *m
	r := s.Simplify(m.LogLik)
	out.LogLik = r.Expr
	used := map[*expr.Expr]bool{}
	for _, n := range expr.Order(r.Expr) {
		used[n] = len(n.Args) > 0
	}
	out.Lets = nil
	for _, l := range m.Lets {
		if v := s.rewrite(l.Value); used[v] {
			out.Lets = append(out.Lets, expr.Let{Name: l.Name, Value: v})
			used[v] = false
		}
	}
	// A let must come after the lets that it uses, whose expressions are smaller.
	slices.SortStableFunc(out.Lets, func(a, b expr.Let) int { return a.Value.Size() - b.Value.Size() })
	return &out, r
}
