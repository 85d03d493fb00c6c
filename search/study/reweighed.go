package study

import (
	"context"
	"math"
	"slices"

	"likc/runtime/fit/loo"
	"likc/runtime/num/chains"
)

// evenWeights is the largest difference between the logs of weights that need no trust in a shape. The smallest weight is then 0.6 times the
// largest, so that the effective number of draws is at least 0.94 of their number. The shape of so short a tail has no meaning: of a formula
// that is nearly the density itself, it would refuse every second subject.
const evenWeights = 0.5

// Reweighed fits cases by several likelihoods that are near each other. One of them is sampled: short chains of NUTS find its posterior,
// and positions around their draws get weights. The others' draws are these draws with weights. The largest weights are smoothed by a
// Pareto distribution [vehtari2024]. Where its shape shows that another likelihood's weights cannot be trusted, positions around the draws
// get weights. Where weights cannot be trusted at last, that likelihood itself is sampled. All likelihoods have the same
// parameters, ranges and priors.
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
	Every int // one of this many draws gets a weight: fewer for a slow likelihood. The ends of 90 % intervals of 100 draws contain 88 %
}

// The sampled likelihood has short chains, and positions around their draws.
const (
	shortWarmup   = 150 // transitions of warm-up of a short chain
	shortDraws    = 125 // draws of a short chain
	ofDraw        = 4   // positions around each draw
	leastSampled  = 200 // the least effective number of positions
	oneCentre     = 4   // draws of which one is a centre of positions, for another likelihood
	leastWeighted = 50  // the least effective number of these positions
)

// ofCentre is the number of positions around each centre: a few at first, and more if these cannot be trusted. Even so many values of a slow
// likelihood are cheaper than chains of its own.
var ofCentre = [...]int{2, 8}

// sample draws from the posterior of the sampled likelihood. Short chains need a third of the gradients of whole ones, and know where the
// posterior is: its tails, and its parts if there are several. Their draws are few and alike. Positions around them, with weights, have
// the effective number of whole chains and more. Where these cannot be trusted, whole chains draw.
func (r Reweighed) sample(ctx context.Context, c *Case) *Fitted {
	short := r.Draws
	short.Sampler.NumWarmup, short.Sampler.NumSamples = min(shortWarmup, short.Sampler.NumWarmup), min(shortDraws, short.Sampler.NumSamples)
	found := short.fitted(ctx, c)
	if found.Err == nil {
		if f := r.around(ctx, found.Draws.Common(), r.Bind, c, ofDraw, leastSampled); f != nil {
			f.Gradients, f.Binding = found.Gradients, found.Binding
			return f
		}
	}
	whole := r.Draws.fitted(ctx, c)
	whole.Gradients += found.Gradients
	return whole
}

// Fit returns the fits as Several: that of the sampled likelihood, then those of the others. An error of a fit is in its Err.
func (r Reweighed) Fit(ctx context.Context, c *Case) (*Fitted, error) {
	sampled := r.sample(ctx, c)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	all := &Fitted{Several: []*Fitted{sampled}}
	for _, of := range r.Others {
		other := r.weighted(ctx, of, sampled, c)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		all.Several = append(all.Several, other)
	}
	return all, ctx.Err()
}

// weighted returns another likelihood's fit.
func (r Reweighed) weighted(ctx context.Context, of Other, sampled *Fitted, c *Case) *Fitted {
	if sampled.Err == nil {
		if f := of.reweigh(sampled, c); f != nil {
			return f
		}
		centres := thinned(sampled.Draws.Common(), oneCentre)
		for _, each := range ofCentre {
			if f := r.around(ctx, centres, of.Bind, c, each, leastWeighted); f != nil || ctx.Err() != nil {
				return f
			}
		}
	}
	again := r
	again.Bind = of.Bind
	f := again.sample(ctx, c)
	f.Refitted = true
	return f
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

// reweigh returns another likelihood's fit, whose draws are draws of the sampled one, each as often as its weight says. It returns nil
// if there are no weights, or none that can be trusted.
func (o Other) reweigh(sampled *Fitted, c *Case) *Fitted {
	other := &Fitted{}
	var err error
	if other.Problem, err = o.Bind(c); err != nil {
		return nil
	}
	thin := thinned(sampled.Draws.Common(), o.Every)
	weights := make([]float64, 0, thin.Len()*len(thin.Chains))
	theta := make([]float64, other.Problem.Dim())
	for k := range thin.Chains {
		for i := range thin.Len() {
			for j := range theta {
				theta[j] = thin.Chains[k].Params[j][i]
			}
			w := other.Problem.LogLik(theta) - sampled.Problem.LogLik(theta)
			if math.IsNaN(w) || math.IsInf(w, 1) {
				return nil
			}
			weights = append(weights, w)
		}
	}
	even := slices.Max(weights)-slices.Min(weights) <= evenWeights
	if shape := loo.Smooth(weights); !even && !(shape <= loo.Threshold(len(weights))) {
		return nil
	}
	other.Draws = resampled(thin, weights)
	return other
}

// thinned returns one of every n draws.
func thinned(d *chains.Draws, n int) *chains.Draws {
	out := &chains.Draws{Names: d.Names, Run: d.Run}
	for _, c := range d.Chains {
		thin := chains.Chain{ID: c.ID, Trace: chains.NewTrace(len(c.Params), c.Len()/n+1)}
		for i := 0; i < c.Len(); i += n {
			for j, x := range c.Params {
				thin.Params[j] = append(thin.Params[j], x[i])
			}
		}
		out.Chains = append(out.Chains, thin)
	}
	return out
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
