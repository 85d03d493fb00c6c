package fit

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"likc/runtime/model/posterior"
)

const (
	climbs    = 10  // number of climbs to the modes of a posterior that may have several
	fromFar   = 4.0 // climbs start uniformly within this distance of the middle of the ranges, on the unconstrained scale
	belowBest = 3.0 // modes whose log density is less than this below the highest are starts of chains too
	mostOut   = 4.0 // largest distance of a start from the middle: a mode at an end of a range is infinitely far, unconstrained
)

// peaks climbs from several places and returns the modes that it finds, highest first, without those too low to matter. It returns none
// for a model whose posteriors have one mode, and if no climb ends at a mode.
func (f *fitter) peaks(ctx context.Context, post *posterior.Posterior, stream uint64) []*posterior.Mode {
	if !f.spec.Model.HasModes() {
		return nil
	}
	rng := rand.New(rand.NewPCG(f.Sampler.Seed, stream))
	var all []*posterior.Mode
	theta, q := make([]float64, post.Dim()), make([]float64, post.Dim())
	for range climbs {
		for i := range q {
			q[i] = fromFar * (2*rng.Float64() - 1)
		}
		post.Constrain(q, theta)
		if mode, err := post.Top(ctx, theta); err == nil && !math.IsNaN(mode.LogDensity) {
			all = append(all, mode)
		}
	}
	slices.SortStableFunc(all, func(a, b *posterior.Mode) int { return cmp.Compare(b.LogDensity, a.LogDensity) })
	for i, mode := range all {
		if mode.LogDensity < all[0].LogDensity-belowBest {
			return all[:i]
		}
	}
	return all
}

// startsOf returns an unconstrained start for each chain, at the modes that peaks finds, in turn. It is nil where peaks finds none: then
// the sampler chooses.
func (f *fitter) startsOf(ctx context.Context, post *posterior.Posterior, stream uint64) [][]float64 {
	found := f.peaks(ctx, post, stream)
	if len(found) == 0 {
		return nil
	}
	starts := make([][]float64, f.Sampler.NumChains)
	for k := range starts {
		starts[k] = make([]float64, post.Dim())
		if err := post.Unconstrain(within(post, found[k%len(found)]), starts[k]); err != nil {
			return nil
		}
		for i, x := range starts[k] {
			starts[k][i] = max(-mostOut, min(x, mostOut))
		}
	}
	return starts
}

// highest returns the highest mode that peaks finds, from which the climb to the posterior mode begins; nil where peaks finds none: then
// the climb begins in the middle of the ranges.
func (f *fitter) highest(ctx context.Context, post *posterior.Posterior, stream uint64) []float64 {
	found := f.peaks(ctx, post, stream)
	if len(found) == 0 {
		return nil
	}
	return within(post, found[0])
}

// within returns a mode, moved off the ends of the ranges.
func within(post *posterior.Posterior, m *posterior.Mode) []float64 {
	theta := slices.Clone(m.Theta)
	post.Inside(theta)
	return theta
}
