// Package classify trains the choice classifier of package runtime/model/neural/classify.
package classify

import (
	"math/rand/v2"

	"likc/runtime/model/neural/classify"
	"likc/runtime/model/neural/frame"
	"likc/runtime/model/neural/network"
	"likc/search/teach/backprop"
	"likc/search/teach/corpus"
)

// Learner trains a classifier's network by cross-entropy. A training item is one subject, with the number of its trials that have
// each choice.
type Learner struct {
	Net *network.Network

	choices           int
	train, validation counts
	shards            *backprop.Shards
	spaces            []*space
}

// counts holds the subjects' network inputs, one row for each subject, and their numbers of choices.
type counts struct {
	views [][]float32 // for each choice, the network's inputs; a choice reflects or reorders the parameters (frame.View)
	n     []float64   // [subjects][choices]: the number of trials with the choice
}

// space is the working memory of one thread.
type space struct {
	views   []view
	grad    []float32   // the gradient of one view's pass
	outputs [][]float32 // for each view, the network's output for each subject of the batch
	logits  []float64   // for each choice but the last, the network's output minus its output for the last choice
	logs    []float64   // the log probability of each choice
	slopes  []float64   // derivatives of the log likelihood in the logits
}

// view is the memory of one choice's pass over a batch.
type view struct {
	work *backprop.Workspace
	x    []float32 // the network's inputs, [subjects][inputs]
	dy   []float32 // derivatives of the loss in the network's output, one per subject
}

// shardRows is the number of subjects in a shard of a batch.
const shardRows = 64

// NewLearner prepares the training of a network with one output. The network is evaluated once for each choice; the differences of its
// outputs are the log odds of the choices.
func NewLearner(c *corpus.Corpus, n *network.Network, threads int) *Learner {
	l := &Learner{Net: n, choices: len(c.Frame.Model.Choices), train: newCounts(c.Frame, c.Train), validation: newCounts(c.Frame, c.Validation)}
	l.shards = backprop.NewShards(len(n.Weights), shardRows, threads)
	for range l.shards.Threads {
		w := &space{grad: make([]float32, len(n.Weights)), outputs: make([][]float32, l.choices),
			logits: make([]float64, l.choices-1), logs: make([]float64, l.choices), slopes: make([]float64, l.choices-1)}
		for range l.choices {
			w.views = append(w.views, view{backprop.NewWorkspace(n, shardRows), make([]float32, shardRows*n.Inputs()), make([]float32, shardRows)})
		}
		l.spaces = append(l.spaces, w)
	}
	return l
}

func newCounts(f *frame.Frame, subjects []corpus.Subject) counts {
	c := counts{views: make([][]float32, len(f.Model.Choices))}
	x, theta := make([]float64, f.Inputs()), make([]float64, f.Model.Dim())
	for _, s := range subjects {
		for k, rt := range s.RT {
			f.View(theta, s.Theta, k)
			f.Fill(x, theta, k)
			c.views[k] = appendNarrow(c.views[k], x)
			c.n = append(c.n, float64(len(rt)))
		}
	}
	return c
}

func appendNarrow(dst []float32, x []float64) []float32 {
	for _, v := range x {
		dst = append(dst, float32(v))
	}
	return dst
}

// Items returns the number of training subjects.
func (l *Learner) Items() int { return len(l.train.n) / l.choices }

// Weights returns the network's weights, which training changes.
func (l *Learner) Weights() []float32 { return l.Net.Weights }

// Gradient overwrites grad with the gradient of the batch's loss, which it returns: the mean cross-entropy of a trial.
func (l *Learner) Gradient(batch []int, _ *rand.Rand, grad []float32) float64 {
	trials := l.trials(&l.train, batch)
	return l.shards.Gradient(len(batch), grad, func(thread, first, last int, grad []float32) float64 {
		return l.shard(l.spaces[thread], &l.train, batch[first:last], trials, grad)
	}) / trials
}

// trials returns the number of trials of the batch's subjects.
func (l *Learner) trials(c *counts, batch []int) (n float64) {
	for _, i := range batch {
		for _, chosen := range c.n[i*l.choices : (i+1)*l.choices] {
			n += chosen
		}
	}
	return n
}

// shard returns the cross-entropy of the batch, summed over its trials. If grad is not nil, it receives the gradient of that sum
// divided by `trials`.
func (l *Learner) shard(w *space, c *counts, batch []int, trials float64, grad []float32) float64 {
	inputs, n := l.Net.Inputs(), len(batch)
	for v, view := range w.views {
		for k, i := range batch {
			copy(view.x[k*inputs:], c.views[v][i*inputs:(i+1)*inputs])
		}
		w.outputs[v] = view.work.Forward(view.x[:n*inputs])
	}
	loss := 0.0
	for k, i := range batch {
		loss += l.subject(w, k, c.n[i*l.choices:(i+1)*l.choices], trials)
	}
	if grad == nil {
		return loss
	}
	w.views[0].work.Backward(w.views[0].dy[:n], grad, nil)
	for _, view := range w.views[1:] {
		view.work.Backward(view.dy[:n], w.grad, nil)
		for j, g := range w.grad {
			grad[j] += g
		}
	}
	return loss
}

// subject returns the cross-entropy of the batch's k-th subject. It also stores the derivatives of cross-entropy / trials in the
// network's outputs.
func (l *Learner) subject(w *space, k int, counts []float64, trials float64) (loss float64) {
	end := l.choices - 1
	for j := range w.logits {
		w.logits[j] = float64(w.outputs[j][k]) - float64(w.outputs[end][k])
	}
	classify.LogChoices(w.logs, w.logits)
	for j, n := range counts {
		loss -= n * w.logs[j]
	}
	classify.Slopes(w.slopes, w.logits, counts)
	last := 0.0
	for j, s := range w.slopes {
		w.views[j].dy[k] = float32(-s / trials)
		last += s
	}
	w.views[end].dy[k] = float32(last / trials)
	return loss
}

// Validate returns the mean cross-entropy of a validation trial.
func (l *Learner) Validate() float64 {
	trials := 0.0
	loss := l.shards.Loss(len(l.validation.n)/l.choices, func(batch []int) float64 {
		trials += l.trials(&l.validation, batch)
		return l.shard(l.spaces[0], &l.validation, batch, 1, nil)
	})
	return loss / trials
}
