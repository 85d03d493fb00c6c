package front

import (
	"likc/compiler/expr"
	"likc/runtime/ssm"
)

// Header is the model of that name among the sequential sampling models, without an expression: trials rt, the choice,
// parameters and ranges, t < rt, and the reflection at the lower boundary.
func Header(model string) (*expr.Model, error) {
	s, err := ssm.Lookup(model)
	if err != nil {
		return nil, err
	}
	m := &expr.Model{Name: s.Name, Trials: []string{"rt"}, Choice: "choice"}
	m.Support = []expr.Support{{Left: expr.Var("t"), Right: expr.Var("rt")}}
	at0, at1 := make([]float64, s.Dim()), make([]float64, s.Dim())
	for i := range at1 {
		at1[i] = 1
	}
	s.Reflect(at0, at0)
	s.Reflect(at1, at1)
	for i, p := range s.Params {
		m.Params = append(m.Params, expr.Param{Name: p.Name, Lower: p.Lower, Upper: p.Upper})
		switch x := expr.Var(p.Name); [2]float64{at0[i], at1[i]} { // reflections are x, -x and 1 - x
		case [2]float64{0, -1}:
			m.Lower = append(m.Lower, expr.Assign{Param: p.Name, Value: expr.New(expr.Neg, x)})
		case [2]float64{1, 0}:
			m.Lower = append(m.Lower, expr.Assign{Param: p.Name, Value: expr.New(expr.Sub, expr.Num(1), x)})
		}
	}
	return m, nil
}
