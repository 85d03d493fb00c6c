package study

import (
	"context"
	"errors"
	"math"

	"likc/runtime/num/chains"
)

// evenWeights is the largest difference between the logs of weights that need no trust in a shape. The smallest weight is then 0.6 times the
// largest, so that the effective number of draws is at least 0.94 of their number. The shape of so short a tail has no meaning: of a formula
// that is nearly the density itself, it would refuse every second subject.
const evenWeights = 0.5

// Reweighed fits cases by several likelihoods that are near each other. One of them is sampled: short chains of NUTS find its posterior,
// and positions around their draws get weights. The others' draws are these draws with weights. The largest weights are smoothed by a
// Pareto distribution [vehtari2024]. Where its shape shows that another likelihood's weights cannot be trusted, positions around the draws
// get weights. Where these cannot be trusted either, that likelihood itself is sampled, or a slow one is given up. All likelihoods have the
// same parameters, ranges and priors.
//
// Reference: [vehtari2024] A. Vehtari, D. Simpson, A. Gelman, Y. Yao, J. Gabry, Pareto smoothed importance sampling, Journal of Machine
// Learning Research 25, 2024.
type Reweighed struct {
	Draws          // draws of the likelihood that is sampled
	Others []Other // the other likelihoods
}

// Other is a likelihood whose draws are weighted draws of the sampled one.
type Other struct {
	Bind
	Least int  // the least effective number of its draws. The ends of 90 % intervals of n draws contain 90 % times (n-1)/(n+1)
	Slow  bool // whether it is too slow to be sampled itself
}

// These are effective numbers of draws. Errors of a mean are 0.05 and 0.1 standard deviations of the posterior.
const (
	LeastOfFormula   = 400 // the least number for a likelihood whose intervals count
	LeastOfReference = 100 // the least number for one whose means count: they raise its errors by half a percent
)

// The sampled likelihood has short chains, and positions around their draws.
const (
	shortWarmup = 75      // transitions of warm-up of a short chain
	shortDraws  = 125     // draws of a short chain
	shortClimbs = 10      // searches for the modes at which they start: else all chains of a subject in 30 stay in a part that is too low
	flatShare   = 1.0 / 3 // the share of the log-likelihood from which they draw: from all of it, chains of a subject in 25 stay at one end of a long ridge
	shortDepth  = 5       // doublings of a trajectory: longer ones, early in the warm-up, take a third of the gradients, and draws are no better
)

// ErrGivenUp is the error of a fit by a slow likelihood, whose draws would have been weighted draws of another.
var ErrGivenUp = errors.New("the weights cannot be trusted, and the density is too slow for chains of its own")

// sample draws from the posterior of the sampled likelihood. Short chains need a sixth of the gradients of whole ones, and know where the
// posterior is: its tails, and its parts if there are several. They draw from a flatter posterior, which is wider and easier to cross. Their
// draws are few and alike. Positions around them, with weights, have the effective number of whole chains and more. Where these cannot be
// trusted, whole chains draw.
func (r Reweighed) sample(ctx context.Context, c *Case) *Fitted {
	short := r.Draws
	short.Sampler.NumWarmup, short.Sampler.NumSamples = min(shortWarmup, short.Sampler.NumWarmup), min(shortDraws, short.Sampler.NumSamples)
	short.Sampler.MaxDepth, short.Climbs = min(shortDepth, short.Sampler.MaxDepth), shortClimbs
	short.Bind = r.Bind.flattened()
	found := short.fitted(ctx, c)
	if found.Err == nil {
		if f := r.around(ctx, newValued(found), nil, c, LeastOfFormula); f != nil {
			f.Gradients, f.Binding = found.Gradients, found.Binding
			return f
		}
	}
	whole := r.Draws.fitted(ctx, c)
	whole.Gradients += found.Gradients
	return whole
}

// flattened returns problems of which only a share of the log-likelihood counts.
func (b Bind) flattened() Bind {
	return func(c *Case) (Problem, error) {
		p, err := b(c)
		p.Share = flatShare
		return p, err
	}
}

// Fit returns the fits as Several: that of the sampled likelihood, then those of the others. An error of a fit is in its Err.
func (r Reweighed) Fit(ctx context.Context, c *Case) (*Fitted, error) {
	sampled := r.sample(ctx, c)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	all := &Fitted{Several: []*Fitted{sampled}}
	var known *valued
	if sampled.Err == nil {
		known = newValued(sampled)
	}
	for _, of := range r.Others {
		other := r.weighted(ctx, of, known, c)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		all.Several = append(all.Several, other)
	}
	for _, f := range all.Several {
		f.positions = nil
	}
	return all, ctx.Err()
}

