package normal

import (
	"math"

	"likc/compiler/expr"
	"likc/compiler/separate"
)

// mostFunctions is how many functions of time a density may be a combination of, for its integral to be made of sums of these.
const mostFunctions = 8

// rounding is how far multiplying out may move the log of an integral: far less than the grid's own error.
const rounding = 1e-9

// linear returns the log density as a combination of functions of time, with coefficients that depend on the parameters alone, where it is
// one:
//
//	f = Σ c_k(θ) g_k(u)      ∂Z/∂θ = Σ_k ∂c_k/∂θ Σ_u g_k(u) exp f(u)
//
// So the integral and its gradient take one sum for each function, whatever the number of parameters. Multiplying out can cancel: where it
// moves the integral at one of the points, and for other densities, linear is the log density as it was.
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
