package posterior

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

const (
	fromFar   = 4.0 // searches start uniformly within this distance of the middle of the ranges, on the unconstrained scale
	belowBest = 3.0 // modes whose log density is more than this below the highest do not count
	mostOut   = 4.0 // largest distance of a chain's start from the middle; the unconstrained position of a mode at an end of a range is infinite
)

// Modes climbs to modes of the density from n points, and returns those that it finds, the highest first, without those that are too low. A
// mode may be there several times. Modes returns nil if no search ends at a mode. It also returns the number of gradients of the climbs that
// end at a mode.
func (p *Posterior) Modes(ctx context.Context, random *rand.Rand, n int) (all []*Mode, gradients int) {
	theta, q := make([]float64, p.Dim()), make([]float64, p.Dim())
	for range n {
		for i := range q {
			q[i] = fromFar * (2*random.Float64() - 1)
		}
		p.Constrain(q, theta)
		if mode, err := p.Top(ctx, theta); err == nil && !math.IsNaN(mode.LogDensity) {
			all = append(all, mode)
			gradients += mode.Gradients
		}
	}
	slices.SortStableFunc(all, func(a, b *Mode) int { return cmp.Compare(b.LogDensity, a.LogDensity) })
	for i, mode := range all {
		if mode.LogDensity < all[0].LogDensity-belowBest {
			return all[:i], gradients
		}
	}
	return all, gradients
}

// Starts returns an unconstrained start for each of n chains. It assigns the modes to the chains in turn. It returns nil if there is no mode.
func (p *Posterior) Starts(modes []*Mode, n int) [][]float64 {
	if len(modes) == 0 {
		return nil
	}
	starts := make([][]float64, n)
	for k := range starts {
		starts[k] = make([]float64, p.Dim())
		if err := p.Unconstrain(p.Within(modes[k%len(modes)]), starts[k]); err != nil {
			return nil
		}
		for i, x := range starts[k] {
			starts[k][i] = max(-mostOut, min(x, mostOut))
		}
	}
	return starts
}

// Within returns the parameters of a mode, moved away from the ends of the ranges.
func (p *Posterior) Within(m *Mode) []float64 {
	theta := slices.Clone(m.Theta)
	p.Inside(theta)
	return theta
}
