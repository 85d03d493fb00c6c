package syntax

import (
	"cmp"
	"slices"
	"strings"

	"likc/compiler/expr"

	"github.com/alecthomas/participle/v2/lexer"
)

// scope turns the syntax tree of an expression into nodes. It keeps its first error; nodes made after that have no meaning.
type scope struct {
	symbols    map[string]*expr.Expr
	paramsOnly *expr.Model    // if set, only parameters of this model are allowed as symbols
	where      string         // the declaration that allows only parameters, for errors
	caller     *resolver      // the resolver of the model if the expression may call other models; else nil
	index      map[string]int // the choice that each index stands for now
	written    int            // the number of operands that were resolved while an index stood for a choice
	noCalls    string         // if set, no densities may be called; the declaration that forbids them, for errors
	supplied   bool           // whether a name that is not declared stands for a column of the data
	variable   string         // the variable of the integral that is being resolved; "" for none
	running    *expr.Expr     // the expression for the variable
	err        error
}

// expr resolves an expression that may use all declared symbols.
func (r *resolver) expr(e *Expr) (*expr.Expr, error) {
	s := scope{symbols: r.symbols, caller: r}
	return s.expr(e), s.err
}

// paramExpr resolves an expression that may use only parameters. where is the declaration that demands this, for errors.
func (r *resolver) paramExpr(where string, e *Expr) (*expr.Expr, error) {
	s := scope{symbols: r.symbols, paramsOnly: r.model, where: where}
	return s.expr(e), s.err
}

// fail records the first error, and returns 0 in place of an expression.
func (s *scope) fail(err error) *expr.Expr {
	if s.err == nil {
		s.err = err
	}
	return expr.Num(0)
}

// cond resolves an argument of a call, or the expression within parentheses.
func (s *scope) cond(c *Cond) *expr.Expr {
	x := s.and(c.Left)
	for _, r := range c.Right {
		x = expr.New(expr.Or, x, s.and(r))
	}
	return x
}

// and, compare, expr and term resolve the levels of the grammar between cond and unary.
func (s *scope) and(c *AndCond) *expr.Expr {
	x := s.compare(c.Left)
	for _, r := range c.Right {
		x = expr.New(expr.And, x, s.compare(r))
	}
	return x
}

func (s *scope) compare(c *Compare) *expr.Expr {
	x := s.expr(c.Left)
	if c.Op == "" {
		return x
	}
	return expr.New(binary[c.Op], x, s.expr(c.Right))
}

func (s *scope) expr(e *Expr) *expr.Expr {
	x := s.term(e.Left)
	for _, r := range e.Right {
		x = expr.New(binary[r.Op], x, s.term(r.Term))
	}
	return x
}

func (s *scope) term(t *Term) *expr.Expr {
	x := s.unary(t.Left)
	for _, r := range t.Right {
		x = expr.New(binary[r.Op], x, s.unary(r.Unary))
	}
	return x
}

// binary maps each infix sign to its operator.
var binary = signs(expr.Infix)

// signs returns the operators with a notation in the operator table, by their signs.
func signs(n expr.Notation) map[string]expr.Op {
	ops := map[string]expr.Op{}
	for _, op := range expr.Ops() {
		if info := op.Info(); info.Notation == n {
			ops[info.Text] = op
		}
	}
	return ops
}

// unary returns the expression of an operand with its unary minuses.
func (s *scope) unary(u *Unary) *expr.Expr {
	if u.Negative != nil {
		return expr.New(expr.Neg, s.unary(u.Negative))
	}
	return s.power(u.Power)
}

// power returns the expression of a power, or of its base if there is no exponent.
func (s *scope) power(p *Power) *expr.Expr {
	x := s.primary(p.Base)
	if p.Exponent == nil {
		return x
	}
	return expr.New(expr.Pow, x, s.unary(p.Exponent))
}

// primary returns the expression of a number, a symbol, a call, or an expression in parentheses.
func (s *scope) primary(p *Primary) *expr.Expr {
	if len(s.index) > 0 {
		s.written++
	}
	switch {
	case s.written > MaxNodes:
		return s.fail(errorf(p.Pos, "more than %d operands in an expression whose choices are written out", MaxNodes))
	case s.err != nil:
		return expr.Num(0)
	case p.Paren != nil:
		return s.cond(p.Paren)
	case p.Ref != nil && p.Ref.Index != nil:
		return s.indexed(p.Ref)
	case p.Ref != nil && len(p.Ref.Args) > 0:
		return s.call(p.Ref)
	case p.Ref != nil:
		return s.symbol(p.Ref.Pos, p.Ref.Name)
	}
	v, err := number(p.Number)
	if err != nil {
		return s.fail(err)
	}
	return expr.Num(v)
}

