package audit

import (
	"math"
	"math/rand/v2"

	"likc/runtime/model/ssm"
)

const (
	firstTime   = 1e-5 // seconds after the onset
	pointsAtOne = 600  // points for each choice at small noise
	leastWeight = 1e-30
)

// Exact returns the population of a process with an exact density, at theta, for response times up to longest, as in a bank. It uses
// the trapezoid rule in the log of the time since the onset. Points whose weight rounds to 0 are dropped.
func Exact(m *ssm.Model, theta []float64, longest float64) Population {
	var p Population
	from, onset := append([]float64(nil), theta...), m.Earliest(theta)
	if k := m.ShiftIndex(); k >= 0 {
		from[k] -= onset // times count from the onset, so that short ones keep their digits
	}
	step := math.Log((longest-onset)/firstTime) / (pointsAtOne - 1)
	total := 0.0
	for _, choice := range m.Choices {
		for i := range pointsAtOne {
			u := firstTime * math.Exp(step*float64(i))
			weight := u * step * math.Exp(m.LogDensity(u, choice, from))
			if i == 0 || i == pointsAtOne-1 {
				weight /= 2
			}
			if weight > leastWeight {
				p.RT, p.Choice, p.Weight = append(p.RT, onset+u), append(p.Choice, choice), append(p.Weight, weight)
				total += weight
			}
		}
	}
	for i := range p.Weight {
		p.Weight[i] /= total
	}
	return p
}

// Simulated returns a large sample as the population, with response times up to longest.
func Simulated(m *ssm.Model, scheme ssm.Scheme, rng *rand.Rand, theta []float64, trials int, longest float64) (Population, error) {
	rt, choice := make([]float64, trials), make([]float64, trials)
	if err := m.Simulate(rng, theta, scheme, rt, choice); err != nil {
		return Population{}, err
	}
	var p Population
	for i, x := range rt {
		if x > 0 && x < longest {
			p.RT, p.Choice = append(p.RT, x), append(p.Choice, choice[i])
		}
	}
	for range p.RT {
		p.Weight = append(p.Weight, 1/float64(len(p.RT)))
	}
	return p, nil
}
