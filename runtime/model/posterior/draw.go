package posterior

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Sampler draws independent values of one parameter from its prior, restricted to its range. Type law says how, for each family of
// priors. A Sampler is safe for concurrent use.
type Sampler struct {
	low, high float64
	prior     Prior
	hat       *hat // draws on the coordinate of the family's law; nil for a uniform density
}

// Sampler returns a sampler for the parameter. It returns an error if the prior cannot be normalised, such as the uniform one over
// an infinite range.
func (p *Parameter) Sampler() (*Sampler, error) {
	s := &Sampler{prior: p.Prior}
	s.low, s.high = p.Support()
	switch {
	case !(s.low < s.high):
		return nil, fmt.Errorf("posterior: parameter %s: nothing lies in its range [%v, %v] and in the support of %s", p.Name, p.Lower, p.Upper, p.Prior)
	case p.Prior.IsUniform() && !math.IsInf(s.high-s.low, 1):
		return s, nil
	case p.Prior.IsUniform():
		return nil, fmt.Errorf("posterior: parameter %s: a uniform prior over an infinite range cannot be drawn from: give it another prior", p.Name)
	}
	drawn, args := s.prior.family.drawn, &s.prior.args
	low, high := drawn.coordinate(s.low, args), drawn.coordinate(s.high, args)
	if !(low < high) {
		return s, nil // the density does not change in the range
	}
	s.hat = newHat(func(y float64) (float64, float64) { return drawn.logDensity(y, args) }, drawn.mode(args), low, high)
	if !isFinite(s.hat.peak) {
		return nil, fmt.Errorf("posterior: parameter %s: the prior %s has no finite log density within its range", p.Name, p.Prior)
	}
	return s, nil
}

// Draw returns a value strictly inside the range; only a uniform prior may return its lower end.
func (s *Sampler) Draw(rng *rand.Rand) float64 {
	if s.hat == nil {
		return s.low + float64(rng.Float64()*(s.high-s.low)) // the conversion rounds the product before the sum, so that all processors give the same result
	}
	x := s.prior.family.drawn.place(s.hat.draw(rng), &s.prior.args)
	return min(max(x, math.Nextafter(s.low, s.high)), math.Nextafter(s.high, s.low))
}

// IsUniform reports whether the density is constant over the support.
func (p *Prior) IsUniform() bool { return p.family == nil || p.family.name == "uniform" }
