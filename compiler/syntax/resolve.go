package syntax

import (
	"slices"
	"strconv"

	"likc/compiler/expr"

	"github.com/alecthomas/participle/v2/lexer"
)

// Resolve gives every name its meaning and checks the rules of the language. A broken rule gives an *Error. A nil library
// has no models.
func Resolve(file *File, library Library) ([]*expr.Model, error) {
	var models []*expr.Model
	above := map[string]*expr.Model{}
	find := func(name string) *expr.Model {
		if m := above[name]; m != nil || library == nil {
			return m
		}
		return library(name)
	}
	seen := map[string]lexer.Position{}
	for _, m := range file.Models {
		if first, ok := seen[m.Name.Text]; ok {
			return nil, errorf(m.Name.Pos, "model %s is already declared at %d:%d", quote(m.Name.Text), first.Line, first.Column)
		}
		seen[m.Name.Text] = m.Name.Pos
		model, err := resolveModel(m, find)
		if err != nil {
			return nil, err
		}
		models = append(models, model)
		above[model.Name] = model
	}
	return models, nil
}

// resolver resolves one model. Nodes of symbols and of lets are made once and shared by every use.
type resolver struct {
	model     *expr.Model
	symbols   map[string]*expr.Expr
	declared  map[string]lexer.Position
	several   map[string][]*expr.Expr // what the names with an index stand for, by choice
	logLik    *lexer.Position
	normalise *lexer.Position
	lapses    *lexer.Position
	binding   *lexer.Position
	lower     *lexer.Position
	simulator *Simulator
	find      Library       // the models declared above and those of the library
	used      *expr.Model   // the model that "use" took
	reflected *Ref          // a call of a model with a choice, which brings its reflection
	terms     map[*Ref]bool // the calls that are terms of the log-likelihood
	inlined   int           // nodes of the models called
	integrals []*written    // in the order of the text
}

func newResolver(m *expr.Model) *resolver {
	return &resolver{model: m, symbols: map[string]*expr.Expr{}, declared: map[string]lexer.Position{}, several: map[string][]*expr.Expr{}}
}

func resolveModel(m *Model, find Library) (*expr.Model, error) {
	r := newResolver(&expr.Model{Name: m.Name.Text})
	r.find = find
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
	case d.Use != nil:
		return r.use(d.Use)
	case d.Normalise:
		return r.normalised(d)
	case d.Lapse != nil:
		return r.lapse(d)
	case d.Bind != nil:
		return r.bind(d)
	}
	return r.loglik(d)
}

