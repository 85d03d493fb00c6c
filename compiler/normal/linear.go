package normal

import (
	"math"

	"likc/compiler/expr"
	"likc/compiler/separate"
)

// mostFunctions is the largest number of functions g_k in [linear].
const mostFunctions = 8

// rounding is the largest change of log Z by multiplying out that is accepted. It is far less than the grid's error.
const rounding = 1e-9

// linear returns the log density as a linear combination of functions of time, with coefficients that depend only on the
// parameters, if it has that form:
//
//	f = Σ c_k(θ) g_k(u)      ∂Z/∂θ = Σ_k ∂c_k/∂θ Σ_u g_k(u) exp f(u)
//
// The integral and its gradient then take one sum for each function, whatever the number of parameters. If the density has
// another form, or if multiplying out changes the integral at one of the points by cancellation, linear returns the log density
// unchanged.
func linear(since *expr.Model, d *density, g *Grid, points [][]float64) *expr.Expr {
	known := separate.Known{Trials: map[string]bool{}}
	for _, name := range since.Trials {
		known.Trials[name] = true
		known.Positive = append(known.Positive, expr.Var(name))
	}
	f, ok := separate.Linear(since.LogLik, known, mostFunctions)
	if !ok {
		return since.LogLik
	}
	multiplied := *since
	multiplied.LogLik = f
	other := newDensity(&multiplied, since.Trials[0])
	for _, theta := range points {
		if !(math.Abs(other.onGrid(g, theta)-d.onGrid(g, theta)) <= rounding) {
			return since.LogLik
		}
	}
	return f
}
