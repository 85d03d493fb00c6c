package posterior

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/optimize"
)

// Mode is a maximum of the posterior density over the parameters.
type Mode struct {
	Theta      []float64
	LogDensity float64
	SD         []float64 // standard deviations of Laplace's normal approximation; NaN where it is not usable: see MAP
	AtBound    []bool    // whether the density still rises at the end of a parameter's range
	Level      []bool    // whether the density is nearly constant along a parameter: see MAP
	Gradients  int       // number of gradients computed
}

// MAP returns a maximum of the posterior density. It climbs by L-BFGS, in unconstrained coordinates but without their Jacobian. It starts
// at the parameters start; if start is nil, at the first of up to 200 points where the density is positive.
//
// The standard deviations are those of Laplace's approximation, with three exceptions, for which they are NaN. If the density still rises
// at the end of a parameter's range (AtBound), the parameter is held fixed there and has none. If the density is nearly constant along a
// parameter, by itself or together with other parameters (Level), it has none: its standard deviation would be larger than that of a
// uniform density over the range, or than 10,000 times that with all other parameters fixed. If the curvature is not that of a maximum,
// no parameter has one.
func (p *Posterior) MAP(start []float64) (*Mode, error) {
	return p.MAPContext(context.Background(), start)
}

// MAPContext does the same as MAP, but ends with the context, and then returns its error.
func (p *Posterior) MAPContext(ctx context.Context, start []float64) (*Mode, error) {
	mode, climb, err := p.climb(ctx, start)
	if err != nil {
		return nil, err
	}
	climb.laplace(ctx, mode)
	mode.Gradients = climb.gradients
	return mode, ctx.Err()
}

// MAPConditional does what [Posterior.MAPContext] does, but each standard deviation is conditional: all other parameters are fixed at the
// mode, so that it is smaller. sets divides the parameters into sets; the parameters of a set must not interact. Time and memory grow with
// the number of sets, not with the number of pairs of parameters.
func (p *Posterior) MAPConditional(ctx context.Context, start []float64, sets [][]int) (*Mode, error) {
	mode, climb, err := p.climb(ctx, start)
	if err != nil {
		return nil, err
	}
	climb.setConditionalSDs(ctx, mode, sets)
	mode.Gradients = climb.gradients
	return mode, ctx.Err()
}

// Top does the same as MAPContext without standard deviations, which need two gradients for each parameter.
func (p *Posterior) Top(ctx context.Context, start []float64) (*Mode, error) {
	mode, climb, err := p.climb(ctx, start)
	if err != nil {
		return nil, err
	}
	mode.Gradients = climb.gradients
	return mode, nil
}

// climb returns the maximum that a climb from start reaches, without standard deviations.
func (p *Posterior) climb(ctx context.Context, start []float64) (*Mode, *ascent, error) {
	climb := &ascent{posterior: p, theta: make([]float64, p.Dim()), grad: make([]float64, p.Dim()), at: make([]float64, p.Dim())}
	q, err := climb.firstPoint(ctx, start)
	if err != nil {
		return nil, nil, err
	}
	problem := optimize.Problem{Func: climb.value, Grad: climb.gradient, Status: func() (optimize.Status, error) {
		if err := ctx.Err(); err != nil {
			return optimize.Failure, err
		}
		return optimize.NotTerminated, nil
	}}
	result, err := optimize.Minimize(problem, q, &optimize.Settings{GradientThreshold: 1e-8, MajorIterations: 1000}, &optimize.LBFGS{})
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if result == nil || (err != nil && math.IsInf(climb.value(result.X), 1)) {
		return nil, nil, fmt.Errorf("mode: %w", err) // a line search that cannot improve because of rounding has arrived at the mode
	}
	mode := &Mode{Theta: make([]float64, p.Dim()), LogDensity: -climb.value(result.X)}
	p.Constrain(result.X, mode.Theta)
	return mode, climb, nil
}

// ascent evaluates the negative log density over q, once for value and gradient.
type ascent struct {
	posterior   *Posterior
	theta, grad []float64 // the parameters, and the derivatives of the log density with respect to q
	at          []float64 // the point q where they were computed
	lp          float64   // the log density there
	gradients   int       // number of evaluations so far
}

func (a *ascent) evaluate(q []float64) {
	if a.gradients > 0 && slices.Equal(q, a.at) {
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

// firstPoint returns a point where the density is positive: start, in unconstrained coordinates, or one that it finds if start is nil.
func (a *ascent) firstPoint(ctx context.Context, start []float64) ([]float64, error) {
	q := make([]float64, a.posterior.Dim())
	if start != nil {
		if len(start) != len(q) {
			return nil, fmt.Errorf("mode: start has %d values for %d parameters", len(start), len(q))
		}
		if err := a.posterior.Unconstrain(start, q); err != nil {
			return nil, err
		}
		if math.IsInf(a.value(q), 0) {
			return nil, fmt.Errorf("mode: no density at %v: %w", start, a.posterior.blame(a.theta, a.lp))
		}
		return q, nil
	}
	rng := rand.New(rand.NewPCG(1, 1))
	const tries = 200
	for try := range tries { // the middle of the ranges first, then points on (-2, 2), then on twice that
		if !math.IsInf(a.value(q), 0) {
			return q, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		radius := 2.0
		if try >= tries/2 {
			radius = 4
		}
		for i := range q {
			q[i] = radius * (2*rng.Float64() - 1)
		}
	}
	return nil, fmt.Errorf("mode: %d tries found no place with a density (last: %w)", tries, a.posterior.blame(a.theta, a.lp))
}
