package backprop

import (
	"context"

	"likc/runtime/sys/workers"
)

// Shards computes gradients of a batch on several threads. It cuts the batch into shards of a fixed number of rows and adds the
// shards' gradients in order, so the result does not depend on the number of threads.
type Shards struct {
	Rows    int // rows in each shard
	Threads int

	width int         // the number of weights, which is the length of a gradient
	grads [][]float32 // the gradient of each shard
	sums  []float64   // the loss of each shard, summed over its rows
}

// NewShards returns shards of `rows` rows for a network with `width` weights.
func NewShards(width, rows, threads int) *Shards {
	return &Shards{Rows: rows, Threads: max(1, threads), width: width}
}

// Gradient cuts a batch of `rows` rows into shards and calls work for each shard, with its rows first:last. thread, from 0 to
// Threads-1, is the number of the calling thread, so that work can use that thread's memory. work overwrites the shard's gradient and
// returns its loss. Gradient overwrites grad with the sum of the shards' gradients, and returns the sum of their losses.
func (s *Shards) Gradient(rows int, grad []float32, work func(thread, first, last int, grad []float32) float64) float64 {
	count := (rows + s.Rows - 1) / s.Rows
	for len(s.grads) < count {
		s.grads = append(s.grads, make([]float32, s.width))
		s.sums = append(s.sums, 0)
	}
	workers.Do(context.Background(), count, s.Threads, func(thread, i int) {
		s.sums[i] = work(thread, i*s.Rows, min(rows, (i+1)*s.Rows), s.grads[i])
	})
	return s.addShards(grad, count)
}

// Loss cuts `rows` rows into shards and calls work for each shard, in order, with the numbers of its rows. It returns the sum of the
// losses that work returns. work must not keep the slice.
func (s *Shards) Loss(rows int, work func(batch []int) float64) (total float64) {
	batch := make([]int, 0, s.Rows)
	for first := 0; first < rows; first += s.Rows {
		batch = batch[:0]
		for i := first; i < min(rows, first+s.Rows); i++ {
			batch = append(batch, i)
		}
		total += work(batch)
	}
	return total
}

// addShards sets grad to the sum of the first `count` shards' gradients, added in order, and returns the sum of their losses.
func (s *Shards) addShards(grad []float32, count int) float64 {
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
