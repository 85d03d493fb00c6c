// Package evidence computes the density of a process that a model file declares, numerically and with its gradient. It also
// simulates such processes.
//
// Evidence x with drift α(τ) + β(τ)x and noise σ(τ) is a Brownian motion in the clock s = ∫σ² exp(-2∫β), between transformed
// boundaries S = exp(-∫β) B - ∫α exp(-∫β). The densities of its first passage through two boundaries solve two Volterra integral
// equations [buonocore1987, buonocore1990]. Time is divided into panels, on which the solution is a polynomial through its values
// at Radau nodes. The weights of the integration rule include the weak singularity of the kernels. Derivatives in parameters solve
// the same equations, differentiated.
//
//	[buonocore1987] Buonocore, Nobile, Ricciardi. A new integral equation for the evaluation of first-passage-time probability
//	                densities. Adv. Appl. Prob. 19 (1987) 784-800.
//	[buonocore1990] Buonocore, Giorno, Nobile, Ricciardi. On the two-boundary first-crossing-time problem for diffusion processes.
//	                J. Appl. Prob. 27 (1990) 102-114.
package evidence

import (
	"fmt"
	"slices"

	"likc/compiler/diff"
	"likc/compiler/emit/passage"
	"likc/compiler/expr"
	"likc/compiler/simplify"
)

// NonlinearError says that this package cannot compute a density, because the drift of an accumulator is not linear in its
// evidence.
type NonlinearError struct{ error }

// newStream prepares an accumulator. symbols are the dim parameters, then trial columns.
func newStream(a *expr.Accumulator, symbols []string, dim int) (*stream, error) {
	s := &stream{twoSided: a.Lower != nil || a.Reflect != nil, mirrored: a.Reflect != nil}
	if err := mirrorable(a); err != nil {
		return nil, err
	}
	if p := jumpTime(symbols[:dim], a.Drift, a.Noise); p != "" {
		return nil, fmt.Errorf("%s is in a condition on %s: a density has no derivative by the time of a jump yet", p, expr.Tau)
	}
	names := s.depends(a, symbols[:dim])
	beta := diff.Gradient(a.Drift, []string{a.Evidence})[0]
	for _, name := range expr.Symbols(beta) {
		if name == a.Evidence {
			return nil, NonlinearError{fmt.Errorf("drift %s is not linear in %s", a.Drift, a.Evidence)}
		}
	}
	alpha := expr.Substitution(map[string]*expr.Expr{a.Evidence: expr.Num(0)}).Map(a.Drift)
	if !beta.IsNum(0) && a.Drift.Op == expr.Sym {
		alpha = expr.Num(0)
	}
	roots := make([]*expr.Expr, functions)
	roots[fnAlpha], roots[fnBeta], roots[fnNoise] = alpha, beta, expr.New(expr.Square, a.Noise)
	roots[fnUpper], roots[fnUpperSlope] = a.Upper, byTime(a.Upper)
	roots[fnLower], roots[fnLowerSlope] = expr.Num(0), expr.Num(0)
	switch {
	case s.mirrored:
		roots[fnLower] = expr.New(expr.Sub, expr.New(expr.Mul, expr.Num(2), a.Reflect), a.Upper)
		roots[fnLowerSlope] = expr.New(expr.Neg, roots[fnUpperSlope])
	case s.twoSided:
		roots[fnLower], roots[fnLowerSlope] = a.Lower, byTime(a.Lower)
	}
	s.values = newTape(symbols, roots)
	for f := range functions {
		s.zero[f] = roots[f].IsNum(0)
		s.slope[f] = make([]int, len(names))
		for p, d := range diff.Gradient(roots[f], names) {
			s.slope[f][p] = -1
			if !d.IsNum(0) {
				s.slope[f][p] = len(roots)
				roots = append(roots, d)
			}
		}
	}
	s.slopes = newTape(symbols, roots)
	s.jumps = newTape(symbols, jumpTimes(roots[:functions]...))
	s.start = newLaw(a.Start, symbols, names)
	return s, nil
}

// mirrorable returns an error if evidence is reflected and this package cannot compute its density: see [reflector].
func mirrorable(a *expr.Accumulator) error {
	switch symbols := expr.Symbols(a.Drift, a.Noise); {
	case a.Reflect == nil:
		return nil
	case a.Lower != nil:
		return NonlinearError{fmt.Errorf("evidence that is reflected has a lower boundary too: that has no density yet")}
	case slices.Contains(symbols, expr.Tau) || slices.Contains(symbols, a.Evidence):
		return NonlinearError{fmt.Errorf("evidence that is reflected has no density yet where its drift or noise changes with %s or %s", expr.Tau, a.Evidence)}
	case a.Start.Kind != expr.PointLaw:
		return NonlinearError{fmt.Errorf("evidence that is reflected has no density yet where its start varies from trial to trial")}
	}
	return nil
}

