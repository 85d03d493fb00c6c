package divergence

import "likc/compiler/expr"

// sides are a model's choices: what each makes of the parameters, and when its density begins.
type sides struct {
	choices []float64
	tapes   []*expr.Tape // by choice: the reflected parameters, then the onset
}

func newSides(header *expr.Model) *sides {
	s := &sides{}
	names := header.ParamNames()
	for _, choice := range []float64{1, -1} {
		if choice < 0 && header.Choice == "" {
			break
		}
		var roots []*expr.Expr
		for _, name := range names {
			e := expr.Var(name)
			for _, a := range header.Lower {
				if a.Param == name && choice < 0 {
					e = expr.Substitution(map[string]*expr.Expr{header.Choice: expr.Num(choice)}).Map(a.Value)
				}
			}
			roots = append(roots, e)
		}
		s.choices, s.tapes = append(s.choices, choice), append(s.tapes, expr.NewTape(names, append(roots, onset(header))...))
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
