package fit

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"likc/runtime/posterior"
)

const (
	climbs    = 10  // from as many places the highest mode of a posterior with several is looked for
	fromFar   = 4.0 // they are uniform within this distance of the middle of the ranges, unconstrained
	belowBest = 3.0 // modes by no more than this below the highest are starts of chains too
	mostOut   = 4.0 // a mode at an end of a range has no unconstrained place: a start is no farther than this from the middle
)

// peaks climbs from several places and returns what it arrives at, highest first, modes too low to matter left out. It is empty for a model
// whose posteriors have one mode, and if no climb arrives.
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

// startsOf are unconstrained places for all chains: at the highest modes, each chain at another arrival. It is nil, which leaves the choice to
// the sampler, where peaks is empty.
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

// highest is a place from which the climb to the mode begins; nil, the middle of the ranges, where peaks is empty.
func (f *fitter) highest(ctx context.Context, post *posterior.Posterior, stream uint64) []float64 {
	found := f.peaks(ctx, post, stream)
	if len(found) == 0 {
		return nil
	}
	return within(post, found[0])
}

// within is a mode, moved off the ends of the ranges.
func within(post *posterior.Posterior, m *posterior.Mode) []float64 {
	theta := slices.Clone(m.Theta)
	post.Inside(theta)
	return theta
}
