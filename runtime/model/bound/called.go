package bound

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"likc/compiler/expr"
	"likc/runtime/model/called"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
)

// prepareCalled prepares a model that has states or calls densities. A called density is the kernel itself, or its value is a
// parameter of an expression. A map computes the density's arguments at each trial.
func prepareCalled(ctx context.Context, m *catalog.Model, e Engine) (*Prepared, error) {
	if e != Auto && e != Ready {
		return nil, fmt.Errorf("engine %s: %s and %w", e, m.What(), ErrOneEngine)
	}
	c := m.Called
	var parts []*Prepared
	fail := func(err error) (*Prepared, error) {
		for _, p := range parts {
			err = errors.Join(err, p.Close())
		}
		return nil, err
	}
	held := []resource{}
	for k, of := range m.Callees() {
		p, err := Prepare(ctx, of, Auto)
		if err != nil {
			return fail(fmt.Errorf("%s calls %s: %w", m.Name, c.Calls[k].Of.Name, err))
		}
		parts, held = append(parts, p), append(held, p)
	}
	if len(c.Calls) == 1 && len(c.Own) == 0 && c.LogLik.Op == expr.Sym && c.LogLik.Name == c.Calls[0].Symbol {
		p := newPrepared(m, nil, held...)
		p.call(parts[0], c.Calls[0].Args)
		return p, nil
	}
	k, args, err := newMixture(ctx, m, parts)
	if err != nil {
		return fail(err)
	}
	p := newPrepared(m, k, held...)
	p.inner = called.New(m.Model, args)
	return p, nil
}

// call sets the log density to one call of callee, with args as its arguments.
func (p *Prepared) call(callee *Prepared, args []*expr.Expr) {
	p.callee, p.kernel = callee, calledBy(p.Model, callee)
	if p.inner = called.New(p.Model.Model, args); callee.inner != nil {
		p.inner = sequel{p.inner, callee.inner}
	}
}

// calledBy returns the kernel of a model that m calls, for trials of m.
func calledBy(m *catalog.Model, callee *Prepared) kernel.Kernel {
	s := selected{kernel: callee.kernel}
	for _, name := range callee.Model.Trials {
		s.columns = append(s.columns, slices.Index(m.Trials, name))
	}
	if sum, ok := callee.kernel.(kernel.Summer); ok {
		return selectedSum{s, sum}
	}
	return s
}

// selected is a kernel that uses only some of the trial columns.
type selected struct {
	kernel  kernel.Kernel
	columns []int
}

// selectedSum is a selected kernel that has sums.
type selectedSum struct {
	selected
	sum kernel.Summer
}

func (s selected) selectedFrom(t kernel.Trials) kernel.Trials {
	own := t
	own.Columns = nil
	for _, j := range s.columns {
		own.Columns = append(own.Columns, t.Columns[j])
	}
	return own
}

// Dim returns the number of parameters.
func (s selected) Dim() int { return s.kernel.Dim() }

// Rows binds trials to the kernel.
func (s selected) Rows(t kernel.Trials) (kernel.Rows, error) { return s.kernel.Rows(s.selectedFrom(t)) }

// Sum binds trials to the kernel.
func (s selectedSum) Sum(t kernel.Trials) (kernel.Sum, error) { return s.sum.Sum(s.selectedFrom(t)) }

// mixture is an expression of a model's own parameters, its states, and the values of densities. The parameters of the densities
// come after those of the expression.
type mixture struct {
	outer kernel.Kernel
	own   int             // number of parameters of outer that are not densities
	parts []kernel.Kernel // the called densities
}

// newMixture returns the kernel of a model, and the kernel's parameters as expressions of the model's.
func newMixture(ctx context.Context, m *catalog.Model, parts []*Prepared) (kernel.Kernel, []*expr.Expr, error) {
	c := m.Called
	header := *m.Model
	header.Called, header.Outer, header.Computed, header.Lets, header.Simulator = nil, nil, nil, nil, nil
	header.LogLik, header.Support, header.Params = c.LogLik, c.Own, nil
	roots := []*expr.Expr{c.LogLik}
	for _, s := range c.Own {
		roots = append(roots, s.Left, s.Right)
	}
	used := expr.Symbols(roots...)
	var args []*expr.Expr
	for _, p := range m.Params {
		if slices.Contains(used, p.Name) {
			header.Params, args = append(header.Params, p), append(args, expr.Var(p.Name))
		}
	}
	for _, s := range c.States {
		if slices.Contains(used, s.Name) {
			header.Params, args = append(header.Params, expr.Param{Name: s.Name, Lower: -1, Upper: 1}), append(args, expr.Var(s.Name))
		}
	}
	k := &mixture{own: len(args)}
	for i, d := range c.Calls {
		if parts[i].inner != nil {
			return nil, nil, fmt.Errorf("%s calls %s among other terms, and it is evaluated at other parameters than its own; call it alone", m.Name, d.Of.Name)
		}
		header.Params = append(header.Params, expr.Param{Name: d.Symbol, Lower: -10, Upper: 2})
		k.parts = append(k.parts, calledBy(m, parts[i]))
		args = append(args, d.Args...)
	}
	if len(header.Params) > most {
		return nil, nil, fmt.Errorf("%s: parameters, states and calls are %d, at most %d can be", m.Name, len(header.Params), most)
	}
	x, err := newExpression(ctx, catalog.OfExpression(&header), Ready)
	if err != nil {
		return nil, nil, err
	}
	own := make([]int, len(m.Trials))
	for j := range own {
		own[j] = j
	}
	if k.outer = (selected{x, own}); len(k.parts) == 0 {
		return k.outer, args, nil
	}
	return k, args, nil
}

