package loo

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Stack returns the weights of the mixture of models that predicts best. The weights w are at least 0 and have the sum 1. They
// maximise the mean over trials i of log Σ_k w_k exp(density[k][i]). density has a slice for each model, with the log density of
// each trial predicted without that trial. Trials that every model considers impossible do not count. [yao2018].
//
// The mean is within 1e-10 of the largest, or as near as rounding allows. Models with equal predictions share their weight.
func Stack(density [][]float64) []float64 {
	s := newStack(density)
	for barrier := 0.1; len(s.trials) > 0 && barrier > 1e-12; barrier /= 10 {
		for step := 0; step < 50 && s.newtonStep(barrier) > 1e-20; step++ {
		}
	}
	total := 0.0
	for _, w := range s.weights {
		total += w
	}
	for k := range s.weights {
		s.weights[k] /= total
	}
	return s.weights
}

// stack maximises mean log Σ_k w_k p_k - Σ w + barrier Σ log w over positive w, by Newton's method. As the barrier vanishes
// the weights add up to 1, because scaling them by c adds log c - (c - 1) Σ w to the first two terms.
type stack struct {
	trials    [][]float64 // [trial][model]: density divided by the trial's largest density
	weights   []float64
	candidate []float64 // weights that a step would give
	hessian   *mat.SymDense
	slope     *mat.VecDense
	step      *mat.VecDense
}

func newStack(density [][]float64) *stack {
	models := len(density)
	s := &stack{weights: make([]float64, models), candidate: make([]float64, models), hessian: mat.NewSymDense(models, nil),
		slope: mat.NewVecDense(models, nil), step: mat.NewVecDense(models, nil)}
	for k := range s.weights {
		s.weights[k] = 1 / float64(models)
	}
	for i := range density[0] {
		high := math.Inf(-1)
		for k := range density {
			high = max(high, density[k][i])
		}
		if math.IsInf(high, -1) {
			continue
		}
		p := make([]float64, models)
		for k := range density {
			p[k] = math.Exp(density[k][i] - high)
		}
		s.trials = append(s.trials, p)
	}
	return s
}

// newtonStep makes one step. It returns the rise that the quadratic approximation predicts; 0 if no step raises the value.
func (s *stack) newtonStep(barrier float64) (rise float64) {
	value := s.expand(barrier)
	rounding := 1e-15 * (1 + math.Abs(value))
	var factors mat.Cholesky
	if !factors.Factorize(s.hessian) || factors.SolveVecTo(s.step, s.slope) != nil {
		return 0
	}
	rise = mat.Dot(s.step, s.slope)
	length := 1.0
	for k, w := range s.weights { // the weights must stay positive
		if d := s.step.AtVec(k); w+length*d < w/100 {
			length = -0.99 * w / d
		}
	}
	for ; length > 1e-10; length /= 2 {
		for k, w := range s.weights {
			s.candidate[k] = w + length*s.step.AtVec(k)
		}
		if s.value(s.candidate, barrier) >= value+1e-4*length*rise-rounding {
			copy(s.weights, s.candidate)
			return rise
		}
	}
	return 0
}

// expand sets slope to the derivatives at the weights, and hessian to the negative second derivatives. It returns the value.
func (s *stack) expand(barrier float64) float64 {
	s.hessian.Zero()
	s.slope.Zero()
	n := float64(len(s.trials))
	for _, p := range s.trials {
		mixture := dot(s.weights, p)
		for k, a := range p {
			s.slope.SetVec(k, s.slope.AtVec(k)+a/mixture/n)
			for l := range k + 1 {
				s.hessian.SetSym(k, l, s.hessian.At(k, l)+a/mixture*(p[l]/mixture)/n)
			}
		}
	}
	for k, w := range s.weights {
		s.slope.SetVec(k, s.slope.AtVec(k)-1+barrier/w)
		s.hessian.SetSym(k, k, s.hessian.At(k, k)+barrier/w/w)
	}
	return s.value(s.weights, barrier)
}

func (s *stack) value(weights []float64, barrier float64) float64 {
	sum := 0.0
	for _, p := range s.trials {
		sum += math.Log(dot(weights, p))
	}
	sum /= float64(len(s.trials))
	for _, w := range weights {
		sum += barrier*math.Log(w) - w
	}
	return sum
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}
