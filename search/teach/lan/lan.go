// Package lan trains likelihood approximation networks: regressions of log densities on θ, rt and choice (Fengler, Govindarajan,
// Chen, Frank. Likelihood approximation networks (LANs) for fast inference of simulation models in cognitive neuroscience. eLife
// 2021;10:e65074). The log densities come from another teacher, or from kernel density estimates over simulated trials. The result is
// a network of package runtime/model/neural/lan, in the format of published LANs.
package lan

import (
	"math"
	"math/rand/v2"
	"slices"

	"likc/runtime/model/neural/frame"
	"likc/runtime/model/neural/lan"
	"likc/runtime/model/neural/network"
	"likc/search/teach/backprop"
	"likc/search/teach/corpus"
)

// Floor is log 1e-7, the smallest log density that the network learns: smaller ones are raised to it, as in published networks.
const Floor = -16.11809

// Density computes log densities of trials: theta[i] belongs to trial i.
type Density interface {
	LogDensity(dst []float64, theta [][]float64, rt, choice []float64)
}

// Sizes returns the layer sizes of a network with the given hidden layers. Published networks have hidden layers of 100, 100 and 100
// units.
func Sizes(f *frame.Frame, hidden []int) []int {
	return append(append([]int{f.Model.Dim() + 2}, hidden...), 1)
}

// Hidden returns the sizes of published networks' hidden layers.
func Hidden() []int { return []int{100, 100, 100} }

// A network learns, for each subject and choice, at three kinds of response times: those of the first `trials` trials; `late` times
// uniform over the `span` seconds after the non-decision time; and `early` times before it, where the density is the floor.
const (
	trials = 20
	late   = 6
	early  = 2
	span   = 8.0
)

// Learner trains a network on log densities by Huber's loss, which is quadratic for errors up to one nat. A training item is one
// point: parameters, response time and choice.
type Learner struct {
	Net *network.Network

	frame             *frame.Frame
	train, validation points
	middle, half      []float64 // the middle of each input's range, and half its width
	shards            *backprop.Shards
	spaces            []*space
}

// points holds network inputs, scaled to about (-1, 1), and their target log densities.
type points struct {
	inputs []float32
	target []float64
}

// space is the working memory of one thread.
type space struct {
	net   *backprop.Workspace
	x, dy []float32
}

// shardRows is the number of points in a shard of a batch.
const shardRows = 128

// NewLearner computes the target log densities and prepares the training of a network with the layers that Sizes returns. The
// targets come from labels, or, if labels is nil, from kernel density estimates of each subject's trials.
func NewLearner(c *corpus.Corpus, labels Density, n *network.Network, seed uint64, threads int) *Learner {
	l := &Learner{Net: n, frame: c.Frame}
	for _, p := range c.Frame.Model.Params {
		l.middle, l.half = append(l.middle, (p.Lower+p.Upper)/2), append(l.half, (p.Upper-p.Lower)/2)
	}
	l.middle, l.half = append(l.middle, 2), append(l.half, 2) // response times lie mostly between 0 and 4 s
	low, high := slices.Min(c.Frame.Model.Choices), slices.Max(c.Frame.Model.Choices)
	l.middle, l.half = append(l.middle, (low+high)/2), append(l.half, (high-low)/2)
	r := rand.New(rand.NewPCG(seed, 0x6c616e))
	l.train, l.validation = l.points(c.Train, labels, r), l.points(c.Validation, labels, r)
	l.shards = backprop.NewShards(len(n.Weights), shardRows, threads)
	for range l.shards.Threads {
		l.spaces = append(l.spaces, &space{backprop.NewWorkspace(n, shardRows), make([]float32, shardRows*n.Inputs()), make([]float32, shardRows)})
	}
	return l
}

