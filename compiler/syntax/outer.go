package syntax

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"likc/compiler/expr"

	"github.com/alecthomas/participle/v2/lexer"
)

// This file resolves calls of models whose densities are not expressions. Such a call is not written out: in expressions, a symbol stands for
// its value.

// staysCall reports whether a call of m is not written out, because m has no expression that could replace it.
func staysCall(m *expr.Model) bool { return m.LogLik == nil || m.Normalise }

// called resolves a call that is not written out. values holds the arguments, and the caller's expressions for m's trial columns and
// choice.
func (s *scope) called(call *Ref, m *expr.Model, values map[string]*expr.Expr) *expr.Expr {
	r := s.caller
	if m.Stateful() {
		return s.fail(errorf(call.Pos, "model %s has states, so it cannot be called, expected one without", quote(m.Name)))
	}
	if len(r.calls) == MaxCalls {
		return s.fail(errorf(call.Pos, "call of model %s is one too many, expected at most %d", quote(m.Name), MaxCalls))
	}
	if m.Called == nil {
		args := make([]*expr.Expr, len(m.Params))
		for j, p := range m.Params {
			args[j] = values[p.Name]
		}
		return r.newCall(m, r.shelf.paths[call.Name], args)
	}
	all := maps.Clone(values)
	substitution := expr.Substitution(values)
	for _, inner := range m.Called.Calls {
		args := make([]*expr.Expr, len(inner.Args))
		for j, a := range inner.Args {
			args[j] = substitution.Map(a)
		}
		all[inner.Symbol] = r.newCall(inner.Of, inner.From, args)
	}
	return expr.Substitution(all).Map(m.Called.LogLik)
}

// newCall adds a call of the density of a model to the model's calls, and returns the symbol that stands for its log density.
func (r *resolver) newCall(called *expr.Model, from string, args []*expr.Expr) *expr.Expr {
	c := &expr.Density{Symbol: "call " + strconv.Itoa(len(r.calls)), Of: called, From: from, Args: args}
	r.calls = append(r.calls, c)
	return expr.Var(c.Symbol)
}

// callImplies reports whether a density that m calls is itself -Inf where support condition i of m fails.
func callImplies(m *expr.Model, i int) bool {
	if m.Called == nil {
		return staysCall(m)
	}
	return !contains(m.Called.Own, m.Support[i])
}

// outerCall returns the call of m. values holds the arguments by the names of m's parameters.
func outerCall(from string, m *expr.Model, values map[string]*expr.Expr) *expr.Density {
	c := &expr.Density{Of: m, From: from}
	for _, p := range m.Params {
		c.Args = append(c.Args, values[p.Name])
	}
	return c
}

// settleCalls sets the model's Called instead of its LogLik if the log density has states or calls.
func (r *resolver) settleCalls() {
	m := r.model
	if len(r.calls) == 0 && len(r.states.list) == 0 {
		return
	}
	m.Called = &expr.Called{Calls: r.calls, States: r.states.list, LogLik: m.LogLik}
	for _, c := range m.Support {
		if !contains(r.brought, c) {
			m.Called.Own = append(m.Called.Own, c)
		}
	}
	m.LogLik = nil
}

func contains(all []expr.Support, c expr.Support) bool {
	return slices.ContainsFunc(all, func(own expr.Support) bool { return own.Left.Equal(c.Left) && own.Right.Equal(c.Right) })
}

// copyStates copies the states of a model that is used, and the expressions by which simulations compute its trial columns.
func (r *resolver) copyStates(n *Name, m *expr.Model) {
	r.model.Computed = append(r.model.Computed, m.Computed...)
	if !m.Stateful() {
		return
	}
	r.states.list = append(r.states.list, m.Called.States...)
	r.states.next = &n.Pos
}

// shelf holds the models that a text may use and call: those that it declares, those of other files to which it gives names,
// and those of the library.
type shelf struct {
	library Library
	models  map[string]*expr.Model
	paths   map[string]string // the paths of models of other files, by the names that the text gives them
	seen    map[string]lexer.Position
}

func newShelf(library Library) *shelf {
	return &shelf{library, map[string]*expr.Model{}, map[string]string{}, map[string]lexer.Position{}}
}

// find returns the model of that name, or nil without an error if there is none.
func (s *shelf) find(name string) (*expr.Model, error) {
	if m := s.models[name]; m != nil || s.library.Named == nil {
		return m, nil
	}
	return s.library.Named(name)
}

// name returns an error if a model has the name already.
func (s *shelf) name(n *Name) error {
	if first, ok := s.seen[n.Text]; ok {
		return errorf(n.Pos, "model %s is already declared at %d:%d", quote(n.Text), first.Line, first.Column)
	}
	s.seen[n.Text] = n.Pos
	return nil
}

// open reads a model of another file and stores it under its name in this text.
func (s *shelf) open(i *Import) error {
	path := strings.Trim(i.Path.Text, `"`)
	if err := s.name(i.Name); err != nil {
		return err
	}
	if _, ok := expr.ByName(i.Name.Text); ok {
		return errorf(i.Name.Pos, "%s is a function, expected another name", quote(i.Name.Text))
	}
	switch {
	case path == "":
		return errorf(i.Path.Pos, "use of an empty path, expected a file or a teacher's folder")
	case len(s.paths) == MaxFiles:
		return errorf(i.Path.Pos, "use of one file too many, expected at most %d", MaxFiles)
	case s.library.Opened == nil:
		return errorf(i.Path.Pos, "use of file %s, expected no other files here", quote(path))
	}
	m, err := s.library.Opened(path)
	if err != nil {
		return errorf(i.Path.Pos, "use: %s", firstLine(err))
	}
	s.models[i.Name.Text], s.paths[i.Name.Text] = m, path
	return nil
}

// firstLine returns the first line of an error's text.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
