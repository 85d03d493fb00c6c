package flow

import (
	"math"
	"sync"

	"likc/runtime/model/kernel"
	"likc/runtime/model/neural/classify"
)

// Rows binds trials for evaluations row by row; a row is one trial. It computes log densities in blocks of rows with the same parameters,
// and gradients one row at a time. It refuses the same trials as Sum.
func (t *Teacher) Rows(of kernel.Trials) (kernel.Rows, error) {
	rt, choice := of.Columns[0], of.Choice
	if _, err := t.Sum(of); err != nil {
		return nil, err
	}
	spaces := sync.Pool{New: func() any { return newWorkspace(t.Flow) }}
	oneUpper := &Bound{flow: t.Flow, teacher: t, sides: [2][]float64{nil, {1}}} // one trial, whose time is not used: it adds the probability of its choice
	oneLower := &Bound{flow: t.Flow, teacher: t, sides: [2][]float64{{1}, nil}}
	alone := kernel.EachAlone(t.Frame.Model.Dim(), len(rt), func(i int, theta, grad []float64) float64 {
		clear(grad)
		if out := t.Frame.Outside(theta, rt[i]); out != 0 {
			return out
		}
		w := spaces.Get().(*workspace)
		defer spaces.Put(w)
		value := finite(t.side(w, theta, rt[i:i+1], choice[i], grad))
		if choice[i] > 0 {
			return oneUpper.addChoices(theta, grad, value)
		}
		return oneLower.addChoices(theta, grad, value)
	})
	return kernel.InBlocks(alone, func(theta, logp []float64) {
		w := spaces.Get().(*workspace)
		defer spaces.Put(w)
		t.together(w, logp, theta, rt, choice)
	}), nil
}

// together sets dst to the log densities of trials with the same parameters.
func (t *Teacher) together(w *workspace, dst, theta, rt, choice []float64) {
	t.Flow.together(w, dst, theta, rt, choice)
	trace := t.traces.Get().(*classify.Trace)
	defer t.traces.Put(trace)
	known := false
	var upper, lower float64
	for i, x := range dst {
		if math.IsInf(x, 0) || math.IsNaN(x) {
			continue
		}
		if !known {
			upper, lower = t.class.LogProbabilities(trace, theta)
			known = true
		}
		if choice[i] > 0 {
			dst[i] = finite(x + upper)
		} else {
			dst[i] = finite(x + lower)
		}
	}
}
