package spline

import (
	"math"
	"math/rand/v2"
	"slices"

	"likc/runtime/model/neural/frame"
	"likc/runtime/model/neural/network"
	"likc/runtime/model/neural/spline"
	"likc/search/teach/backprop"
	"likc/search/teach/corpus"
)

// learner trains the network that shapes the spline, by maximum likelihood. A training item holds the trials of one subject with one
// choice, and the network inputs for that choice.
type learner struct {
	net               *network.Network
	train, validation []item
	shards            *backprop.Shards
	spaces            []*threadSpace
}

type item struct {
	x   []float32 // the network's inputs
	tau []float64 // decision times rt - t, in seconds, ascending
}

// threadSpace is the working memory of one thread.
type threadSpace struct {
	work  *backprop.Workspace
	x     []float32     // the network's inputs, [items][inputs]
	dy    []float32     // derivatives of the loss in the network's outputs, [items][outputs]
	out   []float64     // the outputs for one item, and later the derivatives in them
	curve *spline.Curve // the density that those outputs shape
	sums  *spline.Sums  // an item's sums, from which curve computes the derivatives
}

// shardRows is the number of items in a shard of a batch.
const shardRows = 32

func newLearner(c *corpus.Corpus, n *network.Network, bins, threads int) *learner {
	l := &learner{net: n, train: items(c.Frame, c.Train), validation: items(c.Frame, c.Validation)}
	l.shards = backprop.NewShards(len(n.Weights), shardRows, threads)
	for range l.shards.Threads {
		l.spaces = append(l.spaces, &threadSpace{
			backprop.NewWorkspace(n, shardRows), make([]float32, shardRows*n.Inputs()), make([]float32, shardRows*n.Outputs()),
			make([]float64, n.Outputs()), spline.NewCurve(bins), spline.NewSums(bins),
		})
	}
	return l
}

func items(f *frame.Frame, subjects []corpus.Subject) []item {
	var all []item
	theta, x := make([]float64, f.Model.Dim()), make([]float64, f.Inputs())
	for _, s := range subjects {
		for k, rt := range s.RT {
			if len(rt) > 0 {
				f.View(theta, s.Theta, k)
				f.Fill(x, theta, k)
				all = append(all, newItem(x, rt, f.Onset(theta)))
			}
		}
	}
	return all
}

func newItem(x, rt []float64, t float64) item {
	i := item{tau: make([]float64, len(rt))}
	for _, v := range x {
		i.x = append(i.x, float32(v))
	}
	for k, v := range rt {
		i.tau[k] = v - t
	}
	slices.Sort(i.tau)
	return i
}

// setBiases sets the output biases so that training begins with standardised log decision times and with the identity as the spline.
func (l *learner) setBiases() {
	var n, sum, square float64
	for _, i := range l.train {
		for _, tau := range i.tau {
			x := math.Log(tau)
			n, sum, square = n+1, sum+x, square+x*x
		}
	}
	mean := sum / n
	bias := l.net.OutputBias()
	bias[0], bias[1] = float32(mean), float32(math.Log(math.Sqrt(square/n-mean*mean)+0.1))
}

// Items returns the number of training items.
func (l *learner) Items() int { return len(l.train) }

// Weights returns the network's weights, which training changes.
func (l *learner) Weights() []float32 { return l.net.Weights }

// Gradient overwrites grad with the gradient of the mean negative log density of a trial in the batch.
func (l *learner) Gradient(batch []int, _ *rand.Rand, grad []float32) float64 {
	trials := 0
	for _, i := range batch {
		trials += len(l.train[i].tau)
	}
	scale := 1 / float64(trials)
	return scale * l.shards.Gradient(len(batch), grad, func(thread, first, last int, grad []float32) float64 {
		return l.shard(l.spaces[thread], batch[first:last], scale, grad)
	})
}

// shard returns the negative log density summed over the batch's trials. It overwrites grad with the gradient of `scale` times that
// sum.
func (l *learner) shard(w *threadSpace, batch []int, scale float64, grad []float32) float64 {
	inputs, width := l.net.Inputs(), l.net.Outputs()
	for k, i := range batch {
		copy(w.x[k*inputs:], l.train[i].x)
	}
	y := w.work.Forward(w.x[:len(batch)*inputs])
	loss := 0.0
	for k, i := range batch {
		w.shape(y[k*width : (k+1)*width])
		w.sums.Clear()
		value, _ := w.curve.Add(w.sums, l.train[i].tau, 0)
		loss -= value
		w.curve.Back(w.sums, w.out)
		for j, d := range w.out {
			w.dy[k*width+j] = float32(-scale * d)
		}
	}
	w.work.Backward(w.dy[:len(batch)*width], grad, nil)
	return loss
}

// shape makes w.curve the density that the network's outputs y describe.
func (w *threadSpace) shape(y []float32) {
	for j, v := range y {
		w.out[j] = float64(v)
	}
	w.curve.Set(w.out)
}

// Validate returns the mean negative log density of a validation trial.
func (l *learner) Validate() float64 {
	w := l.spaces[0]
	loss, trials := 0.0, 0
	for _, i := range l.validation {
		w.shape(w.work.Forward(i.x))
		loss -= w.curve.Sum(i.tau, 0)
		trials += len(i.tau)
	}
	return loss / float64(trials)
}
