// Package classify evaluates the choice classifier of a neural likelihood: the probability of each choice given θ, by a small network.
package classify

import (
	"likc/runtime/model/neural/frame"
	"likc/runtime/model/neural/network"
)

// Classifier gives each choice a probability proportional to exp h. Here h is the network's output for the choice's view: the parameters,
// transformed so that the choice becomes the first one ([frame.Frame.View]). So the probabilities sum to 1. For two boundaries,
// P(c = +1 | θ) = 1 - P(c = +1 | ςθ), where ς is the reflection that swaps the boundaries. The probabilities do not depend on the
// non-decision time, as in every model of package ssm.
//
// The results are logits: for each choice except the last, h minus that of the last choice. So a process of two boundaries has one logit.
type Classifier struct {
	frame   *frame.Frame    // maps parameters to inputs of the network
	net     *network.Double // computes h
	choices int             // number of choices
}

// New returns a classifier. n computes h: it has the frame's inputs and one output.
func New(f *frame.Frame, n *network.Network) *Classifier {
	return &Classifier{f, n.Double(), len(f.Model.Choices)}
}

// Logits returns the number of logits of a parameter vector: the number of choices minus one.
func (c *Classifier) Logits() int { return c.choices - 1 }

// Trace is the working memory of one evaluation. Each goroutine needs its own.
type Trace struct {
	trace     *network.Trace // memory of the network, with a pass for each choice and parameter vector
	logits    []float64      // the logits of the last evaluation
	view      []float64      // the parameters, transformed for one choice
	x, dx, dy []float64      // inputs of the network, and derivatives with respect to its inputs and outputs
}

// NewTrace returns the memory for evaluations of at most `most` parameter vectors.
func (c *Classifier) NewTrace(most int) *Trace {
	n := c.choices * most * c.frame.Inputs()
	return &Trace{trace: c.net.NewTrace(c.choices * most), logits: make([]float64, c.Logits()*most), view: make([]float64, c.frame.Model.Dim()),
		x: make([]float64, n), dx: make([]float64, n), dy: make([]float64, c.choices*most)}
}

// LogProbabilities returns log P(c = +1 | theta) and log P(c = -1 | theta), for two boundaries.
func (c *Classifier) LogProbabilities(t *Trace, theta []float64) (upper, lower float64) {
	upper, lower, _ = LogProbabilities(c.At(t, theta)[0])
	return upper, lower
}

// AddGradient adds the gradient of nUpper·log P(c = +1 | theta) + nLower·log P(c = -1 | theta) to grad. theta is that of the last call of
// LogProbabilities with t.
func (c *Classifier) AddGradient(t *Trace, nUpper, nLower float64, grad []float64) {
	slope := [1]float64{LogitSlope(t.logits[0], nUpper, nLower)}
	c.AddLogits(t, slope[:], grad)
}

// At returns the logits of each parameter vector in theta, before probabilities are clipped. theta holds one vector after the other.
// The next use of t overwrites the logits.
func (c *Classifier) At(t *Trace, theta []float64) []float64 {
	inputs, dim, each := c.frame.Inputs(), c.frame.Model.Dim(), c.choices
	n := len(theta) / dim
	for k := range n {
		for j := range each {
			c.frame.View(t.view, theta[k*dim:(k+1)*dim], j)
			c.frame.Fill(t.x[(k*each+j)*inputs:(k*each+j+1)*inputs], t.view, j)
		}
	}
	h := c.net.Forward(t.trace, t.x[:n*each*inputs])
	for k := range n {
		last := h[(k+1)*each-1]
		for j := range each - 1 {
			t.logits[k*(each-1)+j] = h[k*each+j] - last
		}
	}
	return t.logits[:n*(each-1)]
}

// AddLogits adds the gradients of the logits, each multiplied by its number in slopes, to grad. The logits are those of the last call of
// At with t, and grad is as long as its theta.
func (c *Classifier) AddLogits(t *Trace, slopes, grad []float64) {
	inputs, dim, each := c.frame.Inputs(), c.frame.Model.Dim(), c.choices
	n := len(slopes) / (each - 1)
	for k := range n {
		sum := 0.0
		for j, s := range slopes[k*(each-1) : (k+1)*(each-1)] {
			t.dy[k*each+j] = s
			sum += s
		}
		t.dy[(k+1)*each-1] = -sum
	}
	c.net.Backward(t.trace, t.dy[:n*each], t.dx)
	for k := range n {
		for j := each - 1; j >= 0; j-- {
			c.frame.AddGradient(grad[k*dim:(k+1)*dim], t.dx[(k*each+j)*inputs:(k*each+j+1)*inputs], j)
		}
	}
}
