package catalog

import (
	"math"

	"likc/compiler/binding"
	"likc/compiler/expr"
)

// OnsetAt returns the time at which the model's support begins at theta: the highest f of its conditions f < rt, where f is of
// parameters alone and rt the only trial column; 0 if there is none. With several choices it is the earliest of theirs. Lapses may
// come before it.
func (m *Model) OnsetAt(theta []float64) float64 {
	onset, bare := math.Inf(1), m
	if m.Binding != nil {
		f := binding.Of(m.Model)
		at := make([]float64, f.Out())
		f.At(f.NewTrace(), theta, at)
		theta = at[:f.Dim()]
	}
	if m.Lapse != nil {
		bare = m.withoutLapses()
	}
	for _, g := range bare.conditions() {
		begin := 0.0
		for _, c := range g.Support {
			if c.Right.Op != expr.Sym || !m.IsTrial(c.Right.Name) || m.dependsOnTrial(c.Left) {
				continue
			}
			out, _ := expr.NewTape(m.ParamNames(), c.Left).Eval(nil, theta)
			begin = max(begin, out[0])
		}
		onset = min(onset, begin)
	}
	return onset
}

func (m *Model) dependsOnTrial(e *expr.Expr) bool {
	for _, s := range expr.Symbols(e) {
		if !m.IsParam(s) {
			return true
		}
	}
	return false
}
