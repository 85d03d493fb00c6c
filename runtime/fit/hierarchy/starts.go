package hierarchy

import (
	"math"
	"math/rand/v2"

	"likc/runtime/model/posterior"
)

// Starts returns the points where chains start: the mode, with each coordinate moved by up to two standard deviations. The moves are made
// in non-centred coordinates, which are offsets divided by their spread. So a group's levels move with its mean and its spread. A point
// without a finite density is replaced by one closer to the mode. The points are determined by the seed and the stream.
func (p *Prepared) Starts(chains int, seed, stream uint64) ([][]float64, error) {
	post, e, err := p.posterior()
	if err != nil {
		return nil, err
	}
	post.Inside(p.mode)
	free := nonCentred(p.Study)
	all := make([][]float64, chains)
	for c := range all {
		rng := rand.New(rand.NewPCG(seed^0x9e3779b97f4a7c15, stream+uint64(c)))
		all[c] = make([]float64, len(p.mode))
		for tries := range 100 {
			if err := p.start(rng, 2*math.Pow(0.9, float64(tries)), free, e, post, all[c]); err != nil {
				return nil, err
			}
			if lp := post.LogDensityGrad(e.coefs, e.last); !math.IsInf(lp, 0) && !math.IsNaN(lp) {
				break
			}
		}
	}
	return all, nil
}

// nonCentred returns copies of the study's groups with non-centred coordinates: with shares of 0, in the words of [group].
func nonCentred(s *Study) []*group {
	var all []*group
	for _, g := range s.groups {
		own := g.clone()
		own.setShares(0)
		all = append(all, own)
	}
	return all
}

// defaultSD is a coordinate's standard deviation on the unconstrained scale if the curvature at the mode gives none.
const defaultSD = 0.1

// start writes one starting point to q, on the unconstrained scale, and the same point to e.coefs, on the scale of the study's coordinates.
func (p *Prepared) start(rng *rand.Rand, reach float64, free []*group, e *evaluation, post *posterior.Posterior, q []float64) error {
	if err := post.Unconstrain(p.mode, q); err != nil {
		return err
	}
	coords := make([]float64, len(q))
	for i := range q {
		sd := defaultSD
		if low, high := post.Bounds(i); !math.IsNaN(p.sd[i]) {
			sd = p.sd[i]
			if !math.IsInf(low, 0) && math.IsInf(high, 0) {
				sd /= p.mode[i] - low
			} else if !math.IsInf(low, 0) {
				sd *= (high - low) / ((p.mode[i] - low) * (high - p.mode[i]))
			}
		}
		q[i] += reach * min(sd, 1) * (2*rng.Float64() - 1)
	}
	post.Constrain(q, coords)
	coefs := append([]float64(nil), coords...)
	for i, g := range free {
		g.toOffsets(coords, coefs, e.workspaces[i])
	}
	for i, g := range e.groups {
		g.toCoordinates(coefs, coords, e.workspaces[i])
	}
	post.Inside(coords)
	copy(e.coefs, coords)
	return post.Unconstrain(coords, q)
}
