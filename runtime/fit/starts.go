package fit

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"likc/runtime/model/posterior"
	"likc/runtime/num/stream"
)

const (
	climbsOfModes   = 10  // number of searches for the modes of a posterior that may have several
	climbsOfWritten = 4   // the same for a process written down: trials later than its boundaries meet make a slope of 10⁵ nats, on which a chain is lost
	fromFar         = 4.0 // searches start uniformly within this distance of the middle of the ranges, on the unconstrained scale
	belowBest       = 3.0 // chains also start at modes whose log density is less than this below the highest
	mostOut         = 4.0 // largest distance of a start from the middle; the unconstrained position of a mode at an end of a range is infinite
)

// modes searches for posterior modes from several points and returns those that it finds, highest first, without those that are
// too low. It returns nil if chains can start anywhere, and if no search ends at a mode.
func (f *fitter) modes(ctx context.Context, post *posterior.Posterior, label string) []*posterior.Mode {
	n := f.climbs()
	if n == 0 {
		return nil
	}
	rng := rand.New(rand.NewPCG(f.Sampler.Seed, stream.Of(label)))
	var all []*posterior.Mode
	theta, q := make([]float64, post.Dim()), make([]float64, post.Dim())
	for range n {
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

// climbs returns the number of searches for modes: none for a model whose chains find the posterior from anywhere.
func (f *fitter) climbs() int {
	if f.spec.Model.HasModes() {
		return climbsOfModes
	}
	if _, numerical := f.spec.Model.Evidence(); numerical {
		return climbsOfWritten
	}
	return 0
}

// starts returns an unconstrained start for each chain; it assigns the modes that f.modes finds to the chains in turn. It returns
// nil if there is no such mode, and with formulas, because then the sampler chooses.
func (f *fitter) starts(ctx context.Context, r *Result) ([][]float64, error) {
	if r.Study.Varies() {
		return nil, nil
	}
	post, err := r.Study.Posterior()
	if err != nil {
		return nil, err
	}
	found := f.modes(ctx, post, r.Label)
	if len(found) == 0 {
		return nil, nil
	}
	starts := make([][]float64, f.Sampler.NumChains)
	for k := range starts {
		starts[k] = make([]float64, post.Dim())
		if err := post.Unconstrain(within(post, found[k%len(found)]), starts[k]); err != nil {
			return nil, nil
		}
		for i, x := range starts[k] {
			starts[k][i] = max(-mostOut, min(x, mostOut))
		}
	}
	return starts, nil
}

// mode finds the posterior mode. The search starts at the highest mode that f.modes finds, or at the middle of the ranges if
// there is none. With formulas, it finds the mode of the coefficients.
func (f *fitter) mode(ctx context.Context, r *Result) (*posterior.Mode, error) {
	var from []float64
	if !r.Study.Varies() {
		post, err := r.Study.Posterior()
		if err != nil {
			return nil, err
		}
		if found := f.modes(ctx, post, r.Label); len(found) > 0 {
			from = within(post, found[0])
		}
	}
	return r.Study.Mode(ctx, from)
}

// within returns the position of a mode, moved away from the ends of the ranges.
func within(post *posterior.Posterior, m *posterior.Mode) []float64 {
	theta := slices.Clone(m.Theta)
	post.Inside(theta)
	return theta
}
