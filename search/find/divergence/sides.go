package divergence

import "likc/compiler/expr"

// sides are a model's choices: what each makes of the parameters, and when its density begins.
type sides struct {
	choices []float64
	tapes   []*expr.Tape // by choice: the reflected parameters, then the onset
}

func newSides(header *expr.Model) *sides {
	names := header.ParamNames()
	roots := make([]*expr.Expr, len(names))
	for i, name := range names {
		roots[i] = expr.Var(name)
	}
	s := &sides{[]float64{1}, []*expr.Tape{expr.NewTape(names, append(roots, onset(header))...)}}
	if header.Choice != "" {
		s.choices = append(s.choices, -1)
		s.tapes = append(s.tapes, expr.NewTape(names, append(header.Reflected(), onset(header))...))
	}
	return s
}

// onset is the latest time that a condition of the support names; 0 without one.
func onset(header *expr.Model) *expr.Expr {
	latest := expr.Num(0)
	for _, c := range header.Groups()[0].Support {
		if c.Right.Op == expr.Sym && c.Right.Name == header.Trials[0] {
			latest = expr.New(expr.Max, latest, c.Left)
		}
	}
	return latest
}

func (s *sides) eval(theta []float64, choice float64) []float64 {
	k := 0
	if choice < 0 {
		k = 1
	}
	values, _ := s.tapes[k].Eval(nil, theta)
	return values
}

// reflected returns the parameters that the expression of the upper boundary takes for a choice.
func (s *sides) reflected(theta []float64, choice float64) []float64 {
	return s.eval(theta, choice)[:len(theta)]
}

func (s *sides) onset(theta []float64, choice float64) float64 {
	return s.eval(theta, choice)[len(theta)]
}
