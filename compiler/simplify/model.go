package simplify

import (
	"slices"

	"likc/compiler/expr"
)

// Under returns what a model's support says of its symbols: right - left is positive wherever the density is evaluated.
// The parameters' ranges say nothing.
func Under(support []expr.Support) Assume {
	var a Assume
	for _, c := range support {
		a.Positive = append(a.Positive, expr.New(expr.Sub, c.Right, c.Left))
	}
	return a
}

// Model returns m with its log density and lets in canonical form, under the knowledge of its support; the result's Expr is
// the new log density. Lets that the density no longer uses are left out. The support stays as written: it decides to the
// bit which trials count. Options.Assume is added to what the support says.
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
	// a let comes after those in its value, whose values are smaller
	slices.SortStableFunc(out.Lets, func(a, b expr.Let) int { return a.Value.Size() - b.Value.Size() })
	return &out, r
}
