package distil_test

import "likc/compiler/expr"

// taped evaluates a model's log density as it is written.
type taped struct{ *expr.Tape }

func tape(m *expr.Model) taped {
	return taped{expr.NewTape(append(m.ParamNames(), m.Trials...), m.LogLik)}
}

func (t taped) at(rt float64, theta []float64) float64 {
	values, _ := t.Eval(nil, append(append([]float64(nil), theta...), rt))
	return values[0]
}
