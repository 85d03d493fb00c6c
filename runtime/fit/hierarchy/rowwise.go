package hierarchy

import (
	"fmt"
	"math"

	"likc/runtime/model/engine"
	"likc/runtime/model/kernel"
)

// rowwise is a log-likelihood whose parameters may all differ from row to row. Its own parameters are the distinct values of
// each parameter of the model, one after the other. It has scratch memory, so each evaluation has one of its own.
type rowwise struct {
	rows  kernel.Rows
	cells [][]int // of each parameter and row: which of the likelihood's parameters it is
	dim   int
	theta [][]float64
	logp  []float64
	grad  [][]float64
}

// bindRows binds all trials row by row, in blocks that share the parameters of which many trials have the same value: cells has
// the predictor of each parameter and row. A likelihood may compute once for a block what depends on shared parameters alone.
func (s *Study) bindRows(b *engine.Binder, cells [][]int) error {
	n := s.Trials()
	keys := make([][]int, len(cells))
	for j, c := range cells {
		if distinct(c) <= mostBlocks(n) {
			keys[j] = c
		}
	}
	blocks := partition(keys, n)
	if len(blocks) > mostBlocks(n) {
		blocks = partition(nil, n)
	}
	for _, rows := range blocks {
		if err := s.bindRowwise(b, cells, rows); err != nil {
			return err
		}
	}
	return nil
}

// bindRowwise binds the trials of rows.
func (s *Study) bindRowwise(b *engine.Binder, cells [][]int, rows []int) error {
	columns, choice := s.data.of(rows)
	bound, err := b.Rows(columns, choice)
	if err != nil {
		return fmt.Errorf("hierarchy: %w", err)
	}
	r := &rowwise{rows: bound}
	var inputs []int
	known := map[int]int{}
	for _, of := range cells {
		own := make([]int, len(rows))
		for i, row := range rows {
			at, ok := known[of[row]]
			if !ok {
				at = len(inputs)
				known[of[row]], inputs = at, append(inputs, of[row])
			}
			own[i] = at
		}
		r.cells = append(r.cells, own)
	}
	r.dim = len(inputs)
	s.blocks = append(s.blocks, block{lik: r.clone(), inputs: inputs, trials: len(rows), parts: 1})
	return nil
}

// distinct is the number of different cells.
func distinct(cells []int) int {
	seen := map[int]bool{}
	for _, c := range cells {
		seen[c] = true
	}
	return len(seen)
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
