package text

import (
	"maps"
	"slices"

	"likc/compiler/diff"
	"likc/compiler/emit/plan"
	"likc/compiler/expr"
)

// gradient holds the values that a template uses for a function that returns a value and its derivatives in the parameters. All
// texts are in the target language.
type gradient struct {
	Lower   []bound  // values that parameters take at the lower boundary
	Support []string // conditions
	Lets    []bound  // in the order in which they are computed
	Value   string
	Slopes  []string // one a parameter
}

// maxGradientNodes is the largest number of nodes that are printed of a value with its gradient. Shared parts are printed once there.
const maxGradientNodes = 10 * maxNodes

// Symbols that no model has: log Z as an argument of the gradient's function, and its derivatives by the parameters.
const logZSymbol, logZSlope = "log z", "log z by "

// differentiate adds the gradients of the density and of log Z to the page. names has the names of the arguments, and density is the writer
// of the density without its gradient.
func (p *page) differentiate(m *expr.Model, names *plan.Names, density *writer) error {
	lets := map[*expr.Expr]string{}
	symbols := maps.Clone(density.symbols)
	params := m.ParamNames()
	if m.LogZ != nil {
		w := density.forFunction(names.Inner(), p.Name+"_log_z_slope", symbols)
		p.LogZGrad = w.gradient(lets, m.LogZ, diff.Gradient(m.LogZ, params))
		p.addDefinitions(density, w)
		symbols[logZSymbol] = p.LogZ.Name
		p.LogZ.Slopes = names.Declare(p.LogZ.Name + "_slopes")
		for j, name := range params {
			symbols[logZSlope+name] = density.lang.index(p.LogZ.Slopes, j)
		}
	}
	w := density.forFunction(names.Inner(), p.Name+"_slope", symbols)
	boundary := atBoundary(m)
	var lower []bound
	var support []string
	for _, a := range m.Lower {
		e := boundary.Map(expr.Var(a.Param))
		value := w.text(e)
		w.named[e] = w.integrals.names.Declare(a.Param)
		lower = append(lower, bound{Name: w.named[e], Value: value})
	}
	for _, s := range m.Support { // before the lets, which may be undefined outside
		support = append(support, w.text(boundary.Map(s.Left))+" < "+w.text(boundary.Map(s.Right)))
	}
	for _, l := range m.Lets {
		lets[boundary.Map(l.Value)] = l.Name
	}
	value := boundary.Map(m.LogLik)
	slopes := diff.Gradient(value, append(slices.Clone(params), logZSymbol))
	if byLogZ := slopes[len(params)]; m.LogZ != nil {
		for j, name := range params {
			slopes[j] = expr.Plus(slopes[j], expr.Times(byLogZ, expr.Var(logZSlope+name)))
		}
	}
	p.Grad = w.gradient(lets, value, slopes[:len(params)])
	p.Grad.Lower, p.Grad.Support = lower, support
	p.addDefinitions(density, w)
	return w.err
}

// atBoundary returns a mapper that makes an expression of the model valid at both boundaries. It writes log Z, which is the same at both, as
// a symbol.
func atBoundary(m *expr.Model) *expr.Mapper {
	lower, values := expr.New(expr.Less, expr.Var(m.Choice), expr.Num(0)), map[string]*expr.Expr{}
	for _, a := range m.Lower {
		values[a.Param] = expr.New(expr.If, lower, a.Value, expr.Var(a.Param))
	}
	return expr.NewMapper(func(n *expr.Expr, args []*expr.Expr) *expr.Expr {
		switch {
		case n == m.LogZ:
			return expr.Var(logZSymbol)
		case n.Op == expr.Sym && values[n.Name] != nil:
			return values[n.Name]
		}
		return n.With(args)
	})
}

// forFunction returns a writer for another function of the same file.
func (w *writer) forFunction(names *plan.Names, stem string, symbols map[string]string) *writer {
	in := *w.integrals
	in.stem, in.names, in.calls = stem, names, map[*expr.Expr]integral{}
	return &writer{target: w.target, lang: w.lang, most: maxGradientNodes, symbols: symbols, named: map[*expr.Expr]string{},
		bodies: w.bodies, integrals: &in, shares: true, err: w.err}
}

// addDefinitions adds to the page the integrals and definitions that the functions of the writer w need. It records them in `of`, the writer
// of the file.
func (p *page) addDefinitions(of, w *writer) {
	p.Integrals, of.integrals.all, of.err = w.integrals.all, w.integrals.all, w.err
	for _, body := range w.bodies {
		if !slices.Contains(p.Bodies, body) {
			p.Bodies = append(p.Bodies, body)
		}
	}
}

// gradient returns the code of a value and of its derivatives. lets has the names that some values get.
func (w *writer) gradient(lets map[*expr.Expr]string, value *expr.Expr, slopes []*expr.Expr) *gradient {
	g := &gradient{Lets: w.share(w.integrals.names, lets, false, append([]*expr.Expr{value}, slopes...)...)}
	g.Value = w.text(value)
	for _, e := range slopes {
		g.Slopes = append(g.Slopes, w.text(e))
	}
	return g
}

// share gives names to the values below the roots that are used more than once, and to those that have a name in lets. It returns them with
// operands first. With atNodes, only values that depend on the node of an integral are named; without, only values that do not, among them
// all that an integrand needs. Conditions get no name.
func (w *writer) share(names *plan.Names, lets map[*expr.Expr]string, atNodes bool, roots ...*expr.Expr) (list []bound) {
	order := expr.Order(roots...)
	onNode, uses := w.integrals.atNodes(order), map[*expr.Expr]int{}
	for _, e := range roots {
		uses[e]++
	}
	for _, e := range order {
		for _, a := range e.Args {
			if uses[a]++; onNode[e] && !onNode[a] {
				uses[a]++
			}
		}
	}
	for _, e := range order {
		if len(e.Args) == 0 || w.named[e] != "" || onNode[e] != atNodes || uses[e] < 2 && lets[e] == "" || e.Op.In(w.target).Kind == expr.Truth {
			continue
		}
		value := w.text(e)
		w.named[e] = names.Declare(lets[e])
		list = append(list, bound{Name: w.named[e], Value: value, Vector: w.vectors.isVector(e)})
	}
	return list
}

// atNodes reports for each expression whether it depends on the node of an integral. order has operands before expressions that use them.
func (in *integrals) atNodes(order []*expr.Expr) map[*expr.Expr]bool {
	onNode := map[*expr.Expr]bool{}
	for _, e := range order {
		switch e.Op {
		case expr.NodeSum:
		case expr.Sym:
			onNode[e] = slices.ContainsFunc(in.tables, func(t expr.Table) bool { return slices.Contains(t.Symbols, e.Name) })
		default:
			onNode[e] = slices.ContainsFunc(e.Args, func(a *expr.Expr) bool { return onNode[a] })
		}
	}
	return onNode
}
