// Package classify evaluates the choice classifier of a neural likelihood: P(c = +1 | θ), by a small network.
package classify

import (
	"math"

	"likc/runtime/neural/frame"
	"likc/runtime/neural/network"
	"likc/runtime/vec"
)

// Clip is how close to 0 and 1 probabilities may come (the paper, "Training data hygiene").
const Clip = 1e-6

// Classifier is P(c = +1 | θ) = σ(h(θ) - h(ςθ)), with ς the reflection: so it is 1 - P(c = +1 | ςθ), and the two choices'
// probabilities sum to 1. It does not depend on the non-decision time, as in every model of package ssm.
type Classifier struct {
	frame *frame.Frame
	net   *network.Double
}

// New returns the classifier whose h is a network of the frame's inputs and one output.
func New(f *frame.Frame, n *network.Network) *Classifier { return &Classifier{f, n.Double()} }

// Trace is the memory of one evaluation: one a goroutine.
type Trace struct {
	trace     *network.Trace // of two passes a parameter vector: at theta and at its reflection
	logits    []float64
	reflected []float64
	x, dx, dy []float64
}

// NewTrace returns the memory of evaluations of up to so many parameter vectors.
func (c *Classifier) NewTrace(most int) *Trace {
	n := 2 * most * c.frame.Inputs()
	return &Trace{trace: c.net.NewTrace(2 * most), logits: make([]float64, most), reflected: make([]float64, c.frame.Model.Dim()),
		x: make([]float64, n), dx: make([]float64, n), dy: make([]float64, 2*most)}
}

// LogProbabilities returns log P(c = +1 | theta) and log P(c = -1 | theta).
func (c *Classifier) LogProbabilities(t *Trace, theta []float64) (upper, lower float64) {
	upper, lower, _ = LogProbabilities(c.Logits(t, theta)[0])
	return upper, lower
}

// AddGradient adds to grad the gradient of nUpper·log P(c = +1 | theta) + nLower·log P(c = -1 | theta) where t was last used: it comes
// after LogProbabilities.
func (c *Classifier) AddGradient(t *Trace, nUpper, nLower float64, grad []float64) {
	slope := [1]float64{LogitSlope(t.logits[0], nUpper, nLower)}
	c.AddLogits(t, slope[:], grad)
}

// LogitSlope is the derivative of nUpper·log P(c = +1) + nLower·log P(c = -1) in the logit; 0 where they are clipped.
func LogitSlope(logit, nUpper, nLower float64) float64 {
	if math.Abs(logit) >= mostLogit {
		return 0
	}
	p := 1 / (1 + math.Exp(-logit))
	return nUpper*(1-p) - nLower*p
}

// Logits returns, for each parameter vector of theta, one after the other, the logarithm of the ratio of P(c = +1 | theta) to
// P(c = -1 | theta), before it is clipped. The next use of t overwrites them.
func (c *Classifier) Logits(t *Trace, theta []float64) []float64 {
	inputs, dim := c.frame.Inputs(), c.frame.Model.Dim()
	n := len(theta) / dim
	for k := range n {
		x, at := t.x[2*k*inputs:], theta[k*dim:(k+1)*dim]
		c.frame.Fill(x, at)
		c.frame.Model.Reflect(t.reflected, at)
		c.frame.Fill(x[inputs:], t.reflected)
	}
	h := c.net.Forward(t.trace, t.x[:2*n*inputs])
	for k := range n {
		t.logits[k] = h[2*k] - h[2*k+1]
	}
	return t.logits[:n]
}

// AddLogits adds to grad, as long as the theta with which t was last used, the gradients of the logits, times slopes.
func (c *Classifier) AddLogits(t *Trace, slopes, grad []float64) {
	inputs, dim := c.frame.Inputs(), c.frame.Model.Dim()
	for k, s := range slopes {
		t.dy[2*k], t.dy[2*k+1] = s, -s
	}
	c.net.Backward(t.trace, t.dy[:2*len(slopes)], t.dx)
	for k := range slopes {
		dx, g := t.dx[2*k*inputs:], grad[k*dim:(k+1)*dim]
		c.frame.AddGradient(g, dx[inputs:2*inputs], true)
		c.frame.AddGradient(g, dx[:inputs], false)
	}
}

// mostLogit is the logit at which a probability comes as close to 1 as it may.
var mostLogit = math.Log((1 - Clip) / Clip)

// LogProbabilities returns log P(c = +1) and log P(c = -1) at a logit, and whether they were clipped.
func LogProbabilities(logit float64) (upper, lower float64, clipped bool) {
	size := math.Abs(logit)
	if size >= mostLogit {
		clipped, size = true, mostLogit
	}
	likely := -math.Log1p(math.Exp(-size))
	if logit > 0 {
		return likely, likely - size, clipped
	}
	return likely - size, likely, clipped
}

// EachLogProbability sets logs to the log probabilities of a choice at logits, and slopes to their derivatives in the logits.
func EachLogProbability(logs, slopes, logits []float64, upper bool) {
	for k, logit := range logits {
		slopes[k] = -min(math.Abs(logit), mostLogit)
	}
	vec.Exp(slopes, slopes)
	vec.Log1p(logs, slopes)
	for k, logit := range logits {
		e := slopes[k]
		unlikely := 1 / (1 + e)
		switch {
		case (logit > 0) == upper:
			logs[k], slopes[k] = -logs[k], e*unlikely
		default:
			logs[k], slopes[k] = -logs[k]-min(math.Abs(logit), mostLogit), unlikely
		}
		if !upper {
			slopes[k] = -slopes[k]
		}
		if math.Abs(logit) >= mostLogit {
			slopes[k] = 0
		}
	}
}
