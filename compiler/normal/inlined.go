package normal

import (
	"slices"

	"likc/compiler/expr"
)

// Given returns the log density of a normalised model as a function of the parameters of the integral and of log Z, its last
// parameter.
func (p *Parts) Given() *expr.Model {
	if p.Mixed != nil {
		return p.Mixed
	}
	logZ := fresh(p.Bare, "logz")
	out := *p.Bare
	out.Lets, out.Simulator = nil, nil
	out.Params = append(slices.Clone(p.Bare.Params), expr.Param{Name: logZ, Lower: -700, Upper: 700})
	out.LogLik = expr.New(expr.Sub, p.Bare.LogLik, expr.Var(logZ))
	return &out
}

// Bound returns a normalised model with a binding function: its own or, if it has none, one that changes no parameter.
func Bound(m *expr.Model) *expr.Model {
	if m.Binding != nil {
		return m
	}
	bound := *m
	bound.Binding = &expr.Binding{}
	return &bound
}

// Inlined returns a model with a binding function as one expression of its own parameters. The binding function, the integral
// and the lapses are written out. The expression is far too long to be compiled. Tests compare with it: an [expr.Tape]
// evaluates it as it is written, also at complex numbers. The integral's terms are added with logaddexp, because exp of a term
// may overflow.
func Inlined(m *expr.Model) (*expr.Model, error) {
	p, err := Of(m)
	if err != nil {
		return nil, err
	}
	m = Bound(m)
	given := p.Given()
	values := boundExpressions(m)
	replaced := map[string]*expr.Expr{}
	for j, e := range values {
		replaced[given.Params[j].Name] = e
	}
	terms := p.logTerms()
	bound := expr.Substitution(replaced)
	for i, e := range terms {
		terms[i] = bound.Map(e)
	}
	replaced[given.Params[len(values)].Name] = expr.New(expr.Add, inPairs(expr.LogAddExp, terms), expr.Num(p.Typical))
	return inlined(m, given, expr.Substitution(replaced)), nil
}

// inlined returns a model with expressions in place of the parameters of the given model. The block `lower` is written out as
// an if, because it changes values of the binding function and not the model's own parameters.
func inlined(m, given *expr.Model, substitution *expr.Mapper) *expr.Model {
	out := *given
	out.Name, out.Params, out.Lower, out.Support = m.Name, m.Params, nil, nil
	if len(given.Lower) == 0 {
		for _, s := range given.Support {
			out.Support = append(out.Support, expr.Support{Left: substitution.Map(s.Left), Right: substitution.Map(s.Right)})
		}
		out.LogLik = substitution.Map(given.LogLik)
		return &out
	}
	groups := given.Groups() // the groups at the upper and the lower boundary
	either := func(upper, lower *expr.Expr) *expr.Expr {
		return expr.New(expr.If, expr.New(expr.Less, expr.Var(m.Choice), expr.Num(0)), substitution.Map(lower), substitution.Map(upper))
	}
	for i, s := range groups[0].Support {
		other := groups[1].Support[i]
		out.Support = append(out.Support, expr.Support{Left: either(s.Left, other.Left), Right: either(s.Right, other.Right)})
	}
	out.LogLik = either(groups[0].LogLik, groups[1].LogLik)
	return &out
}

// boundExpressions returns the values of a model's binding function as expressions: its parameters, then the tilt if there is one.
func boundExpressions(m *expr.Model) (all []*expr.Expr) {
	b := m.Binding
	for _, name := range m.ParamNames() {
		all = append(all, expr.Var(name))
	}
	powers := make([][]*expr.Expr, len(b.Inputs))
	for i, x := range b.Inputs {
		powers[i] = chebyshev(x)
	}
	for _, s := range b.Shifts {
		j := m.ParamIndex(s.Param)
		all[j] = expr.New(expr.Add, all[j], polynomial(s.Terms, powers))
	}
	if b.Tilt != nil {
		all = append(all, polynomial(b.Tilt, powers))
	}
	return all
}

// polynomial returns a sum of products of Chebyshev polynomials; powers[i][d] is the polynomial of degree d of input i.
func polynomial(terms []expr.BindingTerm, powers [][]*expr.Expr) *expr.Expr {
	if len(terms) == 0 {
		return expr.Num(0)
	}
	var all []*expr.Expr
	for _, t := range terms {
		product := expr.Num(t.Coefficient)
		for i, d := range t.Degrees {
			product = expr.New(expr.Mul, product, powers[i][d])
		}
		all = append(all, product)
	}
	return inPairs(expr.Add, all)
}

// chebyshev returns the Chebyshev polynomials of x by degree: T[k+1] = 2x T[k] - T[k-1].
func chebyshev(x *expr.Expr) []*expr.Expr {
	all := []*expr.Expr{expr.Num(1), x}
	double := expr.New(expr.Mul, expr.Num(2), x)
	for k := 2; k <= expr.MostDegree; k++ {
		all = append(all, expr.New(expr.Sub, expr.New(expr.Mul, double, all[k-1]), all[k-2]))
	}
	return all
}
