package audit

import (
	"math"
	"math/rand/v2"

	"likc/runtime/model/bound"
	"likc/runtime/model/kernel"
	"likc/runtime/model/ssm"
)

const (
	firstTime   = 1e-5 // seconds after the onset
	pointsAtOne = 600  // of one boundary
	leastWeight = 1e-30
)

// Exact is the population of a process with an exact density, at theta, of response times up to longest, as a bank keeps
// them: the trapezoid rule in the log of the time since the onset, weighted by the density, without points that weigh nothing.
func Exact(m *ssm.Model, theta []float64, longest float64) Population {
	var p Population
	from, onset := append([]float64(nil), theta...), m.Earliest(theta)
	if k := m.ShiftIndex(); k >= 0 {
		from[k] -= onset // times count from the onset, so that none is lost to rounding
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

// Simulated is a large sample in place of the population, of response times up to longest.
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

// MeanDensity is the mean of a process's exact log density over a population.
type MeanDensity struct {
	Population
	Process *ssm.Model
}

// Dim is the number of the process's parameters.
func (l MeanDensity) Dim() int { return l.Process.Dim() }

// LogLik is the weighted sum of log densities.
func (l MeanDensity) LogLik(theta []float64) float64 {
	sum := 0.0
	for i, rt := range l.RT {
		sum += l.Weight[i] * l.Process.LogDensity(rt, l.Choice[i], theta)
	}
	return sum
}

// LogLikGrad is LogLik and its gradient.
func (l MeanDensity) LogLikGrad(theta, grad []float64) float64 {
	clear(grad)
	sum := 0.0
	one := make([]float64, l.Dim())
	for i, rt := range l.RT {
		sum += l.Weight[i] * l.Process.LogDensityGrad(rt, l.Choice[i], theta, one)
		for j, slope := range one {
			grad[j] += l.Weight[i] * slope
		}
	}
	if math.IsInf(sum, -1) {
		clear(grad)
	}
	return sum
}

// meanRows is the mean of a log density that is known row by row, as a teacher's is.
func (a *Auditor) meanRows(p Population) (kernel.Sum, error) {
	t := kernel.Responses(p.RT, p.Choice)
	t.Weight = p.Weight
	return a.binder.Bind(t, bound.Design{})
}
