package engine

import (
	"math"
	"sync"

	"likc/compiler/expr"
	"likc/runtime/model/kernel"
	"likc/runtime/model/load"
	"likc/runtime/num/isa"
)

// mixed is the log-likelihood of a density mixed with lapses: f as a function of the parameters and of log Z, which comes last.
type mixed struct {
	f      kernel.Sum
	z      *logZ
	spaces sync.Pool // of *mixedSpace
}

// mixedSpace is the memory of an evaluation: parameters with log Z, their gradient, and the gradient of log Z.
type mixedSpace struct{ theta, grad, slopes []float64 }

func newMixed(f kernel.Sum, z *logZ) *mixed {
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

// compose has a likelihood taken at the model's binding function, if it has one.
func compose(m *expr.Model, l kernel.Sum) kernel.Sum {
	if m.Binding == nil {
		return l
	}
	return newComposed(l, newBoundAt(m))
}

// composeRows is compose for rows.
func composeRows(m *expr.Model, r kernel.Rows) kernel.Rows {
	if m.Binding == nil {
		return r
	}
	return newComposedRows(r, newBoundAt(m))
}
