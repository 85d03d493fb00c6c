package fit

import (
	"math"

	"likc/runtime/model/engine"
	"likc/runtime/model/kernel"
)

// rowwise asks for the log densities of a subject's trials, some at a time: [loo.Pointwise]. What depends on the parameters alone
// is computed once for all trials of a block.
type rowwise struct {
	binder  *engine.Binder
	columns [][]float64
	choice  []float64
}

// newRowwise fails where the model cannot be evaluated trial by trial.
func newRowwise(b *engine.Binder, s *Subject) (*rowwise, error) {
	r := &rowwise{b, s.Columns, s.Choice}
	_, err := r.bind(0, min(1, s.Trials()))
	return r, err
}

// N returns the number of trials.
func (r *rowwise) N() int { return len(r.columns[0]) }

// bind gives the trials from first to last-1 to the model.
func (r *rowwise) bind(first, last int) (kernel.Rows, error) {
	columns := make([][]float64, len(r.columns))
	for j, c := range r.columns {
		columns[j] = c[first:last]
	}
	if r.choice == nil {
		return r.binder.Rows(columns, nil)
	}
	return r.binder.Rows(columns, r.choice[first:last])
}

// LogDensity sets dst[i][s] to the log density of trial first+i at theta[s].
func (r *rowwise) LogDensity(dst, theta [][]float64, first int) {
	rows, err := r.bind(first, first+len(dst))
	if err != nil { // the trials were bound before, all together
		for i := range dst {
			fill(dst[i], math.NaN())
		}
		return
	}
	logp := make([]float64, len(dst))
	for s, at := range theta {
		rows.Each(kernel.Fixed(at), logp, nil)
		for i, x := range logp {
			dst[i][s] = x
		}
	}
}

func fill(x []float64, v float64) {
	for i := range x {
		x[i] = v
	}
}
