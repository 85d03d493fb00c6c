package lan

import (
	"math"
	"sync"

	"likc/runtime/model/kernel"
)

// Rows binds trials for evaluations row by row; a row is one trial. It computes outputs in blocks of rows with the same parameters, and
// gradients one row at a time. It refuses the same trials as Sum.
func (t *Teacher) Rows(of kernel.Trials) (kernel.Rows, error) {
	rt, choice := of.Columns[0], of.Choice
	bound, err := t.Network.Bind(rt, choice)
	if err != nil {
		return nil, err
	}
	p := bound.plan
	spaces := sync.Pool{New: func() any { return newSingle(p) }}
	alone := kernel.EachAlone(t.Dim(), len(rt), func(i int, theta, grad []float64) float64 {
		s := spaces.Get().(*single)
		defer spaces.Put(s)
		return s.evaluate(theta, grad, rt[i], choice[i])
	})
	return kernel.InBlocks(alone, func(theta, logp []float64) {
		s := spaces.Get().(*single)
		defer spaces.Put(s)
		s.together(logp, theta, rt, choice)
	}), nil
}

// single evaluates one trial at a time, or the trials of a block.
type single struct {
	evaluation
	block   group // one block; only its first trial has a weight other than 0
	waiting []int // trials whose times are in the block
}

func newSingle(p *plan) *single {
	s := &single{evaluation: evaluation{workspace: newWorkspace(p), plan: p}, block: group{rt: make([]float32, lanes), weight: make([]float64, lanes)}, waiting: make([]int, 0, lanes)}
	s.block.weight[0] = 1
	return s
}

// evaluate returns the output for a trial. It sets grad to the gradient, unless that is nil.
func (s *single) evaluate(theta, grad []float64, rt, choice float64) float64 {
	if !isFinite(theta) {
		return math.NaN()
	}
	for lane := range s.block.rt {
		s.block.rt[lane] = float32(rt)
	}
	clear(s.gradients)
	s.total, s.gradient = 0, grad != nil
	s.plan.firstBias(s.bias, theta, choice)
	s.addTrials(&s.block, 0, 1)
	copy(grad, s.gradients)
	return s.total
}

// isFinite reports whether all parameters are finite.
func isFinite(theta []float64) bool {
	for _, x := range theta {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}

// together sets dst to the outputs for trials with the same parameters, without floor; NaN if theta is not finite.
func (s *single) together(dst, theta, rt, choice []float64) {
	if !isFinite(theta) {
		for i := range dst {
			dst[i] = math.NaN()
		}
		return
	}
	for _, side := range s.plan.choice {
		s.plan.firstBias(s.bias, theta, side)
		s.waiting = s.waiting[:0]
		for i, c := range choice {
			if c != side {
				continue
			}
			s.block.rt[len(s.waiting)] = float32(rt[i])
			if s.waiting = append(s.waiting, i); len(s.waiting) == lanes {
				s.flush(dst)
			}
		}
		s.flush(dst)
	}
}

// flush computes dst for the waiting trials.
func (s *single) flush(dst []float64) {
	if len(s.waiting) == 0 {
		return
	}
	for lane := len(s.waiting); lane < lanes; lane++ {
		s.block.rt[lane] = s.block.rt[0]
	}
	s.plan.value(s.workspace, s.block.rt)
	for lane, i := range s.waiting {
		dst[i] = float64(s.out[lane])
	}
	s.waiting = s.waiting[:0]
}
