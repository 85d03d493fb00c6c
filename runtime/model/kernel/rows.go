package kernel

import "sync"

// Rows is a model with bound trials, evaluated row by row, where each parameter may differ from row to row. Regressions, mixtures
// and cross-validation use it. It is safe for concurrent use.
type Rows interface {
	// N returns the number of rows, each of which is a trial.
	N() int

	// Dim returns the number of parameters.
	Dim() int

	// Each sets logp[i] to the log density of row i: -Inf outside the support, NaN where the density is NaN. theta[j] holds parameter j:
	// one number for all rows, or N. Unless grad is nil, it sets grad[j][i] to the derivative of logp[i] with respect to the row's
	// parameter j, which is zero if logp[i] is not finite. A nil grad[j] is not computed. Rows are fastest if parameters are shared, so
	// trials of different conditions are better bound separately.
	Each(theta [][]float64, logp []float64, grad [][]float64)
}

// At returns a parameter's number in row i.
func At(param []float64, i int) float64 {
	if len(param) == 1 {
		return param[0]
	}
	return param[i]
}

// Fixed returns theta in the form of the first argument of Each, with one number for each parameter.
func Fixed(theta []float64) [][]float64 {
	params := make([][]float64, len(theta))
	for j := range theta {
		params[j] = theta[j : j+1 : j+1]
	}
	return params
}

// EachAlone returns n rows of a density that is evaluated one row at a time. density returns the log density of row i and, unless
// grad is nil, overwrites grad with the gradient.
func EachAlone(dim, n int, density func(i int, theta, grad []float64) float64) Rows {
	a := &eachAlone{dim: dim, n: n, density: density}
	a.spaces.New = func() any { x := make([]float64, 2*dim); return &x }
	return a
}

// eachAlone evaluates rows of a density one row at a time.
type eachAlone struct {
	dim, n  int
	density func(i int, theta, grad []float64) float64
	spaces  sync.Pool // memory of evaluations: *[]float64, a parameter vector and a gradient
}

func (a *eachAlone) N() int   { return a.n }
func (a *eachAlone) Dim() int { return a.dim }

func (a *eachAlone) Each(theta [][]float64, logp []float64, grad [][]float64) {
	space := a.spaces.Get().(*[]float64)
	defer a.spaces.Put(space)
	at, slope := (*space)[:a.dim], (*space)[a.dim:]
	if grad == nil {
		slope = nil
	}
	for i := range a.n {
		for j, param := range theta {
			at[j] = At(param, i)
		}
		logp[i] = a.density(i, at, slope)
		if logp[i]-logp[i] != 0 {
			clear(slope)
		}
		for j, g := range grad {
			if g != nil {
				g[i] = slope[j]
			}
		}
	}
}
