package omission

import (
	"math"
	"slices"

	"likc/compiler/expr"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/trials"
)

// agreement is the largest difference between a closed log survival and the integral of the density, at the points where both are
// compared.
const agreement = 1e-8

// raceSurvival returns the log survival function of a race with independent accumulators, as a kernel without choice. It tries
// the candidates of [expr.Model.Survivors], and returns the first that agrees with c, the integral of the density, at points
// all over the ranges; else nil.
func (c *Censored) raceSurvival() kernel.Kernel {
	m, ok := c.model.Expression()
	if !ok || c.silent != 0 || m.Normalise || m.Binding != nil || m.Lapse != nil {
		return nil
	}
	for _, survivor := range m.Survivors() {
		of := &expr.Model{Name: m.Name, Trials: m.Trials, Positive: m.Positive, Zero: m.Zero, Params: m.Params, Support: m.Support, LogLik: survivor}
		p, err := bound.Open(catalog.OfExpression(of), bound.Tree)
		if err == nil && c.agrees(p) {
			return p
		}
	}
	return nil
}

// agrees compares a log survival function in closed form, and its gradient, with the integral of the density. It does so at some
// parameter vectors, for three deadlines after the onset.
func (c *Censored) agrees(closed kernel.Kernel) bool {
	compared := 0
	for _, theta := range bound.Spread(c.model, 8) {
		for _, after := range []float64{0.05, 0.4, 1.5} {
			deadline := c.onset(theta) + after
			want, slopes, err := logDensityAt(c, kernel.Responses([]float64{deadline}, []float64{trials.Omitted}), theta)
			if err != nil {
				return false
			}
			if !(want > -20) { // the integral has too few digits
				continue
			}
			got, closedSlopes, err := logDensityAt(closed, kernel.Responses([]float64{deadline}, nil), theta)
			if err != nil || !(math.Abs(got-want) <= agreement) {
				return false
			}
			for j := range slopes {
				if !(math.Abs(closedSlopes[j]-slopes[j]) <= 1e3*agreement*max(1, math.Abs(slopes[j]))) {
					return false
				}
			}
			compared++
		}
	}
	return compared >= 12
}

// logDensityAt returns the log density of one trial, and its gradient.
func logDensityAt(k kernel.Kernel, t kernel.Trials, theta []float64) (value float64, gradient []float64, err error) {
	rows, err := k.Rows(t)
	if err != nil {
		return 0, nil, err
	}
	var logp [1]float64
	gradient = make([]float64, len(theta))
	slopes := make([][]float64, len(theta))
	for j := range slopes {
		slopes[j] = gradient[j:][:1]
	}
	rows.Each(kernel.Fixed(slices.Clone(theta)), logp[:], slopes)
	return logp[0], gradient, nil
}