// depends sets the parameters on which an accumulator depends, and returns their names.
func (s *stream) depends(a *expr.Accumulator, params []string) (names []string) {
	occur := expr.Symbols((&expr.Evidence{Accumulators: []expr.Accumulator{*a}}).Roots()...)
	for p, name := range params {
		if slices.Contains(occur, name) {
			s.params, names = append(s.params, p), append(names, name)
		}
	}
	return names
}

// jumpTime returns a parameter on which a condition on the time depends, or "" if there is none. Derivatives ignore conditions,
// so they would be wrong if a parameter moves the time of a jump.
func jumpTime(params []string, roots ...*expr.Expr) string {
	for _, n := range expr.Order(roots...) {
		if !n.Op.Info().Blind {
			continue
		}
		names := expr.Symbols(n.Args[0])
		if !slices.Contains(names, expr.Tau) {
			continue
		}
		for _, p := range params {
			if slices.Contains(names, p) {
				return p
			}
		}
	}
	return ""
}

// byTime returns the derivative in the time.
func byTime(e *expr.Expr) *expr.Expr { return diff.Gradient(e, []string{expr.Tau})[0] }

// newLaw prepares a distribution with derivatives in the parameters of the given names.
func newLaw(l expr.Law, symbols, names []string) law {
	roots := l.Values()
	n := len(roots)
	for _, v := range roots[:n] {
		roots = append(roots, diff.Gradient(v, names)...)
	}
	return law{kind: l.Kind, n: n, tape: newTape(symbols, roots)}
}

// jumpTimes returns the times at which conditions on the time alone change, as tau < s1 does at s1: expressions of parameters and
// trial columns.
func jumpTimes(roots ...*expr.Expr) (times []*expr.Expr) {
	for _, n := range expr.Order(roots...) {
		if n.Op != expr.Less && n.Op != expr.LessEqual {
			continue
		}
		for i, a := range n.Args {
			other := n.Args[1-i]
			if a.Op == expr.Sym && a.Name == expr.Tau && !slices.Contains(expr.Symbols(other), expr.Tau) {
				times = append(times, other)
			}
		}
	}
	return times
}

// newTilt returns the tilt of a process, or nil if its density has none.
func newTilt(e *expr.Evidence, symbols []string, dim int) *tilt {
	terms := tilts(e, symbols, dim)
	if terms == nil {
		return nil
	}
	t := &tilt{}
	for k, of := range terms {
		t.terms[k], t.slopes[k] = expr.NewTape(symbols, of.Terms...), expr.NewTape(symbols, of.Slopes...)
	}
	return t
}

// tilts returns the expressions of a tilt for each boundary, or nil if the density of the process has none.
func tilts(e *expr.Evidence, symbols []string, dim int) (all []passage.Tilt) {
	a := &e.Accumulators[0]
	moving := slices.ContainsFunc(expr.Symbols(a.Drift, a.Noise), func(name string) bool { return name == expr.Tau || name == a.Evidence })
	if len(e.Accumulators) > 1 || a.Reflect != nil || e.Onset.Kind != expr.PointLaw || a.Start.Kind != expr.PointLaw || moving || a.Drift.IsNum(0) {
		return nil
	}
	variance := expr.New(expr.Square, a.Noise)
	spent := expr.New(expr.Mul, expr.New(expr.Square, a.Drift), expr.New(expr.Mul, expr.Num(0.5), expr.Var(expr.Tau)))
	for _, bound := range []*expr.Expr{a.Upper, a.Lower} {
		if bound == nil {
			break
		}
		gained := expr.New(expr.Mul, a.Drift, expr.New(expr.Sub, bound, a.Start.A))
		term := expr.New(expr.Div, expr.New(expr.Sub, gained, spent), variance)
		if simple := simplify.Simplify(term, simplify.Options{}); len(simple.Dropped) == 0 {
			term = simple.Expr
		}
		all = append(all, passage.Tilt{Terms: []*expr.Expr{term, byTime(term)}, Slopes: diff.Gradient(term, symbols[:dim])})
	}
	return all
}

// digamma returns the derivative of the logarithm of the gamma function.
func digamma(x float64) float64 { return expr.Digamma.Info().Eval([3]float64{x}) }
