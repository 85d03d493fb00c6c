package hierarchy

import (
	"math"
	"slices"

	"likc/runtime/fit/nuts"
	"likc/runtime/model/kernel"
	"likc/runtime/model/posterior"
)

// evaluation is the study as a likelihood of its coordinates, the density of the offsets included. It has scratch memory, so
// each chain has one of its own.
type evaluation struct {
	study       *Study
	blocks      []block
	groups      []*group // with shares of their own
	rooms       []*room
	coefs       []float64
	value       []float64 // of the predictors
	slope       []float64
	gradValue   []float64
	theta, grad []float64 // of a block
	last        []float64 // the gradient that LogLik throws away
}

func (s *Study) evaluation() *evaluation {
	n, most := s.predictors.n(), 0
	blocks := slices.Clone(s.blocks)
	for i, b := range blocks {
		most = max(most, len(b.inputs))
		if r, ok := b.lik.(*rowwise); ok {
			blocks[i].lik = r.clone()
		}
	}
	e := &evaluation{study: s, blocks: blocks, coefs: make([]float64, len(s.coords)), last: make([]float64, len(s.coords)), value: make([]float64, n),
		slope: make([]float64, n), gradValue: make([]float64, n), theta: make([]float64, most), grad: make([]float64, most)}
	for _, g := range s.groups {
		e.groups, e.rooms = append(e.groups, g.clone()), append(e.rooms, newRoom(g))
	}
	return e
}

// Dim returns the number of coordinates.
func (e *evaluation) Dim() int { return len(e.coefs) }

// LogLik returns the log-likelihood plus the log density of the offsets.
func (e *evaluation) LogLik(coords []float64) float64 { return e.LogLikGrad(coords, e.last) }

// LogLikGrad returns LogLik and overwrites grad.
func (e *evaluation) LogLikGrad(coords, grad []float64) float64 {
	copy(e.coefs, coords)
	for i, g := range e.groups {
		g.place(coords, e.coefs, e.rooms[i])
	}
	clear(grad)
	lp := e.likelihood(grad)
	if math.IsInf(lp, 0) || math.IsNaN(lp) {
		return lp
	}
	for i, g := range e.groups {
		lp += g.density(coords, e.coefs, grad, e.rooms[i])
	}
	return lp
}

// likelihood returns the log-likelihood at the coefficients and adds its gradient to grad, unless it is not finite.
func (e *evaluation) likelihood(grad []float64) float64 {
	s := e.study
	s.predictors.evaluate(e.coefs, e.value, e.slope)
	clear(e.gradValue)
	lp := 0.0
	for i := range e.blocks {
		b := &e.blocks[i]
		theta, slopes := e.theta[:len(b.inputs)], e.grad[:len(b.inputs)]
		for k, p := range b.inputs {
			theta[k] = e.value[p]
		}
		lp += b.lik.LogLikGrad(theta, slopes)
		if math.IsInf(lp, 0) || math.IsNaN(lp) {
			return lp
		}
		for k, p := range b.inputs {
			e.gradValue[p] += slopes[k]
		}
	}
	s.predictors.pull(e.gradValue, e.slope, grad)
	return lp
}

var _ kernel.Sum = (*evaluation)(nil)

// posterior is the study's posterior with scratch memory of its own.
func (s *Study) posterior() (*posterior.Posterior, *evaluation, error) {
	e := s.evaluation()
	p, err := posterior.New(e, s.coords)
	return p, e, err
}

// Target returns the density that one chain draws from.
func (s *Study) Target() (nuts.Target, error) {
	p, _, err := s.posterior()
	if err != nil {
		return nil, err
	}
	return p.Target(), nil
}
