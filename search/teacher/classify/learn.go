// Package classify trains the choice classifier of package runtime/neural/classify.
package classify

import (
	"math"
	"math/rand/v2"

	"likc/runtime/neural/classify"
	"likc/runtime/neural/frame"
	"likc/runtime/neural/network"
	"likc/search/teacher/backprop"
	"likc/search/teacher/corpus"
)

// Learner trains a classifier's network by cross-entropy. An item is a subject, with its numbers of choices.
type Learner struct {
	Net *network.Network

	train, validation counts
	shards            *backprop.Shards
	spaces            []*space
}

// counts are subjects as rows: inputs at theta and at its reflection, and numbers of choices.
type counts struct {
	x, reflected []float32
	upper, lower []float64
}

// space is the memory of a thread.
type space struct {
	at, reflected *backprop.Workspace
	x, xr         []float32
	dy, minus     []float32
	grad          []float32
}

// shardRows is the number of subjects in a shard of a batch.
const shardRows = 64

// NewLearner prepares the training of a network with one output.
func NewLearner(c *corpus.Corpus, n *network.Network, threads int) *Learner {
	l := &Learner{Net: n, train: newCounts(c.Frame, c.Train), validation: newCounts(c.Frame, c.Validation)}
	l.shards = backprop.NewShards(len(n.Weights), shardRows, threads)
	width := shardRows * n.Inputs()
	for range l.shards.Threads {
		l.spaces = append(l.spaces, &space{
			backprop.NewWorkspace(n, shardRows), backprop.NewWorkspace(n, shardRows),
			make([]float32, width), make([]float32, width),
			make([]float32, shardRows), make([]float32, shardRows), make([]float32, len(n.Weights)),
		})
	}
	return l
}

func newCounts(f *frame.Frame, subjects []corpus.Subject) counts {
	var c counts
	x, reflected := make([]float64, f.Inputs()), make([]float64, f.Model.Dim())
	for _, s := range subjects {
		f.Fill(x, s.Theta)
		c.x = appendNarrow(c.x, x)
		f.Model.Reflect(reflected, s.Theta)
		f.Fill(x, reflected)
		c.reflected = appendNarrow(c.reflected, x)
		c.upper, c.lower = append(c.upper, float64(len(s.Upper))), append(c.lower, float64(len(s.Lower)))
	}
	return c
}

func appendNarrow(dst []float32, x []float64) []float32 {
	for _, v := range x {
		dst = append(dst, float32(v))
	}
	return dst
}

// Items is the number of training subjects.
func (l *Learner) Items() int { return len(l.train.upper) }

// Weights are what is trained.
func (l *Learner) Weights() []float32 { return l.Net.Weights }

// Gradient overwrites grad with the gradient of the batch's loss, which it returns: the mean cross-entropy of a trial.
func (l *Learner) Gradient(batch []int, _ *rand.Rand, grad []float32) float64 {
	trials := l.train.trials(batch)
	return l.shards.Gradient(len(batch), grad, func(thread, first, last int, grad []float32) float64 {
		return l.shard(l.spaces[thread], &l.train, batch[first:last], trials, grad)
	}) / trials
}

func (c *counts) trials(batch []int) (n float64) {
	for _, i := range batch {
		n += c.upper[i] + c.lower[i]
	}
	return n
}

// shard returns the cross-entropy summed over trials; the gradient, if wanted, is that of the sum over trials.
func (l *Learner) shard(w *space, c *counts, batch []int, trials float64, grad []float32) float64 {
	inputs := l.Net.Inputs()
	for k, i := range batch {
		copy(w.x[k*inputs:], c.x[i*inputs:(i+1)*inputs])
		copy(w.xr[k*inputs:], c.reflected[i*inputs:(i+1)*inputs])
	}
	n := len(batch)
	h := w.at.Forward(w.x[:n*inputs])
	r := w.reflected.Forward(w.xr[:n*inputs])
	loss := 0.0
	for k, i := range batch {
		logit := float64(h[k]) - float64(r[k])
		upper, lower, clipped := classify.LogProbabilities(logit)
		loss -= c.upper[i]*upper + c.lower[i]*lower
		p := 1 / (1 + math.Exp(-logit))
		w.dy[k] = float32((c.lower[i]*p - c.upper[i]*(1-p)) / trials)
		if clipped {
			w.dy[k] = 0
		}
		w.minus[k] = -w.dy[k]
	}
	if grad != nil {
		w.at.Backward(w.dy[:n], grad, nil)
		w.reflected.Backward(w.minus[:n], w.grad, nil)
		for j, g := range w.grad {
			grad[j] += g
		}
	}
	return loss
}

// Validate is the mean cross-entropy of a validation trial.
func (l *Learner) Validate() float64 {
	loss, trials := 0.0, 0.0
	batch := make([]int, 0, shardRows)
	for first := 0; first < len(l.validation.upper); first += shardRows {
		batch = batch[:0]
		for i := first; i < min(first+shardRows, len(l.validation.upper)); i++ {
			batch = append(batch, i)
		}
		trials += l.validation.trials(batch)
		loss += l.shard(l.spaces[0], &l.validation, batch, 1, nil)
	}
	return loss / trials
}
