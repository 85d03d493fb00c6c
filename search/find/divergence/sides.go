package divergence

import "likc/compiler/expr"

// sides holds, for each choice of a model, the parameters with which the expression is evaluated for that choice, and the onset
// of the choice's density.
type sides struct {
	choices []float64    // codes of the choices; a model without choices has the single code 1, for all trials
	tapes   []*expr.Tape // for each choice, a tape that computes the parameters for that choice, then the onset
}

func newSides(header *expr.Model) *sides {
	names := header.ParamNames()
	roots := make([]*expr.Expr, len(names))
	for i, name := range names {
		roots[i] = expr.Var(name)
	}
	s := &sides{choices: []float64{1}}
	if header.Choice != "" {
		s.choices = header.Codes()
	}
	for _, choice := range s.choices {
		if header.Choices == 0 && choice < 0 {
			roots = header.Reflected()
		}
		s.tapes = append(s.tapes, expr.NewTape(names, append(roots[:len(names):len(names)], onset(header))...))
	}
	return s
}

// onset returns the latest of the times that the response time must exceed, by the conditions of the support; 0 without such conditions.
func onset(header *expr.Model) *expr.Expr {
	latest := expr.Num(0)
	for _, c := range header.Groups()[0].Support {
		if c.Right.Op == expr.Sym && c.Right.Name == header.Trials[0] {
			latest = expr.New(expr.Max, latest, c.Left)
		}
	}
	return latest
}

// eval returns the parameters for the k-th choice, then the onset.
func (s *sides) eval(theta []float64, k int) []float64 {
	values, _ := s.tapes[k].Eval(nil, theta)
	return values
}

// reflected returns the parameters with which the upper boundary's expression is evaluated for the k-th choice.
func (s *sides) reflected(theta []float64, k int) []float64 { return s.eval(theta, k)[:len(theta)] }

// onset returns the time at which the density of the k-th choice begins.
func (s *sides) onset(theta []float64, k int) float64 { return s.eval(theta, k)[len(theta)] }