// weighted returns another likelihood's fit. known is nil if the sampled likelihood could not be fitted.
func (r Reweighed) weighted(ctx context.Context, of Other, known *valued, c *Case) *Fitted {
	if known != nil {
		if f := r.near(ctx, known, of, c); f != nil || ctx.Err() != nil {
			return f
		}
	}
	again := r
	again.Bind = of.Bind
	if !of.Slow {
		f := again.sample(ctx, c)
		f.Refitted = true
		return f
	}
	if whole := r.Draws.fitted(ctx, c); whole.Err == nil {
		if f := r.around(ctx, newValued(whole), of.Bind, c, of.Least); f != nil || ctx.Err() != nil {
			return f
		}
	}
	return &Fitted{Err: ErrGivenUp}
}

// near returns another likelihood's fit from what is known of the sampled one: from its draws, or from all its positions, whichever takes
// fewer evaluations of a likelihood. A slow one is always evaluated at few draws. At a position the sampled likelihood is known. At a draw it
// has to be computed, as has the other one.
func (r Reweighed) near(ctx context.Context, known *valued, of Other, c *Case) *Fitted {
	if p := known.positions; p != nil && !of.Slow && len(p.at) < 2*known.most(of.Least) {
		return r.among(ctx, p, of.Bind, c, of.Least)
	}
	return r.around(ctx, known, of.Bind, c, of.Least)
}

// fitted returns a fit whose error, if any, is in its Err.
func (d Draws) fitted(ctx context.Context, c *Case) *Fitted {
	f, err := d.Fit(ctx, c)
	if f == nil {
		f = &Fitted{}
	}
	f.Err = err
	return f
}

// valued is draws of a likelihood.
type valued struct {
	*chains.Draws
	Problem   Problem
	effective float64  // effective number of draws: of chains, for the parameter with the fewest
	positions *scatter // the positions with weights of which these are draws; nil for draws of chains
}

// newValued returns the draws of a fit. Positions with weights are in the order in which parts of clouds drew them, so that neighbours in this order
// lie near each other. That says nothing about how many are effective; their weights do.
func newValued(f *Fitted) *valued {
	v := &valued{f.Draws.Common(), f.Problem, math.Inf(1), f.positions}
	if f.positions != nil {
		v.effective = f.positions.reached
		return v
	}
	for j := range v.Names {
		v.effective = min(v.effective, chains.BulkESS(v.Param(j)))
	}
	if !(v.effective > fewestEffective) {
		v.effective = fewestEffective
	}
	return v
}

// fewestEffective is the effective number of a fit's draws that is assumed where fewer are estimated.
const fewestEffective = 10

// worth returns the number of independent draws for which one of n draws counts. Draws of a chain are alike: on a ridge, short chains have one
// effective draw in ten. If they counted for more, parts of a posterior that they seldom reach would get too small weights.
func (v *valued) worth(n int) float64 { return 1 / (1 + float64(n)/v.effective) }

// most returns how many of the draws get a weight at first, if `least` must be effective: all, if these are too few.
func (v *valued) most(least int) int {
	wanted := 1.2 * float64(least)
	if wanted >= v.effective {
		return v.Len() * len(v.Chains)
	}
	return int(1 / (1/wanted - 1/v.effective))
}

// at returns the parameters of draw i of chain k, in theta.
func (v *valued) at(k, i int, theta []float64) []float64 {
	for j := range theta {
		theta[j] = v.Chains[k].Params[j][i]
	}
	return theta
}

// resampled returns as many draws as d has, each as often as its weight says, but for a difference below 1. weights holds logs, which
// sum to 1 when exponentiated, chain after chain. The copies are dealt to the chains in turns, so that no chain gets other weights.
func resampled(d *chains.Draws, weights []float64) *chains.Draws {
	n, length := len(weights), d.Len()
	out := &chains.Draws{Names: d.Names, Run: d.Run}
	for _, c := range d.Chains {
		out.Chains = append(out.Chains, chains.Chain{ID: c.ID, Trace: chains.NewTrace(len(c.Params), length)})
	}
	below, copies := 0.0, 0
	for i, w := range weights {
		below += math.Exp(w) * float64(n)
		for ; copies < n && (float64(copies)+0.5 < below || i == n-1); copies++ {
			to, from := &out.Chains[copies%len(out.Chains)], &d.Chains[i/length]
			for j, x := range from.Params {
				to.Params[j] = append(to.Params[j], x[i%length])
			}
		}
	}
	return out
}
