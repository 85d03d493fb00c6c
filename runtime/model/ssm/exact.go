package ssm

import (
	"fmt"
	"math"
	"slices"
)

// Exact is the exact log-likelihood of the drift-diffusion model for a dataset, whose trials NewExact has sorted and stored. It never
// changes after NewExact, so any number of goroutines may evaluate it at once. An evaluation does not allocate.
//
// Trials are stored separately for each choice, in ascending order of rt, so that the
// trials that need one form of the series are contiguous at every theta.
type Exact struct {
	lower, upper side
}

// NewExact binds trials: rt in seconds, choice +1 or -1. It returns an error for columns of different
// lengths, an rt that is not positive and finite, and other choices. The error names the first such trial
// (counted from 1).
func NewExact(rt, choice []float64) (*Exact, error) {
	if len(rt) != len(choice) {
		return nil, fmt.Errorf("bind trials: %d response times but %d choices", len(rt), len(choice))
	}
	var lower, upper []float64
	for i, x := range rt {
		if !(x > 0) || math.IsInf(x, 1) {
			return nil, fmt.Errorf("trial %d: rt %v is not positive and finite", i+1, x)
		}
		switch choice[i] {
		case 1:
			upper = append(upper, x)
		case -1:
			lower = append(lower, x)
		default:
			return nil, fmt.Errorf("trial %d: choice %v is neither 1 nor -1", i+1, choice[i])
		}
	}
	return &Exact{newSide(-1, lower), newSide(1, upper)}, nil
}

// Dim returns 4, the number of parameters: v, a, z, t.
func (e *Exact) Dim() int { return 4 }

// N returns the number of trials.
func (e *Exact) N() int { return len(e.lower.rt) + len(e.upper.rt) }

// LogLik returns the log density summed over trials at theta = (v, a, z, t):
// -Inf outside the support of any trial, NaN if theta holds a NaN.
func (e *Exact) LogLik(theta []float64) float64 {
	if outside := logOutside(theta, e.earliest()); outside != 0 {
		return outside
	}
	return e.lower.value(theta) + e.upper.value(theta)
}

// LogLikGrad returns LogLik and writes its gradient to grad, of length 4. The
// gradient is zero outside the support, and if theta holds a NaN.
func (e *Exact) LogLikGrad(theta, grad []float64) float64 {
	clear(grad[:4])
	if outside := logOutside(theta, e.earliest()); outside != 0 {
		return outside
	}
	return e.lower.gradient(theta, grad) + e.upper.gradient(theta, grad)
}

// earliest returns the smallest rt, an upper bound on t. Without trials it returns the largest number.
func (e *Exact) earliest() float64 {
	first := math.MaxFloat64
	for _, s := range []*side{&e.lower, &e.upper} {
		if len(s.rt) > 0 {
			first = min(first, s.rt[0])
		}
	}
	return first
}

// side holds the trials of one choice.
type side struct {
	choice float64
	rt     []float64 // ascending
	sum    []float64 // sum[i] is the sum of rt[:i]
}

// newSide sorts the response times of one choice and sums them.
func newSide(choice float64, rt []float64) side {
	slices.Sort(rt)
	s := side{choice: choice, rt: rt, sum: make([]float64, len(rt)+1)}
	for i, x := range rt {
		s.sum[i+1] = s.sum[i] + x
	}
	return s
}

// Trials are evaluated one at a time, by the formulas of passage, in two cases: the start's relative distance from a boundary is below
// edge, or the ratio width²/τ is above maxScale. These formulas lose no accuracy there.
const (
	edge     = 1e-3
	maxScale = 1e60
)

// extreme reports whether the loops over blocks of trials would lose accuracy for the passage g with the non-decision time t.
func (s *side) extreme(g *passage, t float64) bool {
	scale := g.width * g.width / (s.rt[0] - t)
	return g.near < edge || g.far < edge || !(scale < maxScale) ||
		!(g.width > 1/maxScale && g.width < maxScale)
}

// value returns the log density summed over the side's trials.
func (s *side) value(theta []float64) float64 {
	if len(s.rt) == 0 {
		return 0
	}
	g := passageAt(s.choice, theta)
	t := theta[3]
	if s.extreme(&g, t) {
		return s.oneByOne(&g, t).value
	}
	r := newRun(&g, t)
	return r.evaluate(s, false).value
}

// gradient returns the same as value, and adds the gradient to grad.
func (s *side) gradient(theta, grad []float64) float64 {
	if len(s.rt) == 0 {
		return 0
	}
	g := passageAt(s.choice, theta)
	t := theta[3]
	var p partials
	if s.extreme(&g, t) {
		p = s.oneByOne(&g, t)
	} else {
		r := newRun(&g, t)
		p = r.evaluate(s, true)
	}
	p.addGrad(s.choice, grad)
	return p.value
}

// oneByOne returns the sum over trials of passage.logDensity.
func (s *side) oneByOne(g *passage, t float64) (total partials) {
	for _, rt := range s.rt {
		p := g.logDensity(rt - t)
		total.value += p.value
		total.time += p.time
		total.drift += p.drift
		total.width += p.width
		total.near += p.near
	}
	return total
}
