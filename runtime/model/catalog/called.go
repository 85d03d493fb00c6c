package catalog

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"likc/compiler/expr"
	"likc/compiler/syntax"
	"likc/runtime/model/ssm"
	"likc/testdata"
)

// callees finds the models that a text uses or calls, and keeps each under its header, which is a model's declaration.
type callees struct {
	dir    string   // folder of the file that contains the text
	within []string // the files that are being read: each uses or calls a model of the next one
	models map[*expr.Model]*Model
}

// calleesOf returns the callees of a file's text; "" means a text that is in no file.
func calleesOf(file string) *callees {
	c := &callees{dir: filepath.Dir(file), models: map[*expr.Model]*Model{}}
	if file != "" {
		c.within = []string{filepath.Clean(file)}
	}
	return c
}

// mostWithin is the largest number of files in a chain in which each uses or calls a model of the next one.
const mostWithin = 16

// library returns the functions by which the parser finds other models.
func (c *callees) library() syntax.Library {
	return syntax.Library{Named: c.named, Opened: c.opened}
}

// named finds a model that is part of the program.
func (c *callees) named(name string) (*expr.Model, error) {
	if _, ok := testdata.Model(name); !ok && processNamed(name) == nil {
		return nil, nil
	}
	m, err := Open(name)
	return c.keep(m, err)
}

// opened finds the model of another file or folder; a path is relative to the file that names it.
func (c *callees) opened(path string) (*expr.Model, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.dir, path)
	}
	file, _, _ := strings.Cut(path, "#")
	file = filepath.Clean(file)
	switch {
	case slices.Contains(c.within, file):
		return nil, fmt.Errorf("%s names itself, at once or through the files that it names", file)
	case len(c.within) >= mostWithin:
		return nil, fmt.Errorf("%s: more than %d files name one another", file, mostWithin)
	}
	m, err := open(path, c.within)
	return c.keep(m, err)
}

// keep stores a model that was found, and returns its header.
func (c *callees) keep(m *Model, err error) (*expr.Model, error) {
	if err == nil {
		err = m.Usable()
	}
	if err != nil {
		return nil, err
	}
	c.models[m.Model] = m
	for k, of := range m.callees { // calls of a callee become calls of the caller
		c.models[m.Called.Calls[k].Of] = of
	}
	return m.Model, nil
}

// of returns the model with the header m, which a call names: a model that was found before, or one that is defined above in the same text.
func (c *callees) of(m *expr.Model, from Origin) (*Model, error) {
	if found := c.models[m]; found != nil {
		return found, nil
	}
	from.Builtin = false
	found, err := ofExpression(m, from, c)
	if err == nil {
		err = found.Usable()
	}
	if err != nil {
		return nil, err
	}
	c.models[m] = found
	return found, nil
}

// Callees returns, for each call, the model whose density the log density uses; nil for a model without calls. See [expr.Called].
func (m *Model) Callees() []*Model { return m.callees }

// call sets the models that are called. If the log density is just one of them, it also sets that model's simulator.
func (m *Model) call(c *callees) error {
	if m.Called != nil {
		for _, d := range m.Called.Calls {
			of, err := c.of(d.Of, m.Origin)
			if err != nil {
				return err
			}
			m.callees = append(m.callees, of)
		}
	}
	if m.Outer == nil || m.Model.Simulator != nil {
		return nil
	}
	of, err := c.of(m.Outer.Of, m.Origin)
	if err != nil {
		return err
	}
	m.outer = of
	return nil
}

// outerProcess returns the process that simulates the trials of the model that the log density consists of. It also returns that
// process's parameters as expressions of this model's parameters, trial columns and states. It returns nil if there is no such
// process.
func (m *Model) outerProcess() (*ssm.Model, []*expr.Expr) {
	if m.outer == nil {
		return nil, nil
	}
	p, inner := m.outer.outerProcess()
	if s, ok := m.outer.Simulator(); ok {
		p, inner = s.Process, s.values
		if inner == nil {
			for _, name := range m.outer.ParamNames() {
				inner = append(inner, expr.Var(name))
			}
		}
	}
	if p == nil {
		return nil, nil
	}
	given := map[string]*expr.Expr{}
	for j, a := range m.Outer.Args {
		given[m.outer.Params[j].Name] = a
	}
	at := expr.Substitution(given)
	var values []*expr.Expr
	for _, e := range inner {
		values = append(values, at.Map(e))
	}
	return p, values
}

// kindOfCallees returns the kind of a log density that uses others: teacher (a trained network) if one of them is, or else formula
// if one is.
func (m *Model) kindOfCallees() Kind {
	all := m.callees
	if m.outer != nil {
		all = append(slices.Clone(all), m.outer)
	}
	for _, kind := range []Kind{Teacher, Formula} {
		if slices.ContainsFunc(all, func(of *Model) bool { return of.Origin.Kind == kind }) {
			return kind
		}
	}
	return Closed
}

// limitsOfCallees returns the limits of a parameter that is itself an argument of a call: those of the called model.
func (m *Model) limitsOfCallees(name string) (r Range, why string) {
	r = Range{math.Inf(-1), math.Inf(1)}
	intersect := func(of *Model, args []*expr.Expr) {
		for j, a := range args {
			if a.Op == expr.Sym && a.Name == name {
				if own, reason := of.Limits(j); own.Low > r.Low || own.High < r.High {
					r, why = Range{max(r.Low, own.Low), min(r.High, own.High)}, reason
				}
			}
		}
	}
	if m.outer != nil {
		intersect(m.outer, m.Outer.Args)
	}
	for k, of := range m.callees {
		intersect(of, m.Called.Calls[k].Args)
	}
	return r, why
}

// adoptSimulator sets the simulator of a model whose log density is one call: that of the called model. If parameters differ from trial to
// trial, it is part of a [Sequence].
func (m *Model) adoptSimulator() {
	p, values := m.outerProcess()
	switch {
	case p == nil && m.TimeColumn() < 0 && m.Choice != "" && m.Called != nil && len(m.Called.Calls) == 0 && len(m.Lower) == 0:
		m.sequence = newSequence(m, nil, []*expr.Expr{m.Called.LogLik})
		return
	case p == nil:
		return
	}
	own := func(name string) bool { return m.IsParam(name) }
	if !slices.ContainsFunc(expr.Symbols(values...), func(name string) bool { return !own(name) }) && len(m.Trials) == 1 && !m.Stateful() {
		m.simulator = &Simulator{Process: p, params: m.ParamNames(), values: values}
		return
	}
	m.sequence = newSequence(m, p, values)
}

// Idle returns the trial columns that change only states, not the density of a trial. A trial without a response needs no value in them.
func (m *Model) Idle() (names []string) {
	if m.Called == nil {
		return nil
	}
	roots := []*expr.Expr{m.Called.LogLik}
	for _, s := range m.Called.Own {
		roots = append(roots, s.Left, s.Right)
	}
	for _, d := range m.Called.Calls {
		roots = append(roots, d.Args...)
	}
	used := expr.Symbols(roots...)
	for j, name := range m.Trials {
		if j != m.TimeColumn() && !slices.Contains(used, name) {
			names = append(names, name)
		}
	}
	return names
}

// DataColumns returns the columns of the model's trials: its trial columns, then those that restart its states.
func (m *Model) DataColumns() []string { return append(slices.Clone(m.Trials), m.Restarts()...) }
