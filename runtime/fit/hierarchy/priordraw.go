package hierarchy

import (
	"math/rand/v2"

	"likc/runtime/model/posterior"
)

// PriorSampler draws from the priors of a study, including the offsets of levels. It has working memory, so each goroutine needs its
// own.
type PriorSampler struct {
	study      *Study
	samplers   []*posterior.Sampler // one for each coordinate; nil for an offset, which is normal
	partial    []bool               // for each coordinate, whether it is a partial correlation; the samplers of these are on [0, 1]
	groups     []*group             // copies of the study's groups with non-centred coordinates
	workspaces []*workspace         // working memory of each group
	coords     []float64            // the draw's coordinates
}

// PriorSampler returns a sampler. It returns an error for a prior from which one cannot draw, such as a flat one over all numbers.
func (s *Study) PriorSampler() (*PriorSampler, error) {
	p := &PriorSampler{study: s, samplers: make([]*posterior.Sampler, len(s.coords)), partial: make([]bool, len(s.coords)),
		coords: make([]float64, len(s.coords)), groups: nonCentred(s)}
	for _, g := range p.groups {
		p.workspaces = append(p.workspaces, newWorkspace(g))
		if err := p.addCorrelations(g); err != nil {
			return nil, err
		}
	}
	for i := range s.coords {
		if p.partial[i] || s.isOffset(i) {
			continue
		}
		var err error
		if p.samplers[i], err = s.coords[i].Sampler(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// addCorrelations makes the samplers of a group's partial correlations. Let r be the partial correlation of effects i > j, counted from
// 0 and given the effects before j. For LKJ(1) of K effects, (1+r)/2 ~ beta(b, b) with b = (K-j)/2.
func (p *PriorSampler) addCorrelations(g *group) error {
	if !g.correlated() {
		return nil
	}
	k := len(g.effects)
	for i := range k {
		for j := range i {
			b := float64(k-j) / 2
			half := posterior.Parameter{Lower: 0, Upper: 1, Prior: mustPrior("beta(%v, %v)", b, b)}
			at := g.partialIndex(i, j)
			var err error
			if p.samplers[at], err = half.Sampler(); err != nil {
				return err
			}
			p.partial[at] = true
		}
	}
	return nil
}

// Draw writes a draw of the coefficients, in the order of [Study.Names]. It returns the log density of their priors, except those of
// offsets and correlations.
func (p *PriorSampler) Draw(rng *rand.Rand, coefs []float64) (logDensity float64) {
	for i, s := range p.samplers {
		switch {
		case s == nil:
			p.coords[i] = rng.NormFloat64()
		case p.partial[i]:
			p.coords[i] = 2*s.Draw(rng) - 1
		default:
			p.coords[i] = s.Draw(rng)
			value, _ := p.study.coords[i].Prior.LogDensity(p.coords[i])
			logDensity += value
		}
	}
	copy(coefs, p.coords)
	for i, g := range p.groups {
		g.toOffsets(p.coords, coefs, p.workspaces[i])
		if g.correlated() {
			g.correlations(coefs, p.workspaces[i])
		}
	}
	return logDensity
}
