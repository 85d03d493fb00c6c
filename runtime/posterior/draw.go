package posterior

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
)

// Sampler draws independent values of one parameter from its prior, cut to its range. It is safe for concurrent use.
type Sampler struct {
	transform
	places []float64 // unconstrained, evenly spaced; none for a uniform prior
	sum    []float64 // probability up to each place
}

// Sampler returns the sampler. It fails where the prior has no density that can be normalised, as the uniform one over an
// infinite range.
func (p *Parameter) Sampler() (*Sampler, error) {
	low, high := p.Prior.Support()
	s := &Sampler{transform: newTransform(max(p.Lower, low), min(p.Upper, high))}
	switch {
	case !(s.low < s.high):
		return nil, fmt.Errorf("posterior: parameter %s: nothing lies in its range [%v, %v] and in the support of %s", p.Name, p.Lower, p.Upper, p.Prior)
	case p.Prior.IsUniform() && s.between:
		return s, nil
	case p.Prior.IsUniform():
		return nil, fmt.Errorf("posterior: parameter %s: a uniform prior over an infinite range cannot be drawn from: give it another prior", p.Name)
	}
	from, to := -farthest, farthest
	for range zooms {
		if from, to = s.tabulate(&p.Prior, from, to); !(from < to) {
			return nil, fmt.Errorf("posterior: parameter %s: the prior %s has no finite log density within its range", p.Name, p.Prior)
		}
	}
	return s, nil
}

// The density is tabulated on the unconstrained scale, first from -farthest to farthest, then zooms-1 times where it was not
// negligible.
const (
	farthest   = 700.0
	cells      = 4000
	zooms      = 6
	negligible = -40.0 // of the log density, against the largest
)

// tabulate sets the table between two places by the trapezoid rule. It returns where the density is not negligible, one cell
// more at both ends; from = to if it is nowhere.
func (s *Sampler) tabulate(prior *Prior, from, to float64) (low, high float64) {
	s.places, s.sum = make([]float64, cells+1), make([]float64, cells+1)
	step, most := (to-from)/cells, math.Inf(-1)
	for i := range s.places {
		s.places[i] = from + float64(i)*step
		s.sum[i] = s.logDensity(prior, s.places[i])
		most = max(most, s.sum[i])
	}
	if math.IsInf(most, 0) {
		return from, from
	}
	low, high = to, from
	total, before := 0.0, 0.0
	for i, x := range s.sum {
		if x-most > negligible {
			low, high = min(low, s.places[i]-step), max(high, s.places[i]+step)
		}
		density := math.Exp(x - most)
		if i > 0 {
			total += (before + density) / 2
		}
		s.sum[i], before = total, density
	}
	for i := range s.sum {
		s.sum[i] /= total
	}
	return max(low, from), min(high, to)
}

// logDensity of the unconstrained place; -Inf where it has none.
func (s *Sampler) logDensity(prior *Prior, q float64) float64 {
	x, _, linear, factor, _ := s.constrain(q)
	if !(x > s.low && x < s.high) {
		return math.Inf(-1)
	}
	value, _ := prior.LogDensity(x)
	value += linear - 2*math.Log(factor)
	if math.IsNaN(value) || math.IsInf(value, 1) {
		return math.Inf(-1)
	}
	return value
}

// Draw returns a value.
func (s *Sampler) Draw(rng *rand.Rand) float64 {
	u := rng.Float64()
	if s.places == nil {
		return s.low + float64(u*(s.high-s.low)) // rounded before it is added, on every processor
	}
	i := min(max(sort.SearchFloat64s(s.sum, u), 1), cells)
	part := (u - s.sum[i-1]) / (s.sum[i] - s.sum[i-1])
	return s.place(s.places[i-1] + part*(s.places[i]-s.places[i-1]))
}

// IsUniform reports whether the density is level over the support.
func (p *Prior) IsUniform() bool { return p.family == nil || p.family.name == "uniform" }