// most is the largest number of parameters, states and calls in an expression.
const most = 64

// Dim returns the number of parameters: those of the expression that are not densities, and those of all densities.
func (k *mixture) Dim() int {
	n := k.own
	for _, p := range k.parts {
		n += p.Dim()
	}
	return n
}

// Rows binds trials to the expression and to the densities.
func (k *mixture) Rows(t kernel.Trials) (kernel.Rows, error) {
	outer, err := k.outer.Rows(t)
	if err != nil {
		return nil, err
	}
	r := &mixtureRows{outer: outer, own: k.own, dim: k.Dim(), n: t.N()}
	for _, p := range k.parts {
		rows, err := p.Rows(t)
		if err != nil {
			return nil, err
		}
		r.parts = append(r.parts, rows)
	}
	r.spaces.New = func() any { return r.newSpace() }
	return r, nil
}

// mixtureRows are bound rows of a [mixture].
type mixtureRows struct {
	outer       kernel.Rows
	parts       []kernel.Rows
	own, dim, n int       // number of the expression's parameters that are not densities, of all parameters, and of rows
	spaces      sync.Pool // memory of evaluations: *mixtureSpace
}

// mixtureSpace is the working memory of an evaluation.
type mixtureSpace struct {
	theta, slopes [][]float64 // for each parameter of the expression: its values, and derivatives of the rows
	of            [][]float64 // derivatives of the densities with respect to their parameters
}

func (r *mixtureRows) newSpace() *mixtureSpace {
	s := &mixtureSpace{theta: make([][]float64, r.outer.Dim())}
	for k := range r.outer.Dim() {
		if s.slopes = append(s.slopes, make([]float64, r.n)); k >= r.own {
			s.theta[k] = make([]float64, r.n)
		}
	}
	for range r.dim - r.own {
		s.of = append(s.of, make([]float64, r.n))
	}
	return s
}

// N returns the number of rows.
func (r *mixtureRows) N() int { return r.n }

// Dim returns the number of parameters.
func (r *mixtureRows) Dim() int { return r.dim }

// Each evaluates the densities, then the expression.
func (r *mixtureRows) Each(theta [][]float64, logp []float64, grad [][]float64) {
	s := r.spaces.Get().(*mixtureSpace)
	defer r.spaces.Put(s)
	copy(s.theta, theta[:r.own])
	at := r.own
	for k, rows := range r.parts {
		to := at + rows.Dim()
		var of [][]float64
		if grad != nil {
			of = s.of[at-r.own : to-r.own]
		}
		rows.Each(theta[at:to], s.theta[r.own+k], of)
		at = to
	}
	if grad == nil {
		r.outer.Each(s.theta, logp, nil)
		return
	}
	r.outer.Each(s.theta, logp, s.slopes)
	for j := range r.own {
		if grad[j] != nil {
			copy(grad[j], s.slopes[j])
		}
	}
	at = r.own
	for k, rows := range r.parts {
		for range rows.Dim() {
			if g := grad[at]; g != nil {
				for i, slope := range s.slopes[r.own+k] {
					g[i] = slope * s.of[at-r.own][i]
				}
			}
			at++
		}
	}
}

// sequel is the composition of two maps: the outputs of the first are the inputs of the second.
type sequel struct{ first, second kernel.Map }

// Out returns the number of the second map's values.
func (s sequel) Out() int { return s.second.Out() }

// Depends follows the dependence through both maps.
func (s sequel) Depends(k int) (params uint64, varies bool) {
	between, varies := s.second.Depends(k)
	for j := range s.first.Out() {
		if between&(1<<j) != 0 {
			own, differs := s.first.Depends(j)
			params, varies = params|own, varies || differs
		}
	}
	return params, varies
}

// Stateful reports whether one of the maps has states.
func (s sequel) Stateful() bool { return s.first.Stateful() || s.second.Stateful() }

// Bind binds trials to both maps.
func (s sequel) Bind(t kernel.Trials) (func() kernel.Mapping, error) {
	first, err := s.first.Bind(t)
	if err != nil {
		return nil, err
	}
	second, err := s.second.Bind(t)
	return func() kernel.Mapping {
		return &inTurn{first: first(), second: second(), bars: make([][]float64, s.first.Out())}
	}, err
}

// inTurn is the working memory of an evaluation of a [sequel].
type inTurn struct {
	first, second kernel.Mapping
	bars          [][]float64 // derivatives with respect to the values of the first map
}

// Forward evaluates the first map, then the second.
func (m *inTurn) Forward(theta [][]float64) [][]float64 {
	between := m.first.Forward(theta)
	for k, x := range between {
		m.bars[k] = slices.Grow(m.bars[k][:0], len(x))[:len(x)]
	}
	return m.second.Forward(between)
}

// Back applies the chain rule to the second map, then to the first. bars are the derivatives with respect to the second map's values.
func (m *inTurn) Back(bars, grad [][]float64) {
	for _, b := range m.bars {
		clear(b)
	}
	m.second.Back(bars, m.bars)
	m.first.Back(m.bars, grad)
}
