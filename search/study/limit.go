package study

import (
	"math"

	"likc/runtime/fit/hierarchy"
	"likc/runtime/fit/nuts"
	"likc/runtime/num/chains"
)

// allowance divides the gradients that a fit may compute equally among its chains, which run one after another.
//
// If a chain uses up its share before it has enough draws, the fit fails, and later chains get no gradients. That saves up to half
// of the time, if the first of two chains fails, and changes no fit that succeeds.
type allowance struct {
	share   int  // gradients that each chain may compute; 0: no limit
	enough  int  // number of transitions that a chain needs, warm-up included
	made    int  // number of transitions of the current chain
	refused bool // whether a chain has failed
}

// newAllowance limits a fit to a number of gradients, 0 for no limit. It makes the sampler count transitions.
func newAllowance(gradients int, s *nuts.Settings) *allowance {
	a := &allowance{enough: s.NumWarmup + fewestDraws(s)}
	if gradients == 0 {
		return a
	}
	a.share = max(1, gradients/s.NumChains)
	tell := s.Progress
	s.Report = 1
	s.Progress = func(p nuts.Progress) {
		if a.made = p.Iteration; tell != nil {
			tell(p)
		}
	}
	return a
}

// chain returns the density for the next chain, which fails when the chain's share is used up.
func (a *allowance) chain(target nuts.Target) nuts.Target {
	if a.share == 0 {
		return target
	}
	a.made = 0
	l := &limited{Target: target, allowance: a, left: a.share}
	if a.refused {
		l.left = 0
	}
	return l
}

// limited is a density that returns an error once its gradients are used up.
type limited struct {
	nuts.Target
	allowance *allowance
	left      int // number of gradients that may still be computed
}

// LogDensityGrad returns the target's value, or [hierarchy.ErrLimit] once the share is used up.
func (l *limited) LogDensityGrad(q, grad []float64) (float64, error) {
	if l.left == 0 {
		a := l.allowance
		a.refused = a.refused || a.made < a.enough
		return math.NaN(), hierarchy.ErrLimit
	}
	l.left--
	return l.Target.LogDensityGrad(q, grad)
}

// fewestDraws returns the number of draws that are enough if a chain was cut short: a fifth of the draws of a full chain.
func fewestDraws(s *nuts.Settings) int { return (s.NumSamples + 4) / 5 }

// areEnough reports whether all chains have enough draws.
func areEnough(d *chains.Draws, s *nuts.Settings) bool {
	for i := range d.Chains {
		if d.Chains[i].Len() < fewestDraws(s) {
			return false
		}
	}
	return len(d.Chains) == s.NumChains
}