// points returns the points to learn from, with their target log densities.
func (l *Learner) points(subjects []corpus.Subject, labels Density, r *rand.Rand) points {
	var p points
	for _, s := range subjects {
		t := l.frame.Onset(s.Theta)
		density := labels
		if density == nil {
			density = newSmooth(s, l.frame.Model.Choices, t)
		}
		var sides [][]float64
		for _, rt := range s.RT {
			sides = append(sides, slices.Clone(rt[:min(trials, len(rt))]))
		}
		for range late {
			for k := range sides {
				sides[k] = append(sides[k], t+span*r.Float64())
			}
		}
		for range early {
			for k := range sides {
				sides[k] = append(sides[k], t*r.Float64()) // t may be 0; then these points are at 0 too
			}
		}
		for k, rt := range sides {
			l.label(&p, s.Theta, rt, l.frame.Model.Choices[k], density)
		}
	}
	return p
}

// label appends to p one point per response time, with the log density of labels at theta and the choice `side`.
func (l *Learner) label(p *points, theta, rt []float64, side float64, labels Density) {
	thetas, choice, logs := make([][]float64, len(rt)), make([]float64, len(rt)), make([]float64, len(rt))
	for i := range rt {
		thetas[i], choice[i] = theta, side
	}
	labels.LogDensity(logs, thetas, rt, choice)
	for i, x := range rt {
		for j, v := range append(append([]float64(nil), theta...), x, side) {
			p.inputs = append(p.inputs, float32((v-l.middle[j])/l.half[j]))
		}
		p.target = append(p.target, math.Max(logs[i], Floor))
	}
}

// Items returns the number of training points.
func (l *Learner) Items() int { return len(l.train.target) }

// Weights returns the network's weights, which training changes.
func (l *Learner) Weights() []float32 { return l.Net.Weights }

// Gradient overwrites grad with the gradient of the batch's mean loss, and returns that loss.
func (l *Learner) Gradient(batch []int, _ *rand.Rand, grad []float32) float64 {
	n := float64(len(batch))
	return l.shards.Gradient(len(batch), grad, func(thread, first, last int, grad []float32) float64 {
		return l.shard(l.spaces[thread], &l.train, batch[first:last], n, grad)
	}) / n
}

// shard returns the loss summed over the batch's points. If grad is not nil, it receives the gradient of that sum divided by n.
func (l *Learner) shard(w *space, p *points, batch []int, n float64, grad []float32) float64 {
	width := l.Net.Inputs()
	for k, i := range batch {
		copy(w.x[k*width:], p.inputs[i*width:(i+1)*width])
	}
	loss := 0.0
	for k, y := range w.net.Forward(w.x[:len(batch)*width]) {
		miss := float64(y) - p.target[batch[k]]
		bounded := math.Max(-1, math.Min(1, miss))
		loss += bounded * (miss - bounded/2)
		w.dy[k] = float32(bounded / n)
	}
	if grad != nil {
		w.net.Backward(w.dy[:len(batch)], grad, nil)
	}
	return loss
}

// Validate returns the mean loss of the validation points.
func (l *Learner) Validate() float64 {
	n := len(l.validation.target)
	return l.shards.Loss(n, func(batch []int) float64 { return l.shard(l.spaces[0], &l.validation, batch, 1, nil) }) / float64(n)
}

// Network returns the trained network for unscaled inputs: the scaling becomes part of its first layer.
func (l *Learner) Network() (*lan.Network, error) {
	var layers []lan.Layer
	rest := l.Net.Weights
	for i, out := range l.Net.Sizes[1:] {
		in := l.Net.Sizes[i]
		y := lan.Layer{Weights: make([]float64, in*out), Bias: make([]float64, out)}
		for r := range out {
			y.Bias[r] = float64(rest[in*out+r])
			for c := range in {
				weight := float64(rest[c*out+r])
				if i == 0 {
					y.Bias[r] -= weight * l.middle[c] / l.half[c]
					weight /= l.half[c]
				}
				y.Weights[r*in+c] = float64(float32(weight))
			}
			y.Bias[r] = float64(float32(y.Bias[r]))
		}
		layers, rest = append(layers, y), rest[(in+1)*out:]
	}
	var names []string
	var lower, upper []float64
	for _, p := range l.frame.Model.Params {
		names, lower, upper = append(names, p.Name), append(lower, p.Lower), append(upper, p.Upper)
	}
	return lan.New(l.frame.Model.Name, names, lower, upper, Floor, layers)
}
