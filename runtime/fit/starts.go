package fit

import (
	"context"
	"math/rand/v2"

	"likc/runtime/model/posterior"
	"likc/runtime/num/stream"
)

const (
	climbsOfModes   = 10 // number of searches for the modes of a posterior that may have several
	climbsOfWritten = 4  // the same for a process written down: trials later than its boundaries meet make a slope of 10⁵ nats, on which a chain is lost
)

// modes returns the modes that searches from several points find, highest first, without those that are too low. It returns nil if
// chains can start anywhere, and if no search ends at a mode.
func (f *fitter) modes(ctx context.Context, post *posterior.Posterior, label string) []*posterior.Mode {
	all, _ := post.Modes(ctx, rand.New(rand.NewPCG(f.Sampler.Seed, stream.Of(label))), f.climbs())
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

// starts returns an unconstrained start for each chain: a mode that f.modes finds. It returns nil if there is none, and with formulas,
// because then the sampler chooses.
func (f *fitter) starts(ctx context.Context, r *Result) ([][]float64, error) {
	if r.Study.Varies() {
		return nil, nil
	}
	post, err := r.Study.Posterior()
	if err != nil {
		return nil, err
	}
	return post.Starts(f.modes(ctx, post, r.Label), f.Sampler.NumChains), nil
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
			from = post.Within(found[0])
		}
	}
	return r.Study.Mode(ctx, from)
}
