package normal

import (
	"math"

	"likc/compiler/binding"
	"likc/compiler/expr"
)

// Limits for a model with lapses: a log density below lowest is set to lowest, and a time since the onset below earliest, in
// seconds, to earliest. Such values have no effect on the mixture, and the limits avoid branches, so that loops compile to
// vector code.
const (
	lowest   = -1e5
	earliest = 1e-9
)

// mixed returns the density of a model mixed with its lapses,
//
//	log((1 - p) exp(f - log Z) + p u) = l + softplus(f - log Z + log(1 - p) - l)    l = log(p u),
//
// where p is the probability of a lapse, and u its uniform density, which is 0 for times after its end. Before the onset f is
// lowest, so the model needs no support conditions. Log Z is the last parameter of the result.
func mixed(m *expr.Model) *expr.Model {
	p, until, rt := m.Lapse.Probability, m.Lapse.Until, expr.Var(m.Trials[0])
	choices := float64(max(1, len(m.Codes())))
	logZ := fresh(m, "logz")
	out := *m
	out.Name, out.Normalise, out.Lapse, out.Binding, out.Support = m.Name+"_mixed", false, nil, nil, nil
	out.Lets, out.Simulator = nil, nil
	out.Params = append(append([]expr.Param{}, m.Params...), expr.Param{Name: logZ, Lower: -700, Upper: 700})
	add := func(x, y *expr.Expr) *expr.Expr { return expr.New(expr.Add, x, y) }
	sub := func(x, y *expr.Expr) *expr.Expr { return expr.New(expr.Sub, x, y) }
	// unless returns an expression that is 0 where x < y holds, and lowest elsewhere.
	unless := func(x, y *expr.Expr) *expr.Expr {
		return expr.New(expr.Mul, expr.Num(-lowest), sub(expr.New(expr.Less, x, y), expr.Num(1)))
	}
	time, before := rt, expr.Num(0)
	for _, s := range m.Support {
		time = expr.New(expr.Max, time, add(s.Left, expr.Num(earliest)))
		before = add(before, unless(s.Left, rt))
	}
	density := expr.Substitution(map[string]*expr.Expr{m.Trials[0]: time}).Map(m.LogLik)
	density = add(add(sub(density, expr.Var(logZ)), expr.Num(math.Log1p(-p))), before)
	lapse := add(expr.Num(math.Log(p/(until*choices))), unless(rt, expr.Num(until)))
	out.LogLik = add(lapse, expr.New(expr.Softplus, sub(density, lapse)))
	return &out
}

// imagePoints is the number of points, spread over the ranges, whose images under the binding function are checked.
const imagePoints = 400

// images returns the images of points under the model's binding function, which may lie outside the ranges. Without one, they are the
// points.
func images(m *expr.Model, points [][]float64) (all [][]float64) {
	if m.Binding == nil {
		return points
	}
	f := binding.Of(m)
	trace := f.NewTrace()
	for _, theta := range points {
		image := make([]float64, f.Out())
		f.At(trace, theta, image)
		all = append(all, image)
	}
	return all
}
