// Package classify evaluates the choice classifier of a neural likelihood: P(c = +1 | θ), by a small network.
package classify

import (
	"math"

	"likc/runtime/neural/frame"
	"likc/runtime/neural/network"
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
	trace, mirror *network.Trace // of the passes at theta and at its reflection
	logit         float64
	reflected     []float64
	x, dx         []float64
}

// NewTrace returns the memory of an evaluation.
func (c *Classifier) NewTrace() *Trace {
	n := c.frame.Inputs()
	return &Trace{trace: c.net.NewTrace(), mirror: c.net.NewTrace(), reflected: make([]float64, c.frame.Model.Dim()), x: make([]float64, n), dx: make([]float64, n)}
}

// LogProbabilities returns log P(c = +1 | theta) and log P(c = -1 | theta).
func (c *Classifier) LogProbabilities(t *Trace, theta []float64) (upper, lower float64) {
	upper, lower, _ = LogProbabilities(c.Logit(t, theta))
	return upper, lower
}

// AddGradient adds to grad the gradient of nUpper·log P(c = +1 | theta) + nLower·log P(c = -1 | theta) where t was last used: it comes
// after LogProbabilities.
func (c *Classifier) AddGradient(t *Trace, nUpper, nLower float64, grad []float64) {
	_, _, clipped := LogProbabilities(t.logit)
	if clipped {
		return
	}
	p := 1 / (1 + math.Exp(-t.logit))
	c.AddLogit(t, nUpper*(1-p)-nLower*p, grad)
}

// AddLogit adds to grad the gradient of the logit, times slope, where t was last used.
func (c *Classifier) AddLogit(t *Trace, slope float64, grad []float64) {
	var dy [1]float64
	dy[0] = -slope
	c.net.Backward(t.mirror, dy[:], t.dx)
	c.frame.AddGradient(grad, t.dx, true)
	dy[0] = slope
	c.net.Backward(t.trace, dy[:], t.dx)
	c.frame.AddGradient(grad, t.dx, false)
}

// Logit is the logarithm of the ratio of P(c = +1 | theta) to P(c = -1 | theta), before it is clipped.
func (c *Classifier) Logit(t *Trace, theta []float64) float64 {
	c.frame.Fill(t.x, theta)
	h := c.net.Forward(t.trace, t.x)[0]
	c.frame.Model.Reflect(t.reflected, theta)
	c.frame.Fill(t.x, t.reflected)
	t.logit = h - c.net.Forward(t.mirror, t.x)[0]
	return t.logit
}

// LogProbabilities returns log P(c = +1) and log P(c = -1) at a logit, and whether they were clipped.
func LogProbabilities(logit float64) (upper, lower float64, clipped bool) {
	most := math.Log((1 - Clip) / Clip)
	if math.Abs(logit) >= most {
		clipped, logit = true, math.Copysign(most, logit)
	}
	return -math.Log1p(math.Exp(-logit)), -math.Log1p(math.Exp(logit)), clipped
}
