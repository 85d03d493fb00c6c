package sbc

import (
	"math"

	"likc/runtime/model/kernel"
)

// Normalised is the likelihood of n trials under a density divided by its integral Z. It is used by one goroutine.
type Normalised struct {
	f, z   kernel.Sum
	n      float64
	slopes []float64
}

// Normalise takes Σ f over the trials, and the function whose value at theta is the integral Z itself, not its log.
func Normalise(f, z kernel.Sum, n int) *Normalised {
	return &Normalised{f, z, float64(n), make([]float64, f.Dim())}
}

// Dim is the number of parameters.
func (l *Normalised) Dim() int { return l.f.Dim() }

// LogLik is Σ f - n log Z.
func (l *Normalised) LogLik(theta []float64) float64 {
	return l.f.LogLik(theta) - l.n*math.Log(l.z.LogLik(theta))
}

// LogLikGrad is LogLik and its gradient, zero where the value is -Inf.
func (l *Normalised) LogLikGrad(theta, grad []float64) float64 {
	value := l.f.LogLikGrad(theta, grad)
	if math.IsInf(value, -1) {
		return value
	}
	z := l.z.LogLikGrad(theta, l.slopes)
	for i, slope := range l.slopes {
		grad[i] -= l.n * slope / z
	}
	return value - l.n*math.Log(z)
}
