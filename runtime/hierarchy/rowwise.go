package hierarchy

import (
	"math"

	"likc/runtime/engine"
	"likc/runtime/likelihood"
)

// rowwise is a log-likelihood whose parameters may all differ from row to row. Its own parameters are the distinct values of
// each parameter of the model, one after the other. It has scratch memory, so each evaluation has one of its own.
type rowwise struct {
	rows  likelihood.Rows
	cells [][]int // of each parameter and row: which of the likelihood's parameters it is
	dim   int
	theta [][]float64
	logp  []float64
	grad  [][]float64
}

// bindRows binds all trials at once, row by row.
func (s *Study) bindRows(b *engine.Binder, cells [][]int) error {
	rows, err := b.Rows(s.data.Columns, s.data.Choice)
	if err != nil {
		return err
	}
	r := &rowwise{rows: rows, dim: s.predictors.n()}
	inputs := make([]int, r.dim)
	for i := range inputs {
		inputs[i] = i
	}
	r.cells = cells
	s.blocks = []block{{lik: r.clone(), inputs: inputs}}
	return nil
}

// clone returns the likelihood with scratch memory of its own.
func (r *rowwise) clone() *rowwise {
	own := &rowwise{rows: r.rows, cells: r.cells, dim: r.dim, logp: make([]float64, r.rows.N())}
	for _, c := range r.cells {
		n := r.rows.N()
		if shared(c) {
			n = 1
		}
		own.theta, own.grad = append(own.theta, make([]float64, n)), append(own.grad, make([]float64, r.rows.N()))
	}
	return own
}

// shared reports whether all rows have the same value.
func shared(cells []int) bool {
	for _, c := range cells {
		if c != cells[0] {
			return false
		}
	}
	return true
}

func (r *rowwise) Dim() int { return r.dim }

func (r *rowwise) LogLik(theta []float64) float64 {
	r.fill(theta)
	r.rows.Each(r.theta, r.logp, nil)
	return r.total()
}

func (r *rowwise) LogLikGrad(theta, grad []float64) float64 {
	r.fill(theta)
	r.rows.Each(r.theta, r.logp, r.grad)
	clear(grad)
	total := r.total()
	if math.IsInf(total, -1) {
		return total
	}
	for j, cells := range r.cells {
		for i, c := range cells {
			grad[c] += r.grad[j][i]
		}
	}
	return total
}

func (r *rowwise) fill(theta []float64) {
	for j, cells := range r.cells {
		for i := range r.theta[j] {
			r.theta[j][i] = theta[cells[i]]
		}
	}
}

func (r *rowwise) total() float64 {
	sum := 0.0
	for _, v := range r.logp {
		sum += v
	}
	return sum
}
