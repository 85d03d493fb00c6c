package called

import (
	"fmt"
	"slices"

	"likc/compiler/diff"
	"likc/compiler/expr"
	"likc/runtime/model/kernel"
)

// Map computes the arguments of a called density: expressions of parameters, trial columns, the choice and states. It implements
// [kernel.Map].
type Map struct {
	model   *expr.Model
	params  []string
	columns []string // trial columns, columns that restart states, and the choice
	states  []expr.State
	out     []*expr.Expr // the outputs: the arguments of the called density
	kinds   []kind       // for each output, the kind of what it depends on
	copies  []int        // for each output that is itself a parameter: the index of the parameter; -1 for other outputs

	data   *sheet // a sheet computes expressions over trials; these contain columns only, and are computed when data are bound
	inputs layout // the order of the symbols

	starts  *sheet   // for each state, its starting value
	next    *advance // computes the states after a trial; nil without states
	varying *sheet   // outputs that differ from trial to trial
	fixed   *sheet   // outputs that depend only on parameters

	pulled      *sheet  // β of the package comment: for each state, the derivatives of varying outputs with respect to it, times the outputs' adjoints
	slopes      *sheet  // derivatives of varying outputs and states with respect to parameters, times their adjoints
	slopeParams []int   // for each root of slopes, the parameter
	fixedSlopes *sheet  // derivatives of each fixed output with respect to parameters, times its adjoint
	fixedParams []entry // for each root of fixedSlopes: the output and the parameter
	startSlopes *sheet  // derivatives of starting values with respect to parameters
	startParams []entry // for each root of startSlopes: the state and the parameter
}

// entry is a position in a matrix.
type entry struct{ row, column int }

// kind says what an output depends on.
type kind int

const (
	itself  kind = iota // a parameter
	fixed               // an expression of parameters only
	varying             // an expression that contains columns or states
)

// layout is the order of the symbols among the inputs of all sheets.
type layout struct {
	names                                       []string
	columns, data, states, adjoints, bars, size int // the index of the first symbol of each kind, and the number of symbols; parameters come first
}

// New returns the map from the parameters of a model with calls or states to the values of out.
func New(m *expr.Model, out []*expr.Expr) *Map {
	c := &Map{model: m, params: m.ParamNames(), out: out, columns: append(slices.Clone(m.Trials), m.Restarts()...)}
	if m.Choice != "" {
		c.columns = append(c.columns, m.Choice)
	}
	if m.Called != nil {
		c.states = m.Called.States
	}
	c.sort()
	h := newHoister(c.columns)
	starts, nexts := make([]*expr.Expr, len(c.states)), make([]*expr.Expr, len(c.states))
	for k, s := range c.states {
		starts[k], nexts[k] = s.Start, h.replaceParts(s.Next)
	}
	var varyingOuts, fixedOuts []*expr.Expr
	for k, e := range out {
		switch c.kinds[k] {
		case varying:
			varyingOuts = append(varyingOuts, h.replaceParts(e))
		case fixed:
			fixedOuts = append(fixedOuts, e)
		}
	}
	build := c.derive(h, starts, nexts, varyingOuts, fixedOuts)
	c.arrange(len(h.list), len(varyingOuts)+len(fixedOuts))
	build()
	c.data = newSheet(c.columns, h.list...)
	return c
}

// sort determines the kind of each output.
func (c *Map) sort() {
	for _, e := range c.out {
		j := -1
		if e.Op == expr.Sym {
			j = slices.Index(c.params, e.Name)
		}
		_, varies := c.depends(e)
		switch {
		case j >= 0:
			c.kinds = append(c.kinds, itself)
		case varies:
			c.kinds = append(c.kinds, varying)
		default:
			c.kinds = append(c.kinds, fixed)
		}
		c.copies = append(c.copies, j)
	}
}

// arrange assigns every symbol its index among the inputs.
func (c *Map) arrange(hoisted, bars int) {
	l := &c.inputs
	l.names = slices.Clone(c.params)
	l.columns = len(l.names)
	l.names = append(l.names, c.columns...)
	l.data = len(l.names)
	for i := range hoisted {
		l.names = append(l.names, dataName(i))
	}
	l.states = len(l.names)
	for _, s := range c.states {
		l.names = append(l.names, s.Name)
	}
	l.adjoints = len(l.names)
	for i := range c.states {
		l.names = append(l.names, adjointName(i))
	}
	l.bars = len(l.names)
	for i := range bars {
		l.names = append(l.names, barName(i))
	}
	l.size = len(l.names)
}

// These symbols are not valid names in the language.
func dataName(i int) string    { return fmt.Sprint("data ", i) }
func adjointName(i int) string { return fmt.Sprint("adjoint ", i) }
func barName(i int) string     { return fmt.Sprint("bar ", i) }

