package flow

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat"

	"likc/runtime/model/neural/flow"
	"likc/runtime/model/neural/frame"
	"likc/runtime/model/neural/network"
	"likc/search/teach/backprop"
	"likc/search/teach/corpus"
)

// Sizes returns the layer sizes of a flow's velocity network: inputs, the hidden layers, one output.
func Sizes(f *frame.Frame, hidden []int) []int {
	return append(append([]int{1 + flow.Features + f.Inputs()}, hidden...), 1)
}

// Hidden returns the sizes of the paper's hidden layers.
func Hidden() []int { return []int{128, 128, 128} }

// Learner trains a flow's network by flow matching. A training item is one trial; trials at the lower boundary are reflected to the
// upper one.
type Learner struct {
	Net           *network.Network
	Centre, Scale float64 // location and scale of log(rt - t) in the training data

	train, validation pairs
	shards            *backprop.Shards
	spaces            []*space
	s, noise          []float64 // flow times and Gaussian starting points of the batch
	fixedS, fixed     []float64 // flow times and starting points of the validation data, the same after every epoch
}

// pairs holds trials: the standardised log decision time x of each, and the network inputs computed from its parameters θ.
type pairs struct {
	x      []float64
	inputs []float32
}

// space is the working memory of one thread.
type space struct {
	net    *backprop.Workspace
	x      []float32 // the network's inputs, [trials][inputs]
	dy     []float32 // derivatives of the loss in the network's output, one per trial
	target []float64 // the velocity x₁-x₀ that each trial's output should equal
}

// shardRows is the number of trials in a shard of a batch.
const shardRows = 128

// NewLearner prepares the training of a network with the layers that Sizes returns.
func NewLearner(c *corpus.Corpus, n *network.Network, seed uint64, threads int) *Learner {
	l := &Learner{Net: n, train: newPairs(c.Frame, c.Train), validation: newPairs(c.Frame, c.Validation)}
	l.Centre, l.Scale = stat.MeanStdDev(l.train.x, nil)
	for _, p := range []pairs{l.train, l.validation} {
		for i := range p.x {
			p.x[i] = (p.x[i] - l.Centre) / l.Scale
		}
	}
	l.shards = backprop.NewShards(len(n.Weights), shardRows, threads)
	for range l.shards.Threads {
		l.spaces = append(l.spaces, &space{backprop.NewWorkspace(n, shardRows),
			make([]float32, shardRows*n.Inputs()), make([]float32, shardRows), make([]float64, shardRows)})
	}
	r := rand.New(rand.NewPCG(seed, 0x666c6f77)) // one stream for all epochs
	l.fixedS, l.fixed = draw(nil, nil, len(l.validation.x), r)
	return l
}

func newPairs(f *frame.Frame, subjects []corpus.Subject) pairs {
	var p pairs
	theta, inputs := make([]float64, f.Model.Dim()), make([]float64, f.Inputs())
	addTrials := func(rt []float64, theta []float64) {
		f.Fill(inputs, theta, 0) // choice 0, because View has reflected the trials to the upper boundary
		for _, x := range rt {
			p.x = append(p.x, math.Log(x-f.Onset(theta)))
			for _, v := range inputs {
				p.inputs = append(p.inputs, float32(v))
			}
		}
	}
	for _, s := range subjects {
		for k, rt := range s.RT {
			f.View(theta, s.Theta, k)
			addTrials(rt, theta)
		}
	}
	return p
}

// draw returns n flow times, one from each of n equal parts of [0, 1] in random order, and n Gaussian starting points. It reuses the
// memory of s and noise.
func draw(s, noise []float64, n int, r *rand.Rand) (times, starts []float64) {
	s, noise = s[:0], noise[:0]
	for _, i := range r.Perm(n) {
		s, noise = append(s, (float64(i)+r.Float64())/float64(n)), append(noise, r.NormFloat64())
	}
	return s, noise
}

// Items returns the number of training trials.
func (l *Learner) Items() int { return len(l.train.x) }

// Weights returns the network's weights, which training changes.
func (l *Learner) Weights() []float32 { return l.Net.Weights }

// Gradient overwrites grad with the gradient of the batch's loss, and returns the loss: the mean of |u - (x₁-x₀)|², where u is the
// network's velocity on the way from the starting point x₀ to the trial x₁.
func (l *Learner) Gradient(batch []int, r *rand.Rand, grad []float32) float64 {
	l.s, l.noise = draw(l.s, l.noise, len(batch), r)
	n := float64(len(batch))
	return l.shards.Gradient(len(batch), grad, func(thread, first, last int, grad []float32) float64 {
		return l.shard(l.spaces[thread], &l.train, batch[first:last], l.s[first:last], l.noise[first:last], n, grad)
	}) / n
}

// shard returns the loss summed over the batch's trials. If grad is not nil, it receives the gradient of that sum divided by n.
func (l *Learner) shard(w *space, p *pairs, batch []int, s, noise []float64, n float64, grad []float32) float64 {
	width := l.Net.Inputs()
	params := width - 1 - flow.Features
	for k, i := range batch {
		row := w.x[k*width : (k+1)*width]
		row[0] = float32((1-s[k])*noise[k] + s[k]*p.x[i])
		flow.Cosines(row[1:1+flow.Features], s[k])
		copy(row[1+flow.Features:], p.inputs[i*params:(i+1)*params])
		w.target[k] = p.x[i] - noise[k]
	}
	loss := 0.0
	for k, u := range w.net.Forward(w.x[:len(batch)*width]) {
		miss := float64(u) - w.target[k]
		loss += miss * miss
		w.dy[k] = float32(2 * miss / n)
	}
	if grad != nil {
		w.net.Backward(w.dy[:len(batch)], grad, nil)
	}
	return loss
}

// Validate returns the mean loss of the validation trials, at flow times and starting points that never change.
func (l *Learner) Validate() float64 {
	n := len(l.validation.x)
	return l.shards.Loss(n, func(batch []int) float64 {
		first, last := batch[0], batch[0]+len(batch)
		return l.shard(l.spaces[0], &l.validation, batch, l.fixedS[first:last], l.fixed[first:last], 1, nil)
	}) / float64(n)
}
