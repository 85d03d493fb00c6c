package kernel

import "sync"

// Rows is a model over bound trials, evaluated row by row, where each parameter may differ from row to row. Regressions,
// mixtures and cross-validation are made of it. It is safe for concurrent use.
type Rows interface {
	// N is the number of rows, each a trial.
	N() int

	// Dim is the number of parameters.
	Dim() int

	// Each sets logp[i] to the log density of row i: -Inf outside the support, NaN where the density itself is. theta[j] has
	// parameter j: one number for all rows, or N. Unless grad is nil, it sets grad[j][i] to the derivative of logp[i] in
	// the row's own parameter j, zero where logp[i] is not finite; a nil grad[j] is not wanted. Rows are cheapest where
	// parameters are shared: trials whose parameters differ by a condition are better bound apart.
	Each(theta [][]float64, logp []float64, grad [][]float64)
}

// At returns the number that row i has of a parameter.
func At(param []float64, i int) float64 {
	if len(param) == 1 {
		return param[0]
	}
	return param[i]
}

// Fixed makes theta, of one number a parameter, the first argument of Each.
func Fixed(theta []float64) [][]float64 {
	params := make([][]float64, len(theta))
	for j := range theta {
		params[j] = theta[j : j+1 : j+1]
	}
	return params
}

// EachAlone are n rows of a density that is evaluated one row at a time: it returns the log density of row i and, unless grad is
// nil, overwrites grad with the gradient.
func EachAlone(dim, n int, density func(i int, theta, grad []float64) float64) Rows {
	a := &alone{dim: dim, n: n, density: density}
	a.spaces.New = func() any { x := make([]float64, 2*dim); return &x }
	return a
}

// alone are rows of a density of single rows.
type alone struct {
	dim, n  int
	density func(i int, theta, grad []float64) float64
	spaces  sync.Pool // memory of evaluations: *[]float64, a parameter vector and a gradient
}

func (a *alone) N() int   { return a.n }
func (a *alone) Dim() int { return a.dim }

func (a *alone) Each(theta [][]float64, logp []float64, grad [][]float64) {
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
