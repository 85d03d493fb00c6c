package engine

import (
	"math"
	"sync"

	"likc/compiler/binding"
	"likc/compiler/expr"
	"likc/runtime/isa"
	"likc/runtime/likelihood"
	"likc/runtime/load"
)

// mixed is the log-likelihood of a density mixed with lapses: f as a function of the parameters and of log Z, which comes last.
type mixed struct {
	f      likelihood.Likelihood
	z      *logZ
	spaces sync.Pool // of *mixedSpace
}

// mixedSpace is the memory of an evaluation: parameters with log Z, their gradient, and the gradient of log Z.
type mixedSpace struct{ theta, grad, slopes []float64 }

func newMixed(f likelihood.Likelihood, z *logZ) *mixed {
	l := &mixed{f: f, z: z}
	l.spaces.New = func() any {
		return &mixedSpace{make([]float64, z.dim+1), make([]float64, z.dim+1), make([]float64, z.dim)}
	}
	return l
}

// Dim is the number of parameters.
func (l *mixed) Dim() int { return l.z.dim }

// UseTables has the sum over trials served from tables.
func (l *mixed) UseTables(on bool) {
	if t, ok := l.f.(interface{ UseTables(on bool) }); ok {
		t.UseTables(on)
	}
}

// Use has both parts use an instruction set, and returns the one that the sum over trials uses.
func (l *mixed) Use(level isa.Level) isa.Level {
	load.Use(l.z.integral, level)
	return load.Use(l.f, level)
}

// LogLik is the log-likelihood.
func (l *mixed) LogLik(theta []float64) float64 {
	s := l.spaces.Get().(*mixedSpace)
	defer l.spaces.Put(s)
	copy(s.theta, theta)
	s.theta[l.z.dim] = l.z.at(theta, nil)
	return l.f.LogLik(s.theta)
}

// LogLikGrad is the log-likelihood; it overwrites grad with the gradient, zero where the value is -Inf.
func (l *mixed) LogLikGrad(theta, grad []float64) float64 {
	s := l.spaces.Get().(*mixedSpace)
	defer l.spaces.Put(s)
	copy(s.theta, theta)
	s.theta[l.z.dim] = l.z.at(theta, s.slopes)
	value := l.f.LogLikGrad(s.theta, s.grad)
	if math.IsInf(value, -1) {
		clear(grad)
		return value
	}
	for j := range grad {
		grad[j] = s.grad[j] + s.grad[l.z.dim]*s.slopes[j]
	}
	return value
}

// mixedRows are the rows of a density mixed with lapses.
type mixedRows struct {
	likelihood.Rows // of parameters and log Z
	z               *logZ
	spaces          sync.Pool // of *mixedRowsSpace
}

// mixedRowsSpace is the memory of an evaluation: log Z of each row, its gradient, the derivatives of the rows in it, and parameters.
type mixedRowsSpace struct {
	values, bars []float64
	slopes       [][]float64
	theta, one   []float64
	all, grads   [][]float64
}

// newNormalisedRows are the rows of a density before it is normalised, or mixed with lapses, made those of the density.
func newNormalisedRows(f likelihood.Rows, z *logZ, isMixed bool) likelihood.Rows {
	if !isMixed {
		r := &normalisedRows{Rows: f, z: z}
		r.spaces.New = func() any { return &zSpace{make([]float64, z.dim), make([]float64, z.dim)} }
		return r
	}
	r := &mixedRows{Rows: f, z: z}
	r.spaces.New = func() any {
		s := &mixedRowsSpace{values: make([]float64, f.N()), bars: make([]float64, f.N()), theta: make([]float64, z.dim), one: make([]float64, z.dim)}
		for range z.dim {
			s.slopes = append(s.slopes, make([]float64, f.N()))
		}
		s.all, s.grads = make([][]float64, z.dim+1), make([][]float64, z.dim+1)
		return s
	}
	return r
}

// Dim is the number of parameters.
func (r *mixedRows) Dim() int { return r.z.dim }

// Each computes log Z once where parameters are shared, and for every row whose parameters differ from those of the row before.
func (r *mixedRows) Each(theta [][]float64, logp []float64, grad [][]float64) {
	s := r.spaces.Get().(*mixedRowsSpace)
	defer r.spaces.Put(s)
	points := 1
	for _, param := range theta {
		points = max(points, min(len(param), len(logp)))
	}
	r.normalise(s, theta, points, grad != nil)
	copy(s.all, theta)
	s.all[r.z.dim] = s.values[:points]
	if grad == nil {
		r.Rows.Each(s.all, logp, nil)
		return
	}
	copy(s.grads, grad)
	s.grads[r.z.dim] = s.bars
	r.Rows.Each(s.all, logp, s.grads)
	for j, g := range grad {
		if g == nil {
			continue
		}
		for i := range g {
			g[i] += s.bars[i] * s.slopes[j][min(i, points-1)]
		}
	}
}

// normalise sets log Z of each parameter vector, and its gradient.
func (r *mixedRows) normalise(s *mixedRowsSpace, theta [][]float64, points int, both bool) {
	for i := range points {
		changed := i == 0
		for j, param := range theta {
			x := likelihood.At(param, i)
			changed, s.theta[j] = changed || x != s.theta[j], x
		}
		if changed && both {
			s.values[i] = r.z.at(s.theta, s.one)
		} else if changed {
			s.values[i] = r.z.at(s.theta, nil)
		} else {
			s.values[i] = s.values[i-1]
		}
		for j := range s.slopes {
			s.slopes[j][i] = s.one[j]
		}
	}
}

// compose has a likelihood taken at the model's binding function, if it has one.
func compose(m *expr.Model, l likelihood.Likelihood) likelihood.Likelihood {
	if m.Binding == nil {
		return l
	}
	return newComposed(l, binding.Of(m))
}

// composeRows is compose for rows.
func composeRows(m *expr.Model, r likelihood.Rows) likelihood.Rows {
	if m.Binding == nil {
		return r
	}
	return newComposedRows(r, binding.Of(m))
}
