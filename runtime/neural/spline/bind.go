package spline

import (
	"math"

	"likc/runtime/likelihood"
	"likc/runtime/neural/frame"
)

// bound is the log-likelihood of a dataset.
type bound struct {
	*Spline
	upper, lower []float64 // rt, ascending
}

// Bind binds trials: rt in seconds, choice +1 or -1. It refuses columns of different lengths, an rt that is not positive and
// finite, and other choices, naming the first such trial (counted from 1). An evaluation does not allocate once every
// goroutine has made one.
func (s *Spline) Bind(rt, choice []float64) (likelihood.Likelihood, error) {
	sides, err := frame.Sides(rt, choice, math.MaxFloat64)
	if err != nil {
		return nil, err
	}
	return &bound{Spline: s, lower: sides[0], upper: sides[1]}, nil
}

// Dim is the number of parameters.
func (b *bound) Dim() int { return b.frame.Model.Dim() }

// LogLik is the log density summed over trials: -Inf outside the support and where numbers leave their range, as at decision
// times below 1e-30 s and parameters far outside those that trained; NaN if theta holds a NaN.
func (b *bound) LogLik(theta []float64) float64 { return b.evaluate(theta, nil) }

// LogLikGrad is LogLik, and overwrites grad with the gradient: zeros outside the support.
func (b *bound) LogLikGrad(theta, grad []float64) float64 {
	clear(grad)
	value := b.evaluate(theta, grad)
	if math.IsInf(value, 0) || math.IsNaN(value) {
		clear(grad)
	}
	return value
}

func (b *bound) first() float64 {
	first := math.Inf(1)
	if len(b.upper) > 0 {
		first = b.upper[0]
	}
	if len(b.lower) > 0 {
		first = min(first, b.lower[0])
	}
	return first
}

// evaluate sums over both boundaries; a nil grad is not added to.
func (b *bound) evaluate(theta, grad []float64) float64 {
	if out := b.frame.Outside(theta, b.first()); out != 0 {
		return out
	}
	w := b.take()
	defer b.give(w)
	nUpper, nLower := float64(len(b.upper)), float64(len(b.lower))
	upper, lower := b.class.LogProbabilities(w.class, theta)
	total := nUpper*upper + nLower*lower
	if grad != nil {
		b.class.AddGradient(w.class, nUpper, nLower, grad)
	}
	total += b.side(w, theta, grad, b.upper, true)
	total += b.side(w, theta, grad, b.lower, false)
	if !(total < math.Inf(1)) {
		return math.Inf(-1) // the networks overflow
	}
	return total
}

// side sums over the trials of a boundary.
func (b *bound) side(w *space, theta, grad, rt []float64, upper bool) float64 {
	if len(rt) == 0 {
		return 0
	}
	b.shapeAt(w, theta, upper)
	t := b.frame.Onset(theta)
	if !w.curve.holds(rt[0]-t, rt[len(rt)-1]-t) {
		return math.Inf(-1)
	}
	if grad == nil {
		return w.curve.Sum(rt, t)
	}
	w.sums.Clear()
	value, dTau := w.curve.Add(w.sums, rt, t)
	b.frame.AddOnset(grad, -dTau)
	w.curve.Back(w.sums, w.dy)
	b.shape.Backward(w.trace, w.dy, w.dx)
	b.frame.AddGradient(grad, w.dx, !upper)
	return value
}
