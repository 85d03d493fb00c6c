package posterior

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

// Mode is a maximum of the posterior density over the parameters.
type Mode struct {
	Theta      []float64
	LogDensity float64
	SD         []float64 // of Laplace's normal approximation; NaN where it says nothing: see MAP
	Gradients  int
}

// MAP climbs by L-BFGS, in unconstrained coordinates but without their Jacobian, from the parameters start, or from the
// first place of a hundred that has a density if start is nil. Standard deviations are NaN if the curvature is not that of
// a maximum, and for a parameter whose density still rises at the end of its range.
func (p *Posterior) MAP(start []float64) (*Mode, error) {
	climb := &ascent{posterior: p, theta: make([]float64, p.Dim()), grad: make([]float64, p.Dim()), at: make([]float64, p.Dim())}
	q, err := climb.begin(start)
	if err != nil {
		return nil, err
	}
	problem := optimize.Problem{Func: climb.value, Grad: climb.gradient}
	result, err := optimize.Minimize(problem, q, &optimize.Settings{GradientThreshold: 1e-8, MajorIterations: 1000}, &optimize.LBFGS{})
	if result == nil || (err != nil && math.IsInf(climb.value(result.X), 1)) {
		return nil, fmt.Errorf("mode: %w", err) // a line search that stalls in rounding has still arrived
	}
	mode := &Mode{Theta: make([]float64, p.Dim()), LogDensity: -climb.value(result.X)}
	p.Constrain(result.X, mode.Theta)
	mode.SD = climb.laplace(mode.Theta)
	mode.Gradients = climb.gradients
	return mode, nil
}

// ascent evaluates the negative log density over q, once for value and gradient.
type ascent struct {
	posterior   *Posterior
	theta, grad []float64 // grad: of the log density, in q
	at          []float64 // where they were computed
	lp          float64
	gradients   int
}

func (a *ascent) evaluate(q []float64) {
	if a.gradients > 0 && equal(q, a.at) {
		return
	}
	copy(a.at, q)
	a.gradients++
	a.posterior.Constrain(q, a.theta)
	a.lp = a.posterior.LogDensityGrad(a.theta, a.grad)
	if math.IsNaN(a.lp) {
		a.lp = math.Inf(-1)
	}
	for i := range a.grad {
		_, slope, _, _, _ := a.posterior.transforms[i].constrain(q[i])
		a.grad[i] *= slope
	}
}

func equal(a, b []float64) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func (a *ascent) value(q []float64) float64 {
	a.evaluate(q)
	return -a.lp
}

func (a *ascent) gradient(grad, q []float64) {
	a.evaluate(q)
	for i, g := range a.grad {
		grad[i] = -g
	}
}

// begin returns a place with a density.
func (a *ascent) begin(start []float64) ([]float64, error) {
	q := make([]float64, a.posterior.Dim())
	if start != nil {
		if len(start) != len(q) {
			return nil, fmt.Errorf("mode: start has %d values for %d parameters", len(start), len(q))
		}
		if err := a.posterior.Unconstrain(start, q); err != nil {
			return nil, err
		}
		if math.IsInf(a.value(q), 0) {
			return nil, fmt.Errorf("mode: no density at %v", start)
		}
		return q, nil
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 100 { // the middle of the ranges first
		if !math.IsInf(a.value(q), 0) {
			return q, nil
		}
		for i := range q {
			q[i] = 4*rng.Float64() - 2
		}
	}
	return nil, errors.New("mode: 100 tries found no place with a density")
}

// laplace returns the standard deviations of the normal density that has the posterior's curvature at theta: the roots of
// the inverse negative Hessian's diagonal, the Hessian by central differences of the gradient.
func (a *ascent) laplace(theta []float64) []float64 {
	n := len(theta)
	hessian := mat.NewSymDense(n, nil)
	for i := range n {
		column := a.curvature(theta, i)
		for j, v := range column {
			if j >= i {
				hessian.SetSym(i, j, hessian.At(i, j)-v/2)
			} else {
				hessian.SetSym(j, i, hessian.At(j, i)-v/2)
			}
		}
		hessian.SetSym(i, i, -column[i])
	}
	sd, slopes := make([]float64, n), make([]float64, n)
	a.posterior.LogDensityGrad(theta, slopes)
	var cholesky mat.Cholesky
	var inverse mat.SymDense
	ok := cholesky.Factorize(hessian) && cholesky.InverseTo(&inverse) == nil
	for i := range sd {
		sd[i] = math.NaN()
		if !ok {
			continue
		}
		if v := math.Sqrt(inverse.At(i, i)); math.Abs(slopes[i])*v < 0.01 { // level to a hundredth of an sd
			sd[i] = v
		}
	}
	return sd
}

// curvature is the derivative of the gradient along parameter i.
func (a *ascent) curvature(theta []float64, i int) []float64 {
	t := a.posterior.transforms[i]
	step := 1e-5 * max(1e-2, math.Abs(theta[i]))
	step = min(step, (theta[i]-t.low)/2, (t.high-theta[i])/2)
	at, high, low := append([]float64(nil), theta...), make([]float64, len(theta)), make([]float64, len(theta))
	at[i] = theta[i] + step
	a.posterior.LogDensityGrad(at, high)
	at[i] = theta[i] - step
	a.posterior.LogDensityGrad(at, low)
	a.gradients += 2
	for j := range high {
		high[j] = (high[j] - low[j]) / (2 * step)
	}
	return high
}
