package judge

import (
	"errors"
	"math"

	"likc/runtime/chains"
	"likc/runtime/nuts"
	"likc/runtime/posterior"
)

// errLimit ends a fit that needs too many gradients.
var errLimit = errors.New("the limit on gradients is reached")

// allowance shares out the gradients that a fit may take among its chains, which run one after the other.
//
// A chain that uses up its share before it has draws to judge by fails the fit, whatever the chains after it do: they get
// none. So a fit that fails costs half of what it may, and every other fit is what it was.
type allowance struct {
	share   int // gradients of a chain; 0: no limit
	enough  int // transitions of a chain to judge by, warm-up included
	made    int // transitions of the chain under way
	refused bool
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

// LogDensityGrad is the target's, until none is left.
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
