package engine

import (
	"math"
	"sync"

	"likc/compiler/binding"
	"likc/runtime/isa"
	"likc/runtime/likelihood"
	"likc/runtime/load"
)

// composed is a likelihood at the binding function of its parameters, which is evaluated once an evaluation.
type composed struct {
	f      likelihood.Likelihood
	at     *binding.Map
	spaces sync.Pool // of *composedSpace
}

// composedSpace is the memory of an evaluation.
type composedSpace struct {
	trace *binding.Trace
	bound []float64
}

func newComposed(f likelihood.Likelihood, at *binding.Map) *composed {
	c := &composed{f: f, at: at}
	c.spaces.New = func() any { return &composedSpace{at.NewTrace(), make([]float64, at.Dim())} }
	return c
}

// Dim is the number of parameters.
func (c *composed) Dim() int { return c.f.Dim() }

// UseTables has sums over trials served from tables.
func (c *composed) UseTables(on bool) {
	if t, ok := c.f.(interface{ UseTables(on bool) }); ok {
		t.UseTables(on)
	}
}

// Use has the likelihood use an instruction set.
func (c *composed) Use(level isa.Level) isa.Level { return load.Use(c.f, level) }

// LogLik is the log-likelihood.
func (c *composed) LogLik(theta []float64) float64 {
	s := c.spaces.Get().(*composedSpace)
	defer c.spaces.Put(s)
	c.at.At(s.trace, theta, s.bound)
	return c.f.LogLik(s.bound)
}

// LogLikGrad is the log-likelihood; it overwrites grad with the gradient, zero where the value is -Inf.
func (c *composed) LogLikGrad(theta, grad []float64) float64 {
	s := c.spaces.Get().(*composedSpace)
	defer c.spaces.Put(s)
	c.at.At(s.trace, theta, s.bound)
	value := c.f.LogLikGrad(s.bound, grad)
	if !math.IsInf(value, -1) {
		c.at.Back(s.trace, grad)
	}
	return value
}

// composedRows are rows at the binding function of each row's parameters.
type composedRows struct {
	likelihood.Rows
	at     *binding.Map
	spaces sync.Pool // of *rowsSpace
}

// rowsSpace is the memory of an evaluation: a row's parameters, and the bound parameters and gradients of all rows.
type rowsSpace struct {
	composedSpace
	theta []float64
	bound [][]float64
	views [][]float64 // of bound: as many rows as there are parameter vectors
	grad  [][]float64
}

func newComposedRows(rows likelihood.Rows, at *binding.Map) *composedRows {
	c := &composedRows{Rows: rows, at: at}
	c.spaces.New = func() any {
		s := &rowsSpace{composedSpace: composedSpace{at.NewTrace(), make([]float64, at.Dim())}, theta: make([]float64, at.Dim()), views: make([][]float64, at.Dim())}
		for range at.Dim() {
			s.bound, s.grad = append(s.bound, make([]float64, rows.N())), append(s.grad, make([]float64, rows.N()))
		}
		return s
	}
	return c
}

// Each evaluates the binding function once where parameters are shared, and for every row otherwise.
func (c *composedRows) Each(theta [][]float64, logp []float64, grad [][]float64) {
	s := c.spaces.Get().(*rowsSpace)
	defer c.spaces.Put(s)
	points := c.points(theta)
	for i := range points {
		c.take(s, theta, i)
		for j, x := range s.composedSpace.bound {
			s.bound[j][i] = x
		}
	}
	for j := range s.views {
		s.views[j] = s.bound[j][:points]
	}
	if grad == nil {
		c.Rows.Each(s.views, logp, nil)
		return
	}
	c.Rows.Each(s.views, logp, s.grad)
	for i := range logp {
		if i == 0 || points > 1 {
			c.take(s, theta, i)
		}
		for j := range s.theta {
			s.theta[j] = s.grad[j][i]
		}
		c.at.Back(s.trace, s.theta)
		for j, g := range grad {
			if g != nil {
				g[i] = s.theta[j]
			}
		}
	}
}

// points is how many parameter vectors the rows have: one, or one a row.
func (c *composedRows) points(theta [][]float64) int {
	for _, param := range theta {
		if len(param) > 1 {
			return len(param)
		}
	}
	return 1
}

// take evaluates the binding function at the parameters of row i.
func (c *composedRows) take(s *rowsSpace, theta [][]float64, i int) {
	for j, param := range theta {
		s.theta[j] = likelihood.At(param, i)
	}
	c.at.At(s.trace, s.theta, s.composedSpace.bound)
}
