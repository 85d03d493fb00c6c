package problem

import (
	"likc/runtime/model/neural"
	"likc/search/find/divergence"
	"likc/search/find/evolve"
	"likc/search/study/bank"
)

// newDivergence prepares the loss of a search for densities. It uses the parameter vectors of a bank, but not the trials.
func (p *Problem) newDivergence(t *neural.Teacher, b *bank.Bank) error {
	s := divergence.Default()
	theta := make([][]float64, len(b.Subjects))
	for i, subject := range b.Subjects {
		theta[i] = subject.Theta
	}
	s.Groups = min(s.Groups, len(theta))
	p.Identity.Density = &s
	loss, err := divergence.New(theta, p.Header, t, s)
	if err != nil {
		return &Error{"objective", true, err}
	}
	p.Loss = loss
	return nil
}

// evolveDensities changes the settings of the evolution to those of a search for densities. A log density may be the log of a sum of
// exponentials, of any size.
func (p *Problem) evolveDensities(e *evolve.Settings) {
	e.ArgumentSize, e.Nesting = nil, map[string][]string{"log": {"log"}, "exp": {"exp"}}
	e.Populations, e.LimitFactor = 8, 1.5
	e.Constants = evolve.None
	if p.Settings.Constants {
		e.Constants, e.ConstantShare, e.Refit, e.Weights.Grow = evolve.Fitted, 0.15, 1, 4
		e.Weights.Simplify = 0.1
	}
}
