package judge

import (
	"errors"
	"math"

	"likc/runtime/fit/nuts"
	"likc/runtime/model/posterior"
	"likc/runtime/num/chains"
)

// errLimit ends a chain that has used its share of gradients.
var errLimit = errors.New("the limit on gradients is reached")

// allowance divides the gradients that a fit may compute equally among its chains, which run one after another.
//
// If a chain uses up its share before it has enough draws to judge by, the fit has failed, and the chains after it get no gradients.
// That saves time, half of the limit if the first of two chains fails, and changes no fit that succeeds.
type allowance struct {
	share   int  // gradients that each chain may compute; 0: no limit
	enough  int  // transitions that a chain needs to be judged by, warm-up included
	made    int  // transitions of the present chain
	refused bool // a chain has failed
}

// newAllowance counts the sampler's transitions as they are made.
func newAllowance(s Settings, sampler *nuts.Settings) *allowance {
	a := &allowance{enough: sampler.NumWarmup + fewestDraws(sampler)}
	if s.MaxGradients == 0 {
		return a
	}
	a.share = max(1, s.MaxGradients/s.Chains)
	tell := sampler.Progress
	sampler.Report = 1
	sampler.Progress = func(p nuts.Progress) {
		if a.made = p.Iteration; tell != nil {
			tell(p)
		}
	}
	return a
}

// target is a chain's density, which fails when the chain's share is used up.
func (a *allowance) target(post *posterior.Posterior) nuts.Target {
	if a.share == 0 {
		return post.Target()
	}
	a.made = 0
	l := &limited{Target: post.Target(), allowance: a, left: a.share}
	if a.refused {
		l.left = 0
	}
	return l
}

type limited struct {
	*posterior.Target
	allowance *allowance
	left      int
}

// LogDensityGrad returns the target's, and errLimit once the share is used up.
func (l *limited) LogDensityGrad(q, grad []float64) (float64, error) {
	if l.left == 0 {
		a := l.allowance
		a.refused = a.refused || a.made < a.enough
		return math.NaN(), errLimit
	}
	l.left--
	return l.Target.LogDensityGrad(q, grad)
}

// fewestDraws is how many draws of a chain that was cut short are enough to judge by: a fifth of all.
func fewestDraws(s *nuts.Settings) int { return (s.NumSamples + 4) / 5 }

// enough says whether all chains have draws to judge by.
func enough(d *chains.Draws, s nuts.Settings) bool {
	for i := range d.Chains {
		if d.Chains[i].Len() < fewestDraws(&s) {
			return false
		}
	}
	return len(d.Chains) == s.NumChains
}
