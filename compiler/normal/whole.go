package normal

import (
	"fmt"
	"math"

	"likc/compiler/expr"
)

// Whole returns a normalised model as an ordinary model: its log density minus log Z, where Z is written as a sum with a term
// for each point of the grid. The sum depends only on parameters, so a compiled likelihood computes it once in an evaluation,
// in any language. Whole fails for a model with a binding function, if terms overflow somewhere in the ranges, and if Z differs
// between the two boundaries.
func Whole(m *expr.Model) (*expr.Model, error) {
	p, err := Of(m)
	if err != nil {
		return nil, err
	}
	if err := p.writable(m); err != nil {
		return nil, fmt.Errorf("%s: %w; commands that fit and evaluate take the model as it is", m.Name, err)
	}
	logZ := expr.New(expr.Add, expr.New(expr.Log, inPairs(expr.Add, p.terms())), expr.Num(p.Typical))
	out := *p.Bare
	if p.Mixed == nil {
		out.LogLik, out.LogZ = expr.New(expr.Sub, out.LogLik, logZ), logZ
		return &out, nil
	}
	out = *p.Mixed
	last := len(out.Params) - 1
	substitution := expr.Substitution(map[string]*expr.Expr{out.Params[last].Name: logZ})
	out.Name, out.Params, out.LogLik, out.LogZ = m.Name, out.Params[:last], substitution.Map(out.LogLik), logZ
	return &out, nil
}

// mostSpread is the largest difference between log Z and its typical value for which no term of the sum overflows.
const mostSpread = 400

// writable returns an error if a model cannot be written with its integral as a sum.
func (p *Parts) writable(m *expr.Model) error {
	if m.Binding != nil {
		return fmt.Errorf("it is evaluated at a binding function of its parameters, which is not part of the expression")
	}
	u := fresh(m, "u")
	d := newDensity(sinceOnset(m, u), u)
	reflected := expr.NewTape(m.ParamNames(), m.Reflected()...)
	for _, theta := range d.points(m) {
		logZ := d.onGrid(&p.Grid, theta)
		if !(math.Abs(logZ-p.Typical) <= mostSpread) {
			return fmt.Errorf("the log of its integral is %.4g at %s and %.4g elsewhere in the ranges, and exp cannot hold both", logZ, d.name(theta), p.Typical)
		}
		lower, _ := reflected.Eval(nil, theta)
		if other := d.onGrid(&p.Grid, lower); !(math.Abs(other-logZ) <= 1e-9*(1+math.Abs(logZ))) {
			return fmt.Errorf("its integral at %s changes when the parameters take their values at the lower boundary", d.name(theta))
		}
	}
	return nil
}

// terms returns expressions of the parameters whose sum is the integral divided by exp(Typical).
func (p *Parts) terms() []*expr.Expr {
	all := p.logTerms()
	for i, e := range all {
		all[i] = expr.New(expr.Exp, e)
	}
	return all
}

// logTerms returns the logs of terms.
func (p *Parts) logTerms() (all []*expr.Expr) {
	shift := p.Log.Params[len(p.Log.Params)-1].Name
	for _, g := range p.Log.Groups() {
		for i, u := range p.Grid.U {
			substitution := expr.Substitution(map[string]*expr.Expr{p.Log.Trials[0]: expr.Num(u), p.Log.Trials[1]: expr.Num(p.Grid.LogWeight[i]), shift: expr.Num(0)})
			all = append(all, substitution.Map(g.LogLik))
		}
	}
	return all
}

// inPairs joins terms by an operator. It joins pairs first, so that the expression is not nested deeply.
func inPairs(op expr.Op, terms []*expr.Expr) *expr.Expr {
	if len(terms) == 1 {
		return terms[0]
	}
	half := len(terms) / 2
	return expr.New(op, inPairs(op, terms[:half]), inPairs(op, terms[half:]))
}
