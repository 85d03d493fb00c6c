package kernel

import (
	"math"
	"sync"
)

// Summed is the log-likelihood of all rows at one parameter vector: the sum of [Rows].
type Summed struct {
	rows   Rows
	spaces sync.Pool // memory of evaluations: *sums
}

// sums is the working memory of one evaluation.
type sums struct {
	theta, grad [][]float64
	logp        []float64
}

// SumOf returns the sum over rows as a likelihood, for tests. Other code uses package bound.
func SumOf(r Rows) *Summed {
	s := &Summed{rows: r}
	s.spaces.New = func() any {
		w := &sums{theta: make([][]float64, r.Dim()), grad: make([][]float64, r.Dim()), logp: make([]float64, r.N())}
		for j := range w.grad {
			w.grad[j] = make([]float64, r.N())
		}
		return w
	}
	return s
}

// Dim returns the number of parameters.
func (s *Summed) Dim() int { return s.rows.Dim() }

// LogLik returns the log density summed over rows.
func (s *Summed) LogLik(theta []float64) float64 { return s.evaluate(theta, nil) }

// LogLikGrad returns the same as LogLik, and overwrites grad with the gradient, which is zero where the value is -Inf.
func (s *Summed) LogLikGrad(theta, grad []float64) float64 { return s.evaluate(theta, grad) }

func (s *Summed) evaluate(theta, grad []float64) float64 {
	w := s.spaces.Get().(*sums)
	defer s.spaces.Put(w)
	for j := range theta {
		w.theta[j] = theta[j : j+1 : j+1]
	}
	slopes := w.grad
	if grad == nil {
		slopes = nil
	}
	s.rows.Each(w.theta, w.logp, slopes)
	total := add(w.logp)
	for j := range grad {
		grad[j] = add(slopes[j])
	}
	if math.IsInf(total, -1) {
		clear(grad)
	}
	return total
}

// add returns the sum of numbers.
func add(x []float64) float64 {
	total := 0.0
	for _, v := range x {
		total += v
	}
	return total
}

// EachAt sets dst to the log density of each trial at the trial's own parameters, for tests. It panics if the kernel refuses the
// trials.
func EachAt(k Kernel, dst []float64, theta [][]float64, t Trials) {
	rows, err := k.Rows(t)
	if err != nil {
		panic(err)
	}
	params := make([][]float64, k.Dim())
	for j := range params {
		for _, at := range theta {
			params[j] = append(params[j], at[j])
		}
	}
	rows.Each(params, dst, nil)
}
