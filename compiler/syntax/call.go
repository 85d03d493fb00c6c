package syntax

import (
	"maps"
	"slices"
	"strings"

	"likc/compiler/expr"
)

// callable returns the model whose log density a call evaluates, or nil if the name is no model.
func (s *scope) callable(call *Ref) *expr.Model {
	if s.caller == nil {
		return nil
	}
	m, err := s.caller.shelf.find(call.Name)
	if err != nil {
		s.fail(errorf(call.Pos, "call: %s", firstLine(err)))
	}
	return m
}

// density resolves the call of a model: its log density at the given parameters. Trial columns of both models with the same
// name are the same column. The called model's support conditions become the caller's. Therefore the call must be a term of
// loglik, unless the caller has declared the same conditions before. Trials at the lower boundary are scored at the called
// model's parameters for that boundary.
func (s *scope) density(call *Ref, m *expr.Model) *expr.Expr {
	r := s.caller
	if s.noCalls != "" {
		return s.fail(errorf(call.Pos, "call of model %s in %s, expected it in a let or in loglik", quote(m.Name), s.noCalls))
	}
	if err := r.admits(call, m); err != nil {
		return s.fail(err)
	}
	values := s.arguments(call, m)
	if s.err != nil {
		return expr.Num(0)
	}
	if call == r.whole {
		r.model.Outer = outerCall(r.shelf.paths[call.Name], m, values)
	}
	for _, t := range m.Trials {
		values[t] = s.symbols[t]
	}
	given := maps.Clone(values)
	if m.Choice != "" {
		c := s.symbols[r.model.Choice]
		values[m.Choice], given[m.Choice] = c, c
		upper, at := expr.New(expr.Less, expr.Num(0), c), expr.Substitution(given)
		reflected := map[string]*expr.Expr{}
		for _, a := range m.Lower {
			reflected[a.Param] = expr.New(expr.If, upper, values[a.Param], at.Map(a.Value))
		}
		maps.Copy(values, reflected)
		r.reflected = call
	}
	r.model.Integrals = r.model.Integrals || m.Integrals
	substitution := expr.Substitution(values)
	for i, c := range m.Support {
		switch condition := (expr.Support{Left: substitution.Map(c.Left), Right: substitution.Map(c.Right)}); {
		case r.declares(condition) && r.terms[call] && callImplies(m, i):
			r.brought = append(r.brought, condition)
		case r.declares(condition):
		case r.terms[call] && callImplies(m, i):
			r.brought = append(r.brought, condition)
			r.model.Support = append(r.model.Support, condition)
		case r.terms[call]:
			r.model.Support = append(r.model.Support, condition)
		case callImplies(m, i): // the called density itself is -Inf outside
		default:
			return s.fail(errorf(call.Pos, "model %s has a support, expected it as a term of loglik, or support %s < %s declared above", quote(m.Name), condition.Left, condition.Right))
		}
	}
	if staysCall(m) {
		return s.called(call, m, given)
	}
	return substitution.Map(m.LogLik)
}

// declares reports whether the caller has declared the same condition, as an equal expression.
func (r *resolver) declares(c expr.Support) bool {
	return slices.ContainsFunc(r.model.Support, func(own expr.Support) bool { return own.Left.Equal(c.Left) && own.Right.Equal(c.Right) })
}

// admits returns an error if the caller lacks a trial column or the choice of the called model.
func (r *resolver) admits(call *Ref, m *expr.Model) error {
	name := quote(m.Name)
	for _, t := range m.Trials {
		switch {
		case !r.model.IsTrial(t):
			return errorf(call.Pos, "model %s has the trial %s, expected it declared above", name, quote(t))
		case m.IsPositive(t) && !r.model.IsPositive(t):
			return errorf(call.Pos, "trial %s is positive in model %s, expected the same here", quote(t), name)
		case r.model.MayBeZero(t) && m.IsPositive(t) && !m.MayBeZero(t):
			return errorf(call.Pos, "trial %s is positive in model %s and may be 0 here, expected it positive", quote(t), name)
		}
	}
	if r.inlined += len(expr.Order(allRoots(m)...)); r.inlined > MaxNodes {
		return errorf(call.Pos, "the models called have more than %d nodes", MaxNodes)
	}
	switch {
	case len(m.Roots()) == 0 && m.Evidence == nil && r.shelf.models[call.Name] == m && r.shelf.paths[call.Name] == "":
		return errorf(call.Pos, "model %s has neither a loglik nor evidence, expected one that has", name)
	case m.Choice != "" && r.model.Choice == "":
		return errorf(call.Pos, "model %s has a choice, expected one declared above", name)
	case m.Choice != "" && m.Choices != r.model.Choices:
		return errorf(call.Pos, "model %s has the choices %s, expected the same here", name, codes(m))
	}
	return nil
}

// arguments returns the values of the called model's parameters. An argument is NAME = EXPR, or NAME for a value of the same
// name in the caller.
func (s *scope) arguments(call *Ref, m *expr.Model) map[string]*expr.Expr {
	values := map[string]*expr.Expr{}
	for _, a := range call.Args {
		ref := a.Cond.name()
		if ref == nil || a.Each != nil || a.Except != nil || a.Over != nil {
			s.fail(errorf(a.Pos, "argument of model %s, expected NAME = EXPR or the name of a parameter", quote(m.Name)))
			return nil
		}
		switch {
		case !m.IsParam(ref.Name):
			s.fail(errorf(a.Pos, "model %s has no parameter %s, expected %s", quote(m.Name), quote(ref.Name), strings.Join(m.ParamNames(), ", ")))
		case values[ref.Name] != nil:
			s.fail(errorf(a.Pos, "model %s is given %s twice, expected once", quote(m.Name), quote(ref.Name)))
		case a.Value == nil:
			values[ref.Name] = s.symbol(ref.Pos, ref.Name)
		default:
			values[ref.Name] = s.cond(a.Value)
		}
	}
	for _, name := range m.ParamNames() {
		if values[name] == nil {
			s.fail(errorf(call.Pos, "model %s is given no %s, expected a value", quote(m.Name), quote(name)))
		}
	}
	return values
}

