package syntax

import (
	"cmp"

	"likc/compiler/expr"

	"github.com/alecthomas/participle/v2/lexer"
)

// Resolve turns a syntax tree into models: it finds out what every name stands for, and checks the rules of the language. A
// broken rule gives an *Error.
func Resolve(file *File, library Library) ([]*expr.Model, error) {
	var models []*expr.Model
	shelf := newShelf(library)
	for _, item := range file.Items {
		if item.Import != nil {
			if err := shelf.open(item.Import); err != nil {
				return nil, err
			}
			continue
		}
		if err := shelf.name(item.Model.Name); err != nil {
			return nil, err
		}
		model, err := resolveModel(item.Model, shelf)
		if err != nil {
			return nil, err
		}
		models = append(models, model)
		shelf.models[model.Name] = model
	}
	return models, nil
}

// resolver resolves one model. It makes the node of a symbol or let once, and every use shares it. Positions are those of
// declarations in the text, nil if the model does not have them.
type resolver struct {
	model     *expr.Model
	symbols   map[string]*expr.Expr
	declared  map[string]lexer.Position
	several   map[string][]*expr.Expr // for each indexed name, its expressions by choice
	logLik    *lexer.Position
	normalise *lexer.Position
	lapses    *lexer.Position
	binding   *lexer.Position
	lower     *lexer.Position
	simulator *Simulator
	evidence  *lexer.Position
	shelf     *shelf
	used      *expr.Model     // the model whose declarations "use" has copied
	reflected *Ref            // a call of a model that says itself what changes at the lower boundary
	terms     map[*Ref]bool   // the calls that are terms of the log-likelihood
	inlined   int             // the number of nodes of called models that were written out
	integrals []*written      // the integrals in the order of the text
	calls     []*expr.Density // the calls of models that have no expression to write out
	brought   []expr.Support  // support conditions that these calls check themselves
	whole     *Ref            // the call, if the log-likelihood is a single call
	states    stated
	computed  []*Trial // the trial columns for which the text says how simulations compute them
}

func newResolver(m *expr.Model) *resolver {
	return &resolver{model: m, symbols: map[string]*expr.Expr{}, declared: map[string]lexer.Position{}, several: map[string][]*expr.Expr{}}
}

// resolveModel returns the model that a parsed text declares.
func resolveModel(m *Model, shelf *shelf) (*expr.Model, error) {
	r := newResolver(&expr.Model{Name: m.Name.Text})
	r.shelf = shelf
	for _, d := range m.Decls {
		if err := r.decl(d); err != nil {
			return nil, err
		}
	}
	if err := r.complete(m); err != nil {
		return nil, err
	}
	return r.model, nil
}

// decl adds one declaration to the model.
func (r *resolver) decl(d *Decl) error {
	switch {
	case d.Trial != nil:
		return r.trial(d.Trial)
	case d.Choice != nil:
		return r.choice(d.Choice)
	case d.Param != nil:
		return r.param(d.Param)
	case d.Support != nil:
		return r.support(d.Support)
	case d.Lower != nil:
		return r.reflection(d)
	case d.Let != nil:
		return r.let(d.Let)
	case d.Simulator != nil:
		return r.simulated(d)
	case d.State != nil:
		return r.state(d.State)
	case d.Next != nil:
		return r.next(d)
	case d.Use != nil && d.Use.Import != nil:
		return r.shelf.open(d.Use.Import)
	case d.Use != nil:
		return r.use(d.Use.Model)
	case d.Normalise:
		return r.normalised(d)
	case d.Lapse != nil:
		return r.lapse(d)
	case d.Bind != nil:
		return r.bind(d)
	case d.Evidence != nil:
		return r.process(d)
	}
	return r.loglik(d)
}

// complete checks that no declaration is missing, and finishes the model.
func (r *resolver) complete(m *Model) error {
	missing := func(what string) error {
		return errorf(m.End.Pos, "unexpected %s, expected %s in model %s", quote(m.End.Text), what, quote(m.Name.Text))
	}
	if r.logLik == nil && r.used != nil && len(r.used.Roots()) > 0 {
		r.logLik, r.model.LogLik, r.model.Outer = &m.Name.Pos, r.used.LogLik, r.used.Outer
		if c := r.used.Called; c != nil {
			r.calls, r.model.LogLik = c.Calls, c.LogLik
		}
	}
	switch {
	case r.logLik == nil && (!r.declaresOnly() || len(r.states.list) > 0):
		return missing("a loglik")
	case r.logLik != nil && r.evidence != nil:
		return errorf(*r.evidence, "evidence beside a loglik, expected one of the two")
	case len(r.model.Trials) == 0:
		return missing("at least one trial")
	case len(r.model.Params) == 0:
		return missing("at least one param")
	case r.reflected != nil && r.lower != nil:
		return errorf(*r.lower, "lower beside a call of model %s, which brings its own, expected one of the two", quote(r.reflected.Name))
	case r.model.Choices > 0 && r.lower != nil:
		return errorf(*r.lower, "lower in a model whose choices are numbered, expected it only for two boundaries")
	case r.model.Choice != "" && r.model.Choices == 0 && r.lower == nil && r.reflected == nil && r.logLik != nil:
		return errorf(r.declared[r.model.Choice], "choice %s without lower, expected both or neither", quote(r.model.Choice))
	case r.model.Choice == "" && r.lower != nil:
		return errorf(*r.lower, "lower without choice, expected both or neither")
	}
	if err := cmp.Or(r.advanced(), r.compute()); err != nil {
		return err
	}
	if s := r.model.Simulator; s != nil && r.simulator.Params == nil {
		s.Params = r.sameNames()
	}
	if r.normalise != nil {
		if err := r.model.Normalisable(); err != nil {
			return errorf(*r.normalise, "normalise: %v", err)
		}
	}
	if r.normalise == nil && r.lapses != nil {
		return errorf(*r.lapses, "lapse in a model that is not normalised, expected the word normalise too")
	}
	if r.normalise == nil && r.binding != nil {
		return errorf(*r.binding, "bind in a model that is not normalised, expected the word normalise too")
	}
	if len(r.integrals) > 0 && (len(r.calls) > 0 || len(r.states.list) > 0) {
		return errorf(r.integrals[0].pos, "an integral in a model with states or with calls of densities, expected it in a model of its own, which is called")
	}
	if err := r.sums(m.Name.Pos); err != nil {
		return err
	}
	r.settleCalls()
	return checkNodes(m.Name.Pos, r.model)
}

// checkNodes returns an error if a model has more than MaxNodes distinct nodes.
func checkNodes(pos lexer.Position, m *expr.Model) error {
	if n := len(expr.Order(allRoots(m)...)); n > MaxNodes {
		return errorf(pos, "model %s has %d nodes, expected at most %d", quote(m.Name), n, MaxNodes)
	}
	return nil
}

// allRoots returns the expressions of a model.
func allRoots(m *expr.Model) []*expr.Expr {
	var roots []*expr.Expr
	for _, s := range m.Support {
		roots = append(roots, s.Left, s.Right)
	}
	for _, a := range m.Lower {
		roots = append(roots, a.Value)
	}
	if m.Simulator != nil {
		for _, a := range m.Simulator.Params {
			roots = append(roots, a.Value)
		}
	}
	for _, l := range m.Lets {
		roots = append(roots, l.Value)
	}
	for _, a := range m.Computed {
		roots = append(roots, a.Value)
	}
	return append(append(roots, m.Evidence.Roots()...), m.Roots()...)
}
