package study

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"likc/runtime/model/posterior"
	"likc/runtime/num/chains"
	"likc/runtime/num/stream"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

// These constants say how positions are drawn near a mode.
const (
	modeChains  = 2    // chains among which draws are divided
	modeCentres = 125  // centres of each chain, which have a t distribution with the curvature at the mode
	modeWidth   = 1.5  // its width, as a share of what the curvature says: long tails are then seen
	ofCentre    = 4    // positions around each centre
	leastDraws  = 200  // the least effective number of positions
	climbSteps  = 200  // the most steps of a climb
	gradientGap = 1e-4 // distance of the gradients whose differences give the curvature
)

// nearMode draws from the posterior of the sampled likelihood: positions around its mode, each as often as its weight says. That takes a
// thousand values and some hundred gradients, where NUTS takes ten thousand gradients and more. It returns nil if the weights cannot be
// trusted.
//
// Two climbs look for the mode, from the middle of the ranges and from the true parameters; the higher one counts.
func (r Reweighed) nearMode(ctx context.Context, c *Case) *Fitted {
	f, post, err := r.Bind.posterior(c)
	if err != nil {
		return nil
	}
	peak := &climb{ctx: ctx, target: post.Target(), height: math.Inf(-1)}
	peak.from(make([]float64, post.Dim()))
	truth := make([]float64, post.Dim())
	for j, p := range f.Problem.Params {
		if k := slices.Index(c.Names, p.Name); k >= 0 {
			truth[j] = c.Truth[k]
		}
	}
	post.Inside(truth)
	if post.Unconstrain(truth, truth) == nil {
		peak.from(truth)
	}
	random := stream.Named(fmt.Sprintf("near the mode %d %d", r.Sampler.Seed, c.ID))
	centres := peak.centres(random, post)
	f.Gradients = peak.gradients
	if centres == nil || ctx.Err() != nil {
		return nil
	}
	if f.Draws = agreed(random, f.Problem, centres, ofCentre, leastDraws); f.Draws == nil {
		return nil
	}
	return f
}

// climb looks for the highest position of a log density.
type climb struct {
	ctx       context.Context
	target    *posterior.Target
	gradients int       // number of gradients so far
	mode      []float64 // the highest position so far; nil before there is one
	height    float64   // log density there
}

// gradient returns the negative log density at q, and sets grad to its gradient. A value that is not finite is +Inf.
func (k *climb) gradient(q, grad []float64) float64 {
	k.gradients++
	value, err := k.target.LogDensityGrad(q, grad)
	if err != nil || math.IsNaN(value) {
		clear(grad)
		return math.Inf(1)
	}
	for i := range grad {
		grad[i] = -grad[i]
	}
	return -value
}

// from climbs from q. It keeps the position where it ends, if no other is as high.
func (k *climb) from(q []float64) {
	at, grad, value := slices.Repeat([]float64{math.NaN()}, len(q)), make([]float64, len(q)), 0.0
	evaluate := func(q []float64) {
		if !slices.Equal(q, at) {
			copy(at, q)
			value = k.gradient(q, grad)
		}
	}
	problem := optimize.Problem{
		Func:   func(q []float64) float64 { evaluate(q); return value },
		Grad:   func(dst, q []float64) { evaluate(q); copy(dst, grad) },
		Status: func() (optimize.Status, error) { return optimize.NotTerminated, k.ctx.Err() },
	}
	if evaluate(q); math.IsInf(value, 1) {
		return
	}
	// the line search may report that rounding allows no better position: then it has arrived
	end, _ := optimize.Minimize(problem, q, &optimize.Settings{GradientThreshold: 1e-4, MajorIterations: climbSteps}, &optimize.LBFGS{})
	if end != nil && -end.F > k.height {
		k.mode, k.height = end.X, -end.F
	}
}

// centres returns draws of a t distribution with the log density's curvature at the mode. It returns nil if there is no mode, or if
// the log density is not curved downwards there.
func (k *climb) centres(random *rand.Rand, post *posterior.Posterior) *chains.Draws {
	if k.mode == nil {
		return nil
	}
	var precision mat.Cholesky
	if !precision.Factorize(k.curvature()) {
		return nil
	}
	var root mat.TriDense
	precision.UTo(&root)
	dim := post.Dim()
	draws := &chains.Draws{Names: post.Names()}
	for i := range modeChains {
		c := chains.Chain{ID: i + 1, Trace: chains.NewTrace(dim, modeCentres)}
		for range modeCentres {
			q := mat.NewVecDense(dim, moved(random, make([]float64, dim), modeWidth))
			if q.SolveVec(&root, q) != nil {
				return nil
			}
			q.AddVec(q, mat.NewVecDense(dim, k.mode))
			theta := make([]float64, dim)
			post.Constrain(q.RawVector().Data, theta)
			post.Inside(theta)
			for j, x := range theta {
				c.Params[j] = append(c.Params[j], x)
			}
		}
		draws.Chains = append(draws.Chains, c)
	}
	return draws
}

// curvature returns the negative second derivatives of the log density at the mode.
func (k *climb) curvature() *mat.SymDense {
	dim := len(k.mode)
	columns := make([][]float64, dim)
	q, above, below := slices.Clone(k.mode), make([]float64, dim), make([]float64, dim)
	for i := range dim {
		q[i] = k.mode[i] + gradientGap
		k.gradient(q, above)
		q[i] = k.mode[i] - gradientGap
		k.gradient(q, below)
		q[i] = k.mode[i]
		columns[i] = make([]float64, dim)
		for j := range dim {
			columns[i][j] = (above[j] - below[j]) / (2 * gradientGap)
		}
	}
	second := mat.NewSymDense(dim, nil)
	for i := range dim {
		for j := range i + 1 {
			second.SetSym(i, j, (columns[i][j]+columns[j][i])/2)
		}
	}
	return second
}
