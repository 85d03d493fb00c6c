// Package evidence has the numerical density of a process written down in a model, with its gradient, and simulates it.
//
// Evidence of drift α(τ) + β(τ)x and noise σ(τ) is a Brownian motion in the clock s = ∫σ² exp(-2∫β), between moved boundaries
// S = exp(-∫β) B - ∫α exp(-∫β). Its densities of first passage through two boundaries solve two of Volterra's integral equations
// [buonocore1987, buonocore1990], here on panels of Radau's nodes. The weak singularity of the kernels is in the weights; derivatives by parameters
// solve the same equations, differentiated.
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
	"likc/compiler/expr"
)

// The functions of time of which a stream is made.
const (
	fnAlpha = iota // drift is alpha + beta·x
	fnBeta
	fnNoise // σ²
	fnUpper
	fnUpperSlope // by time
	fnLower
	fnLowerSlope
	functions
)

// stream is one accumulator, compiled.
type stream struct {
	dim    int
	values *tape // the functions of time, then conditions on time
	slopes *tape // the functions, then their derivatives by parameters: those that slope names
	slope  [functions][]int
	start  law
	zero   [functions]bool // identically 0

	twoSided bool
}

// law is a distribution whose values are numbers at given parameters, with their derivatives.
type law struct {
	kind expr.LawKind
	n    int
	tape *tape // values, then for each its derivatives by all parameters
}

// NonlinearError says that the drift of an accumulator depends on its evidence in a way for which there is no density here.
type NonlinearError struct{ error }

// newStream compiles an accumulator. symbols are the parameters, of which there are dim, and then trial columns.
func newStream(a *expr.Accumulator, symbols []string, dim int) (*stream, error) {
	s := &stream{dim: dim, twoSided: a.Lower != nil}
	if a.Reflect != nil {
		return nil, NonlinearError{fmt.Errorf("evidence that is reflected has no density yet")}
	}
	if p := jumpTime(symbols[:dim], a.Drift, a.Noise); p != "" {
		return nil, fmt.Errorf("%s is in a condition on %s: a density has no derivative by the time of a jump yet", p, expr.Tau)
	}
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
	if s.twoSided {
		roots[fnLower], roots[fnLowerSlope] = a.Lower, byTime(a.Lower)
	}
	s.values = newTape(symbols, roots)
	for f := range functions {
		s.zero[f] = roots[f].IsNum(0)
		s.slope[f] = make([]int, dim)
		for p, d := range diff.Gradient(roots[f], symbols[:dim]) {
			s.slope[f][p] = -1
			if !d.IsNum(0) {
				s.slope[f][p] = len(roots)
				roots = append(roots, d)
			}
		}
	}
	s.slopes = newTape(symbols, roots)
	s.start = newLaw(a.Start, symbols, dim)
	return s, nil
}

// jumpTime returns a parameter on which a condition on the time depends; "" for none. Derivatives pass conditions by, so that they would miss what a
// later jump changes.
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

func byTime(e *expr.Expr) *expr.Expr { return diff.Gradient(e, []string{expr.Tau})[0] }

func newLaw(l expr.Law, symbols []string, dim int) law {
	roots := l.Values()
	n := len(roots)
	for _, v := range roots[:n] {
		roots = append(roots, diff.Gradient(v, symbols[:dim])...)
	}
	return law{kind: l.Kind, n: n, tape: newTape(symbols, roots)}
}

// at evaluates the law: value k and its derivatives.
func (l *law) at(m *tapeMemory, mem *arena, dim int, symbols []float64) (values []float64, slopes []float64) {
	l.tape.run(m, mem, nil, symbols)
	values, slopes = mem.take(l.n), mem.take(l.n*dim)
	for k := range values {
		values[k] = l.tape.numberOf(m, k)
	}
	for k := range slopes {
		slopes[k] = l.tape.numberOf(m, l.n+k)
	}
	return values, slopes
}
