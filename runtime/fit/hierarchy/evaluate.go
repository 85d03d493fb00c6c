package hierarchy

import (
	"math"

	"likc/runtime/fit/nuts"
	"likc/runtime/model/kernel"
	"likc/runtime/model/posterior"
)

// evaluation computes the study's likelihood as a function of its coordinates, including the density of the offsets. It has working
// memory, so each chain needs its own.
type evaluation struct {
	study      *Study
	groups     []*group     // copies of the study's groups; how far their coordinates are centred may differ from the study's
	workspaces []*workspace // working memory of each group
	coefs      []float64    // the coefficients at the coordinates of the last evaluation
	last       []float64    // working memory for the gradient, which LogLik does not return
}

// evaluation returns the study's likelihood with its own working memory.
func (s *Study) evaluation() *evaluation {
	e := &evaluation{study: s, coefs: make([]float64, len(s.coords)), last: make([]float64, len(s.coords))}
	for _, g := range s.groups {
		e.groups, e.workspaces = append(e.groups, g.clone()), append(e.workspaces, newWorkspace(g))
	}
	return e
}

// Dim returns the number of coordinates.
func (e *evaluation) Dim() int { return len(e.coefs) }

// LogLik returns the log-likelihood plus the log density of the offsets.
func (e *evaluation) LogLik(coords []float64) float64 { return e.LogLikGrad(coords, e.last) }

// LogLikGrad returns the same as LogLik and overwrites grad with the gradient.
func (e *evaluation) LogLikGrad(coords, grad []float64) float64 {
	copy(e.coefs, coords)
	for i, g := range e.groups {
		g.toOffsets(coords, e.coefs, e.workspaces[i])
	}
	lp := e.study.bound.LogLikGrad(e.coefs, grad)
	if math.IsInf(lp, 0) || math.IsNaN(lp) {
		return lp
	}
	for i, g := range e.groups {
		lp += g.density(coords, e.coefs, grad, e.workspaces[i])
	}
	return lp
}

var _ kernel.Sum = (*evaluation)(nil)

// posterior returns the study's posterior with its own working memory.
func (s *Study) posterior() (*posterior.Posterior, *evaluation, error) {
	e := s.evaluation()
	var lik kernel.Sum = e
	if !s.Grouped() {
		lik = s.bound // coordinates are coefficients
	}
	p, err := posterior.New(lik, s.coords)
	return p, e, err
}

// Posterior returns the study's posterior density. The posterior of a study with groups is not safe for concurrent use.
func (s *Study) Posterior() (*posterior.Posterior, error) {
	p, _, err := s.posterior()
	return p, err
}

// Target returns the density from which one chain draws.
func (s *Study) Target() (nuts.Target, error) {
	p, _, err := s.posterior()
	if err != nil {
		return nil, err
	}
	return p.Target(), nil
}