// symbol returns the expression for which a name stands.
func (s *scope) symbol(pos lexer.Position, name string) *expr.Expr {
	if name == s.variable {
		return s.running
	}
	x, ok := s.symbols[name]
	if s.caller != nil && s.caller.several[name] != nil {
		return s.fail(errorf(pos, "%[1]s stands for one value a choice, expected %[1]s[…] with the choice or an index", name))
	}
	if _, function := expr.ByName(name); function {
		return s.fail(errorf(pos, "%s is a function, expected its arguments", quote(name)))
	}
	if !ok && s.supplied {
		x = expr.Var(name)
		s.symbols[name] = x
		return x
	}
	if !ok && (strings.EqualFold(name, "inf") || strings.EqualFold(name, infinity)) {
		return s.fail(errorf(pos, "unknown symbol %s, expected one declared above, or %s alone as an end of an integral", quote(name), infinity))
	}
	if !ok {
		return s.fail(errorf(pos, "unknown symbol %s, expected one declared above", quote(name)))
	}
	if s.paramsOnly != nil && !s.paramsOnly.IsParam(name) {
		return s.fail(errorf(pos, "%s uses %s, expected only parameters and numbers", s.where, quote(name)))
	}
	return x
}

// call returns the expression of a call: of an operator, of a model's density, or of an integral, sum or product with an index.
func (s *scope) call(r *Ref) *expr.Expr {
	if len(r.Args) == 1 && r.Args[0].Each != nil {
		return s.fold(r)
	}
	if len(r.Args) == 1 && r.Args[0].Over != nil {
		return s.integral(r)
	}
	op, ok := expr.ByName(r.Name)
	if m := s.callable(r); !ok && m != nil {
		return s.density(r, m)
	}
	if s.err != nil {
		return expr.Num(0)
	}
	if !ok && s.symbols[r.Name] != nil {
		return s.fail(errorf(r.Pos, "symbol %s is not a function, expected an operator before \"(\"", quote(r.Name)))
	}
	if !ok && slices.ContainsFunc(r.Args, func(a *Arg) bool { return a.Value != nil }) {
		return s.fail(errorf(r.Pos, "unknown model %s, expected one declared above or built in", quote(r.Name)))
	}
	if !ok {
		return s.fail(errorf(r.Pos, "unknown function %s, expected %s", quote(r.Name), cmp.Or(otherNames[r.Name], functions)))
	}
	if want := op.Info().Arity; len(r.Args) != want {
		return s.fail(errorf(r.Pos, "number of arguments of %s is %d, expected %d", quote(r.Name), len(r.Args), want))
	}
	args := make([]*expr.Expr, len(r.Args))
	for i, a := range r.Args {
		if a.Each != nil || a.Except != nil {
			return s.fail(errorf(a.Pos, "an index among the arguments of %s, expected it in sum(INDEX: EXPR) or product(INDEX: EXPR)", quote(r.Name)))
		}
		if a.Over != nil {
			return s.fail(errorf(a.Pos, "an interval among the arguments of %s, expected it in integral(NAME in [LOW, HIGH]: EXPR)", quote(r.Name)))
		}
		if a.Value != nil {
			return s.fail(errorf(a.Pos, "function %s has no named arguments, expected an expression", quote(r.Name)))
		}
		args[i] = s.cond(a.Cond)
	}
	return expr.New(op, args...)
}

// otherNames maps names of functions in R, Python and C to the names of the same functions here, for hints in errors.
var otherNames = map[string]string{"ln": "log", "pnorm": "normcdf", "Phi": "normcdf", "power": "pow", "fabs": "abs", "arctan": "atan",
	"ifelse": "if", "where": "if", "expit": "sigmoid", "plogis": "sigmoid", "qlogis": "logit",
	"integral": interval, "integrate": interval}

// interval is the form of an integral, for errors.
const interval = "integral(NAME in [LOW, HIGH]: EXPR)"

// functions is a list, for errors, of the operators that are written as calls, and of those that are powers.
var functions = func() string {
	var list []string
	for _, op := range expr.Ops() {
		_, callable := expr.ByName(op.String())
		if n := op.Info().Notation; callable && n != expr.Infix && n != expr.Prefix {
			list = append(list, op.String())
		}
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " or " + list[last]
}()

// symbolsOf returns the expressions for which the names of a model stand. They are nodes of the model's expressions if these
// contain them.
func symbolsOf(m *expr.Model) map[string]*expr.Expr {
	symbols := map[string]*expr.Expr{}
	for _, name := range append(append([]string{}, m.Trials...), m.ParamNames()...) {
		symbols[name] = expr.Var(name)
	}
	if m.Choice != "" {
		symbols[m.Choice] = expr.Var(m.Choice)
	}
	if m.Called != nil {
		for _, s := range m.Called.States {
			symbols[s.Name] = expr.Var(s.Name)
		}
	}
	for _, n := range expr.Order(allRoots(m)...) {
		if n.Op == expr.Sym && symbols[n.Name] != nil {
			symbols[n.Name] = n
		}
	}
	for _, l := range m.Lets {
		symbols[l.Name] = l.Value
	}
	return symbols
}

// resolveBare returns a copy of the model header whose log-likelihood is the resolved e. The copy shares the nodes of header.
func resolveBare(e *Expr, header *expr.Model) (*expr.Model, error) {
	m := *header
	s := scope{symbols: symbolsOf(header)}
	if m.LogLik = s.expr(e); s.err != nil {
		return nil, s.err
	}
	return &m, checkNodes(lexer.Position{Filename: exprName, Line: 1, Column: 1}, &m)
}