// name returns the symbol if a condition is a single symbol, else nil.
func (c *Cond) name() *Ref {
	if len(c.Right) > 0 || len(c.Left.Right) > 0 || c.Left.Left.Op != "" {
		return nil
	}
	if e := c.Left.Left.Left; len(e.Right) == 0 {
		if p := e.Left.single(); p != nil && p.Ref != nil && p.Ref.Index == nil && len(p.Ref.Args) == 0 {
			return p.Ref
		}
	}
	return nil
}

// single returns the only factor of a term, or nil if the term has a sign, a power or other factors.
func (t *Term) single() *Primary {
	if len(t.Right) > 0 || t.Left.Negative != nil || t.Left.Power.Exponent != nil {
		return nil
	}
	return t.Left.Power.Base
}

// markTerms collects the calls that are terms of the sum e. Outside the support of such a call, both the call and e are -Inf.
func markTerms(e *Expr, terms map[*Ref]bool) {
	mark := func(t *Term) {
		switch p := t.single(); {
		case p == nil:
		case p.Ref != nil:
			terms[p.Ref] = true
		case p.Paren != nil && len(p.Paren.Right) == 0 && len(p.Paren.Left.Right) == 0 && p.Paren.Left.Left.Op == "":
			markTerms(p.Paren.Left.Left.Left, terms)
		}
	}
	mark(e.Left)
	for _, r := range e.Right {
		if r.Op == "+" {
			mark(r.Term)
		}
	}
}

// use copies all declarations of the named model except its simulator. It also copies the log-likelihood, unless this model
// declares one.
func (r *resolver) use(n *Name) error {
	m, err := r.usable(n)
	if err != nil {
		return err
	}
	r.used = m
	symbols := symbolsOf(m)
	for _, name := range slices.Sorted(maps.Keys(symbols)) {
		if err := r.declare(&Name{n.Pos, name}, symbols[name]); err != nil {
			return err
		}
	}
	r.model.Trials = append(r.model.Trials, m.Trials...)
	r.model.Positive, r.model.Zero = append(r.model.Positive, m.Positive...), append(r.model.Zero, m.Zero...)
	for name, x := range m.Missing {
		r.missing(&Name{n.Pos, name}, x)
	}
	r.model.Params = append(r.model.Params, m.Params...)
	r.copyStates(n, m)
	r.model.Support = append(r.model.Support, m.Support...)
	r.model.Lets = append(r.model.Lets, m.Lets...)
	r.model.Integrals = r.model.Integrals || m.Integrals
	r.copySingles(n, m)
	switch {
	case len(r.model.Trials) > MaxTrials:
		return errorf(n.Pos, "model %s makes %d trials, expected at most %d", quote(n.Text), len(r.model.Trials), MaxTrials)
	case len(r.model.Params) > MaxParams:
		return errorf(n.Pos, "model %s makes %d params, expected at most %d", quote(n.Text), len(r.model.Params), MaxParams)
	}
	return nil
}

// usable returns the named model, or an error if this model cannot use it.
func (r *resolver) usable(n *Name) (*expr.Model, error) {
	m, err := r.shelf.find(n.Text)
	switch {
	case err != nil:
		return nil, errorf(n.Pos, "use: %s", firstLine(err))
	case r.used != nil:
		return nil, errorf(n.Pos, "use %s after use %s, expected at most one", quote(n.Text), quote(r.used.Name))
	case m == nil:
		return nil, errorf(n.Pos, "unknown model %s, expected one declared above or built in", quote(n.Text))
	case len(m.Roots()) == 0 && (r.shelf.models[n.Text] != m || r.shelf.paths[n.Text] != ""):
		return nil, errorf(n.Pos, "model %s is no expression, expected one, or a call in loglik", quote(n.Text))
	case m.Choice != "" && r.model.Choice != "":
		return nil, errorf(n.Pos, "model %s has a choice, as this one has, expected at most one", quote(n.Text))
	case len(m.Lower) > 0 && r.lower != nil:
		return nil, errorf(n.Pos, "model %s has a lower, as this one has, expected at most one", quote(n.Text))
	}
	return m, nil
}

// copySingles copies the declarations that a model has at most once, such as its choice. Their positions are that of the word `use`.
func (r *resolver) copySingles(n *Name, m *expr.Model) {
	if m.Choice != "" {
		r.model.Choice, r.model.Choices, r.model.Lower = m.Choice, m.Choices, m.Lower
		switch {
		case m.Called != nil && len(m.Called.Calls) > 0:
			r.reflected = &Ref{Pos: n.Pos, Name: m.Name}
		case m.Choices == 0:
			r.lower = &n.Pos
		}
	}
	if m.Normalise && r.normalise == nil {
		r.normalise, r.model.Normalise = &n.Pos, true
	}
	if m.Evidence != nil {
		r.evidence, r.model.Evidence = &n.Pos, m.Evidence
	}
	if m.Lapse != nil {
		r.lapses, r.model.Lapse = &n.Pos, m.Lapse
	}
	if m.Binding != nil {
		r.binding, r.model.Binding = &n.Pos, m.Binding
	}
}