// derive differentiates outputs with respect to states and parameters, and states with respect to parameters. The bar of an output is the
// symbol of its adjoint, the derivative of the result with respect to it. Bars of varying outputs come first. The function that derive returns makes the sheets. It must be called after all symbols have an index.
func (c *Map) derive(h *hoister, starts, nexts, varyingOuts, fixedOuts []*expr.Expr) (build func()) {
	stateNames := make([]string, len(c.states))
	for k, s := range c.states {
		stateNames[k] = s.Name
	}
	weighed := expr.Num(0)
	for o, e := range varyingOuts {
		weighed = expr.Plus(weighed, expr.New(expr.Mul, expr.Var(barName(o)), e))
	}
	pulled := h.replaceAll(diff.Gradient(weighed, stateNames))
	for k, e := range nexts {
		weighed = expr.Plus(weighed, expr.New(expr.Mul, expr.Var(adjointName(k)), e))
	}
	var slopes []*expr.Expr
	for j, e := range diff.Gradient(weighed, c.params) {
		if !e.IsNum(0) {
			slopes, c.slopeParams = append(slopes, h.replaceParts(e)), append(c.slopeParams, j)
		}
	}
	fixedSlopes, places := c.differentiateEach(fixedOuts, func(o int, e *expr.Expr) *expr.Expr {
		return expr.New(expr.Mul, expr.Var(barName(len(varyingOuts)+o)), e)
	})
	c.fixedParams = places
	startSlopes, places := c.differentiateEach(starts, func(_ int, e *expr.Expr) *expr.Expr { return e })
	c.startParams = places
	var next *advance
	if len(c.states) > 0 {
		next = newAdvance(h, stateNames, nexts)
	}
	return func() {
		names := c.inputs.names
		c.varying, c.fixed, c.starts = newSheet(names, varyingOuts...), newSheet(names, fixedOuts...), newSheet(names, starts...)
		c.pulled, c.slopes = newSheet(names, pulled...), newSheet(names, slopes...)
		c.fixedSlopes, c.startSlopes = newSheet(names, fixedSlopes...), newSheet(names, startSlopes...)
		if c.next = next; next != nil {
			next.build(names, c.inputs.states)
		}
	}
}

// differentiateEach differentiates, with respect to the parameters, what `of` makes of each expression. It omits derivatives that are 0
// everywhere. places says of which expression and parameter each derivative is.
func (c *Map) differentiateEach(list []*expr.Expr, of func(k int, e *expr.Expr) *expr.Expr) (slopes []*expr.Expr, places []entry) {
	for k, e := range list {
		for j, d := range diff.Gradient(of(k, e), c.params) {
			if !d.IsNum(0) {
				slopes, places = append(slopes, d), append(places, entry{k, j})
			}
		}
	}
	return slopes, places
}

// depends returns the parameters on which an expression depends, and whether it differs between trials.
func (c *Map) depends(e *expr.Expr) (params uint64, varies bool) {
	for _, name := range expr.Symbols(e) {
		if j := slices.Index(c.params, name); j >= 0 {
			params |= 1 << j
			continue
		}
		varies = true
		if !slices.ContainsFunc(c.states, func(s expr.State) bool { return s.Name == name }) {
			continue
		}
		for _, s := range c.states { // all states, because they may depend on one another
			for _, name := range expr.Symbols(s.Start, s.Next) {
				if j := slices.Index(c.params, name); j >= 0 {
					params |= 1 << j
				}
			}
		}
	}
	return params, varies
}

// Out returns the number of outputs.
func (c *Map) Out() int { return len(c.out) }

// Depends returns the model's parameters on which output k depends, and whether it differs from trial to trial even if parameters
// are shared.
func (c *Map) Depends(k int) (params uint64, varies bool) { return c.depends(c.out[k]) }

// Stateful reports whether trials depend on earlier ones.
func (c *Map) Stateful() bool { return len(c.states) > 0 }

var _ kernel.Map = (*Map)(nil)

// hoister extracts from expressions the parts that depend only on columns.
type hoister struct {
	columns  map[string]bool
	unique   *expr.Mapper
	only     map[*expr.Expr]bool // whether a node depends on columns and on nothing else
	replaced map[*expr.Expr]*expr.Expr
	list     []*expr.Expr
	place    map[*expr.Expr]int
}

func newHoister(columns []string) *hoister {
	h := &hoister{columns: map[string]bool{}, unique: expr.NewInterner(), only: map[*expr.Expr]bool{}, replaced: map[*expr.Expr]*expr.Expr{}, place: map[*expr.Expr]int{}}
	for _, c := range columns {
		h.columns[c] = true
	}
	return h
}

func (h *hoister) replaceAll(list []*expr.Expr) []*expr.Expr {
	out := make([]*expr.Expr, len(list))
	for i, e := range list {
		out[i] = h.replaceParts(e)
	}
	return out
}

// replaceParts replaces the largest parts of e that depend only on columns by symbols.
func (h *hoister) replaceParts(e *expr.Expr) *expr.Expr {
	e = h.unique.Map(e)
	order := expr.Order(e)
	for _, n := range order {
		if _, ok := h.only[n]; ok {
			continue
		}
		only, some := true, n.Op == expr.Sym && h.columns[n.Name]
		for _, a := range n.Args {
			only = only && (h.only[a] || a.Op == expr.Const)
			some = some || h.only[a]
		}
		h.only[n] = some && only
	}
	for _, n := range order {
		if h.replaced[n] != nil {
			continue
		}
		args := make([]*expr.Expr, len(n.Args))
		for i, a := range n.Args {
			args[i] = h.replaced[a]
			if h.only[a] && !h.only[n] {
				args[i] = h.column(a)
			}
		}
		if h.only[n] {
			h.replaced[n] = n
		} else {
			h.replaced[n] = n.With(args)
		}
	}
	if h.only[e] {
		return h.column(e)
	}
	return h.replaced[e]
}

// column returns the symbol for a part that depends only on columns.
func (h *hoister) column(n *expr.Expr) *expr.Expr {
	if len(n.Args) == 0 {
		return n
	}
	k, ok := h.place[n]
	if !ok {
		k = len(h.list)
		h.place[n], h.list = k, append(h.list, n)
	}
	return expr.Var(dataName(k))
}
