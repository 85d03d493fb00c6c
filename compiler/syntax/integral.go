package syntax

import (
	"slices"

	"likc/compiler/expr"
	"likc/compiler/integral"

	"github.com/alecthomas/participle/v2/lexer"
)

// written is an integral with its position in the text.
type written struct {
	*integral.Integral
	pos lexer.Position
}

// infinity is the keyword for an infinite end of an interval. Elsewhere it may be a name.
const infinity = "infinity"

// integral resolves integral(NAME in [LOW, CUT, …, HIGH]: EXPR). The result is a symbol, which complete later replaces by a
// sum.
func (s *scope) integral(call *Ref) *expr.Expr {
	arg := call.Args[0]
	name := arg.Cond.name()
	switch {
	case call.Name != "integral" || name == nil || arg.Except != nil:
		return s.fail(errorf(call.Pos, "an interval in the call of %s, expected it in integral(NAME in [LOW, HIGH]: EXPR)", quote(call.Name)))
	case s.caller == nil:
		return s.fail(errorf(call.Pos, "an integral, expected it only in a let or the loglik of a model"))
	case s.variable != "":
		return s.fail(errorf(call.Pos, "an integral inside of another, expected none"))
	case len(s.caller.integrals) == MaxIntegrals:
		return s.fail(errorf(call.Pos, "more than %d integrals in a model", MaxIntegrals))
	}
	_, declared := s.symbols[name.Name]
	if _, index := s.index[name.Name]; declared || index {
		return s.fail(errorf(name.Pos, "variable %s is declared already, expected a new name", quote(name.Name)))
	}
	if _, function := expr.ByName(name.Name); function {
		return s.fail(errorf(name.Pos, "%s is a function, expected another name", quote(name.Name)))
	}
	ends := s.ends(call.Pos, arg.Over)
	i := integral.New(len(s.caller.integrals), ends)
	s.variable, s.running = name.Name, expr.Var(i.Variable)
	i.Of = s.cond(arg.Over.Of)
	s.variable = ""
	if s.err != nil {
		return expr.Num(0)
	}
	roots := []*expr.Expr{i.Of}
	for _, end := range ends {
		if end.At != nil {
			roots = append(roots, end.At)
		}
	}
	if s.caller.integralIn(roots...) != nil {
		return s.fail(errorf(call.Pos, "an integral of another, expected none"))
	}
	if len(expr.Order(roots...)) > MaxIntegrand {
		return s.fail(errorf(call.Pos, "an integral of more than %d nodes", MaxIntegrand))
	}
	s.caller.integrals = append(s.caller.integrals, &written{i, call.Pos})
	return expr.Var(i.Symbol)
}

// ends resolves the ends and cuts of an interval.
func (s *scope) ends(pos lexer.Position, over *Interval) (all []integral.End) {
	if n := len(over.Ends); n < 2 || n > MaxCuts {
		s.fail(errorf(pos, "number of ends and cuts of an integral is %d, expected 2 to %d", n, MaxCuts))
		return nil
	}
	for k, e := range over.Ends {
		switch sign := infinite(e); {
		case sign == 0:
			all = append(all, integral.End{At: s.expr(e)})
		case sign < 0 && k == 0, sign > 0 && k == len(over.Ends)-1:
			all = append(all, integral.End{Infinite: sign})
		default:
			s.fail(errorf(pos, "infinity inside of an interval, expected -infinity only as the first end and infinity as the last"))
		}
	}
	return all
}

// infinite returns 1 for infinity, -1 for -infinity and 0 for any other expression.
func infinite(e *Expr) int {
	if len(e.Right) > 0 || len(e.Left.Right) > 0 {
		return 0
	}
	sign, u := 1, e.Left.Left
	if u.Negative != nil {
		sign, u = -1, u.Negative
	}
	if u.Power == nil || u.Power.Exponent != nil {
		return 0
	}
	if r := u.Power.Base.Ref; r != nil && r.Name == infinity && r.Index == nil && len(r.Args) == 0 {
		return sign
	}
	return 0
}

// integralIn returns an integral on which one of the expressions depends, or nil if there is none.
func (r *resolver) integralIn(roots ...*expr.Expr) *written {
	if len(r.integrals) == 0 {
		return nil
	}
	symbols := expr.Symbols(roots...)
	for _, i := range r.integrals {
		if slices.Contains(symbols, i.Symbol) {
			return i
		}
	}
	return nil
}

// sums replaces the integrals by sums.
func (r *resolver) sums(pos lexer.Position) error {
	if len(r.integrals) == 0 {
		return nil
	}
	var all []*integral.Integral
	for _, i := range r.integrals {
		all = append(all, i.Integral)
	}
	if err := checkNodes(pos, r.model); err != nil {
		return err
	}
	nodes, culprit, err := integral.Choose(r.model, all)
	if err != nil {
		return errorf(r.integrals[culprit].pos, "integral: %v", err)
	}
	sums, loops := map[string]*expr.Expr{}, map[string]*expr.Expr{}
	var tables []expr.Table
	for k, i := range all {
		var t expr.Table
		sums[i.Symbol] = i.Sum(nodes[k])
		loops[i.Symbol], t = i.Loop(nodes[k])
		tables = append(tables, t)
	}
	looped := &expr.Looped{Tables: tables}
	looped.LogLik, looped.Lets = substituted(loops, r.model)
	r.model.LogLik, r.model.Lets = substituted(sums, r.model)
	looped.Of = r.model.LogLik
	r.model.Integrals, r.model.Looped = true, looped
	return nil
}

// substituted returns a model's log density and lets with symbols replaced by expressions.
func substituted(values map[string]*expr.Expr, m *expr.Model) (loglik *expr.Expr, lets []expr.Let) {
	all := expr.Substitution(values)
	for _, l := range m.Lets {
		lets = append(lets, expr.Let{Name: l.Name, Value: all.Map(l.Value)})
	}
	return all.Map(m.LogLik), lets
}
