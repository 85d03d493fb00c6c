package backprop

import (
	"context"

	"likc/runtime/sys/workers"
)

// Shards computes gradients of a batch on several threads: the batch is cut into shards of a fixed number of rows, and
// what shards return is added in their order, so that the number of threads does not matter.
type Shards struct {
	Rows    int // rows of a shard
	Threads int

	width int         // the width of a gradient
	grads [][]float32 // one a shard
	sums  []float64
}

// NewShards makes room for gradients of width numbers.
func NewShards(width, rows, threads int) *Shards {
	return &Shards{Rows: rows, Threads: max(1, threads), width: width}
}

// Gradient calls work for the shards first:last of rows rows, on a thread numbered from 0 to Threads-1 (for workspaces).
// work overwrites the shard's gradient and returns its loss. Gradient overwrites grad with the sum of the shards'
// gradients, and returns the sum of their losses.
func (s *Shards) Gradient(rows int, grad []float32, work func(thread, first, last int, grad []float32) float64) float64 {
	count := (rows + s.Rows - 1) / s.Rows
	for len(s.grads) < count {
		s.grads = append(s.grads, make([]float32, s.width))
		s.sums = append(s.sums, 0)
	}
	workers.Do(context.Background(), count, s.Threads, func(thread, i int) {
		s.sums[i] = work(thread, i*s.Rows, min(rows, (i+1)*s.Rows), s.grads[i])
	})
	return s.add(grad, count)
}

// add adds up in the order of the shards.
func (s *Shards) add(grad []float32, count int) float64 {
	clear(grad)
	total := 0.0
	for i, g := range s.grads[:count] {
		total += s.sums[i]
		for j, x := range g {
			grad[j] += x
		}
	}
	return total
}
