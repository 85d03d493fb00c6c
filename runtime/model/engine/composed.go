package engine

import (
	"math"
	"sync"

	"likc/runtime/model/kernel"
	"likc/runtime/model/load"
	"likc/runtime/num/isa"
)

// composed is a likelihood at the binding function of its parameters, which is evaluated once an evaluation.
type composed struct {
	f      kernel.Sum
	at     *boundAt
	spaces sync.Pool // of *composedSpace
}

// composedSpace is the memory of an evaluation: the values of the binding function, and derivatives with respect to them.
type composedSpace struct {
	trace       *boundSpace
	bound, grad []float64
}

func newComposedSpace(at *boundAt) composedSpace {
	return composedSpace{at.newSpace(), make([]float64, at.out), make([]float64, at.out)}
}

func newComposed(f kernel.Sum, at *boundAt) *composed {
	c := &composed{f: f, at: at}
	c.spaces.New = func() any { s := newComposedSpace(at); return &s }
	return c
}

// Dim is the number of parameters.
func (c *composed) Dim() int { return c.at.dim }

// UseTables has sums over trials served from tables.
func (c *composed) UseTables(on bool) {
	if t, ok := c.f.(interface{ UseTables(on bool) }); ok {
		t.UseTables(on)
	}
}

// Use has the likelihood use an instruction set.
func (c *composed) Use(level isa.Level) isa.Level {
	c.at.use(level)
	return load.Use(c.f, level)
}

// LogLik is the log-likelihood.
func (c *composed) LogLik(theta []float64) float64 {
	s := c.spaces.Get().(*composedSpace)
	defer c.spaces.Put(s)
	c.at.at(s.trace, theta, s.bound)
	return c.f.LogLik(s.bound)
}

// LogLikGrad is the log-likelihood; it overwrites grad with the gradient, zero where the value is -Inf.
func (c *composed) LogLikGrad(theta, grad []float64) float64 {
	s := c.spaces.Get().(*composedSpace)
	defer c.spaces.Put(s)
	c.at.at(s.trace, theta, s.bound)
	value := c.f.LogLikGrad(s.bound, s.grad)
	if !math.IsInf(value, -1) {
		c.at.back(s.trace, s.grad)
	}
	copy(grad, s.grad)
	return value
}

// composedRows are rows at the binding function of each row's parameters.
type composedRows struct {
	kernel.Rows
	at     *boundAt
	spaces sync.Pool // of *rowsSpace
}

// rowsSpace is the memory of an evaluation: a row's parameters, and the bound parameters and gradients of all rows.
type rowsSpace struct {
	composedSpace
	theta  []float64
	bounds [][]float64
	views  [][]float64 // of bounds: as many rows as there are parameter vectors
	grads  [][]float64
}

func newComposedRows(rows kernel.Rows, at *boundAt) *composedRows {
	c := &composedRows{Rows: rows, at: at}
	c.spaces.New = func() any {
		s := &rowsSpace{composedSpace: newComposedSpace(at), theta: make([]float64, at.dim), views: make([][]float64, at.out)}
		for range at.out {
			s.bounds, s.grads = append(s.bounds, make([]float64, rows.N())), append(s.grads, make([]float64, rows.N()))
		}
		return s
	}
	return c
}

// Dim is the number of parameters, which a tilt makes one less than that of the rows bound.
func (c *composedRows) Dim() int { return c.at.dim }

// Each evaluates the binding function once where parameters are shared, and for every row otherwise.
func (c *composedRows) Each(theta [][]float64, logp []float64, grad [][]float64) {
	s := c.spaces.Get().(*rowsSpace)
	defer c.spaces.Put(s)
	points := c.points(theta)
	for i := range points {
		c.take(s, theta, i)
		for j, x := range s.bound {
			s.bounds[j][i] = x
		}
	}
	for j := range s.views {
		s.views[j] = s.bounds[j][:points]
	}
	if grad == nil {
		c.Rows.Each(s.views, logp, nil)
		return
	}
	c.Rows.Each(s.views, logp, s.grads)
	for i := range logp {
		if i == 0 || points > 1 {
			c.take(s, theta, i)
		}
		for j := range s.grad {
			s.grad[j] = s.grads[j][i]
		}
		c.at.back(s.trace, s.grad)
		for j, g := range grad {
			if g != nil {
				g[i] = s.grad[j]
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
		s.theta[j] = kernel.At(param, i)
	}
	c.at.at(s.trace, s.theta, s.bound)
}
