package spline

import (
	"fmt"
	"math"
	"slices"

	"likc/runtime/likelihood"
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
	if len(rt) != len(choice) {
		return nil, fmt.Errorf("bind trials: %d response times but %d choices", len(rt), len(choice))
	}
	b := &bound{Spline: s}
	for i, x := range rt {
		if !(x > 0) || math.IsInf(x, 1) {
			return nil, fmt.Errorf("trial %d: rt %v is not positive and finite", i+1, x)
		}
		switch choice[i] {
		case 1:
			b.upper = append(b.upper, x)
		case -1:
			b.lower = append(b.lower, x)
		default:
			return nil, fmt.Errorf("trial %d: choice %v is neither 1 nor -1", i+1, choice[i])
		}
	}
	slices.Sort(b.upper)
	slices.Sort(b.lower)
	return b, nil
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
		b.class.AddGradient(w.class, theta, nUpper, nLower, grad)
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