// complete checks that nothing is missing.
func (r *resolver) complete(m *Model) error {
	missing := func(what string) error {
		return errorf(m.End.Pos, "unexpected %s, expected %s in model %s", quote(m.End.Text), what, quote(m.Name.Text))
	}
	if r.logLik == nil && r.used != nil {
		r.logLik, r.model.LogLik = &m.Name.Pos, r.used.LogLik
	}
	switch {
	case r.logLik == nil:
		return missing("a loglik")
	case len(r.model.Trials) == 0:
		return missing("at least one trial")
	case len(r.model.Params) == 0:
		return missing("at least one param")
	case r.reflected != nil && r.lower != nil:
		return errorf(*r.lower, "lower beside a call of model %s, which brings its own, expected one of the two", quote(r.reflected.Name))
	case r.model.Choices > 0 && r.lower != nil:
		return errorf(*r.lower, "lower in a model whose choices are numbered, expected it only for two boundaries")
	case r.model.Choice != "" && r.model.Choices == 0 && r.lower == nil && r.reflected == nil:
		return errorf(r.declared[r.model.Choice], "choice %s without lower, expected both or neither", quote(r.model.Choice))
	case r.model.Choice == "" && r.lower != nil:
		return errorf(*r.lower, "lower without choice, expected both or neither")
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
	if err := r.sums(m.Name.Pos); err != nil {
		return err
	}
	return checkNodes(m.Name.Pos, r.model)
}

// normalised takes the word normalise.
func (r *resolver) normalised(d *Decl) error {
	if r.normalise != nil {
		return errorf(d.Pos, "normalise after normalise at %d:%d, expected at most one", r.normalise.Line, r.normalise.Column)
	}
	r.normalise, r.model.Normalise = &d.Pos, true
	return nil
}

// checkNodes counts the distinct nodes of a model.
func checkNodes(pos lexer.Position, m *expr.Model) error {
	if n := len(expr.Order(append(declaredRoots(m), m.LogLik)...)); n > MaxNodes {
		return errorf(pos, "model %s has %d nodes, expected at most %d", quote(m.Name), n, MaxNodes)
	}
	return nil
}

// declaredRoots returns the expressions of a model other than its log-likelihood.
func declaredRoots(m *expr.Model) []*expr.Expr {
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
	return roots
}

// declare makes name a symbol that stands for value.
func (r *resolver) declare(n *Name, value *expr.Expr) error {
	if first, ok := r.declared[n.Text]; ok {
		return errorf(n.Pos, "%s is already declared at %d:%d", quote(n.Text), first.Line, first.Column)
	}
	if _, ok := expr.ByName(n.Text); ok {
		return errorf(n.Pos, "%s is a function, expected another name", quote(n.Text))
	}
	r.declared[n.Text] = n.Pos
	r.symbols[n.Text] = value
	return nil
}

// impliesPositive reports whether a trial column of that name is positive without the word: files written before the
// language had it rely on that.
func impliesPositive(name string) bool { return name == "rt" }

func (r *resolver) trial(t *Trial) error {
	n := t.Name
	if len(r.model.Trials) == MaxTrials {
		return errorf(n.Pos, "trial %s is one too many, expected at most %d", quote(n.Text), MaxTrials)
	}
	r.model.Trials = append(r.model.Trials, n.Text)
	if t.Positive || t.Zero || impliesPositive(n.Text) {
		r.model.Positive = append(r.model.Positive, n.Text)
	}
	if t.Zero {
		r.model.Zero = append(r.model.Zero, n.Text)
	}
	if t.Missing != nil {
		x, err := bound(t.Missing)
		if err != nil {
			return err
		}
		switch {
		case t.Zero && x < 0:
			return errorf(t.Missing.Number.Pos, "missing %s of a nonnegative trial, expected 0 or a number above 0", expr.Literal(x))
		case !t.Zero && x <= 0 && r.model.IsPositive(n.Text):
			return errorf(t.Missing.Number.Pos, "missing %s of a positive trial, expected a number above 0", expr.Literal(x))
		}
		r.missing(n, x)
	}
	return r.declare(n, expr.Var(n.Text))
}

// missing says what an empty cell of a column stands for.
func (r *resolver) missing(n *Name, x float64) {
	if r.model.Missing == nil {
		r.model.Missing = map[string]float64{}
	}
	r.model.Missing[n.Text] = x
}

func (r *resolver) choice(c *Choice) error {
	n := c.Name
	if r.model.Choice != "" {
		return errorf(n.Pos, "choice %s after choice %s, expected at most one", quote(n.Text), quote(r.model.Choice))
	}
	if err := numbered(c); err != nil {
		return err
	}
	r.model.Choice, r.model.Choices = n.Text, len(c.Codes)
	if c.Missing != nil {
		x, err := number(c.Missing)
		if err != nil || !slices.Contains(r.model.Codes(), x) {
			return errorf(c.Missing.Pos, "missing %s, expected one of the choices %s", quote(c.Missing.Text), codes(r.model))
		}
		r.missing(n, x)
	}
	return r.declare(n, expr.Var(n.Text))
}

func (r *resolver) param(p *Param) error {
	lower, err := bound(p.Lower)
	if err != nil {
		return err
	}
	upper, err := bound(p.Upper)
	if err != nil {
		return err
	}
	if lower >= upper {
		return errorf(p.Upper.Number.Pos, "range [%s, %s] of param %s is empty, expected lower < upper",
			expr.Literal(lower), expr.Literal(upper), quote(p.Name.Text))
	}
	declare := func(n *Name) error {
		if len(r.model.Params) == MaxParams {
			return errorf(n.Pos, "param %s is one too many, expected at most %d", quote(n.Text), MaxParams)
		}
		r.model.Params = append(r.model.Params, expr.Param{Name: n.Text, Lower: lower, Upper: upper})
		return r.declare(n, expr.Var(n.Text))
	}
	if p.Index == nil {
		return declare(p.Name)
	}
	return r.perChoice(p, declare)
}

func bound(b *Bound) (float64, error) {
	v, err := number(b.Number)
	if b.Negative {
		v = -v
	}
	return v, err
}

func number(n *Number) (float64, error) {
	v, err := strconv.ParseFloat(n.Text, 64)
	if err != nil { // the scanner lets through only what is too large
		return 0, errorf(n.Pos, "number %s is too large for a float64", quote(n.Text))
	}
	return v, nil
}

func (r *resolver) support(s *Support) error {
	left, err := r.expr(s.Left)
	if err != nil {
		return err
	}
	right, err := r.expr(s.Right)
	if err != nil {
		return err
	}
	if i := r.integralIn(left, right); i != nil {
		return errorf(i.pos, "an integral in a support, expected it in a let or in loglik")
	}
	r.model.Support = append(r.model.Support, expr.Support{Left: left, Right: right})
	return nil
}

func (r *resolver) reflection(d *Decl) error {
	if r.lower != nil {
		return errorf(d.Pos, "lower after lower at %d:%d, expected at most one", r.lower.Line, r.lower.Column)
	}
	r.lower = &d.Pos
	seen := map[string]bool{}
	for _, a := range d.Lower.Assigns {
		switch {
		case seen[a.Name.Text]:
			return errorf(a.Name.Pos, "lower assigns %s twice, expected once", quote(a.Name.Text))
		case !r.model.IsParam(a.Name.Text):
			return errorf(a.Name.Pos, "lower assigns %s, expected a declared parameter", quote(a.Name.Text))
		}
		seen[a.Name.Text] = true
		value, err := r.paramExpr("lower", a.Value)
		if err != nil {
			return err
		}
		r.model.Lower = append(r.model.Lower, expr.Assign{Param: a.Name.Text, Value: value})
	}
	return nil
}

// simulated resolves the declaration of a simulator. Without a block its parameters are set by complete, when the model's
// parameters are known.
func (r *resolver) simulated(d *Decl) error {
	s := d.Simulator
	if r.simulator != nil {
		first := r.simulator.Name.Pos
		return errorf(d.Pos, "simulator %s after simulator %s at %d:%d, expected at most one",
			quote(s.Name.Text), quote(r.simulator.Name.Text), first.Line, first.Column)
	}
	r.simulator = s
	r.model.Simulator = &expr.SimulatorUse{Name: s.Name.Text}
	if s.Params == nil {
		return nil
	}
	seen := map[string]bool{}
	for _, a := range s.Params.Assigns {
		if seen[a.Name.Text] {
			return errorf(a.Name.Pos, "simulator assigns %s twice, expected once", quote(a.Name.Text))
		}
		seen[a.Name.Text] = true
		value, err := r.paramExpr("simulator", a.Value)
		if err != nil {
			return err
		}
		r.model.Simulator.Params = append(r.model.Simulator.Params, expr.Assign{Param: a.Name.Text, Value: value})
	}
	return nil
}

// sameNames gives the process the model's parameters under their own names.
func (r *resolver) sameNames() []expr.Assign {
	var same []expr.Assign
	for _, p := range r.model.Params {
		same = append(same, expr.Assign{Param: p.Name, Value: r.symbols[p.Name]})
	}
	return same
}

func (r *resolver) let(a *Let) error {
	if a.Index != nil {
		return r.letPerChoice(a)
	}
	value, err := r.expr(a.Value)
	if err != nil {
		return err
	}
	r.model.Lets = append(r.model.Lets, expr.Let{Name: a.Name.Text, Value: value})
	return r.declare(a.Name, value)
}

func (r *resolver) loglik(d *Decl) error {
	if r.logLik != nil {
		return errorf(d.Pos, "loglik after loglik at %d:%d, expected exactly one", r.logLik.Line, r.logLik.Column)
	}
	r.logLik = &d.Pos
	r.terms = map[*Ref]bool{}
	markTerms(d.LogLik, r.terms)
	value, err := r.expr(d.LogLik)
	r.model.LogLik = value
	return err
}
