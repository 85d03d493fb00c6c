package kernel

import (
	"slices"
	"sync"
)

// Fix returns the likelihood over the parameters at the indices free, in that order: the others keep their values of theta, which
// has a value for every parameter of lik. It allocates nothing once as many calls as run at a time have been made.
func Fix(lik Sum, theta []float64, free []int) Sum {
	f := &fixed{lik: lik, free: slices.Clone(free)}
	at := slices.Clone(theta)
	f.scratch.New = func() any { return &point{slices.Clone(at), make([]float64, len(at))} }
	return f
}

// fixed is a likelihood of which some parameters have one value.
type fixed struct {
	lik     Sum
	free    []int
	scratch sync.Pool // of *point
}

// point is a vector of all parameters, and a gradient there.
type point struct{ theta, grad []float64 }

// Dim is the number of free parameters.
func (f *fixed) Dim() int { return len(f.free) }

// LogLik is that of the whole likelihood.
func (f *fixed) LogLik(theta []float64) float64 {
	p := f.scratch.Get().(*point)
	defer f.scratch.Put(p)
	for k, i := range f.free {
		p.theta[i] = theta[k]
	}
	return f.lik.LogLik(p.theta)
}

// LogLikGrad is that of the whole likelihood, with the derivatives by the free parameters.
func (f *fixed) LogLikGrad(theta, grad []float64) float64 {
	p := f.scratch.Get().(*point)
	defer f.scratch.Put(p)
	for k, i := range f.free {
		p.theta[i] = theta[k]
	}
	lp := f.lik.LogLikGrad(p.theta, p.grad)
	for k, i := range f.free {
		grad[k] = p.grad[i]
	}
	return lp
}
