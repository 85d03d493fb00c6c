// Package frame lays the parameters of a process model out for networks.
package frame

import (
	"math"

	"likc/runtime/ssm"
)

// Frame is how a model's parameters enter networks. In every model of package ssm rt = t + τ and the law of τ and the choice
// does not depend on the non-decision time t, so networks are not given t, and see τ = rt - t. The others are scaled from
// their ranges to [-1, 1]. Networks describe the upper boundary: the lower one is the upper one of the reflected parameters.
type Frame struct {
	Model *ssm.Model
	Shift int // index of t

	boundary int // index of a, -1 if there is none
	start    int // index of z, -1 if there is none

	inputs       []int // indices of the others
	middle, half []float64
	sign         []float64 // of a parameter's change under reflection
}

// New returns the frame of a model.
func New(m *ssm.Model) *Frame {
	f := &Frame{Model: m, Shift: m.Index("t"), boundary: m.Index("a"), start: m.Index("z"), sign: make([]float64, m.Dim())}
	ones, zeros := make([]float64, m.Dim()), make([]float64, m.Dim())
	for i := range ones {
		ones[i] = 1
	}
	m.Reflect(ones, ones)
	m.Reflect(zeros, zeros)
	for i, p := range m.Params {
		f.sign[i] = ones[i] - zeros[i]
		if i != f.Shift {
			f.inputs = append(f.inputs, i)
			f.middle = append(f.middle, (p.Lower+p.Upper)/2)
			f.half = append(f.half, (p.Upper-p.Lower)/2)
		}
	}
	return f
}

// Outside is 0 where theta is in the model's domain (finite, a > 0, 0 < z < 1) and t before first, else the log density
// there of trials from first on: -Inf, or NaN if theta holds a NaN.
func (f *Frame) Outside(theta []float64, first float64) float64 {
	result := 0.0
	for i, x := range theta {
		switch {
		case math.IsNaN(x):
			return math.NaN()
		case math.IsInf(x, 0),
			i == f.boundary && x <= 0,
			i == f.start && (x <= 0 || x >= 1),
			i == f.Shift && first <= x:
			result = math.Inf(-1)
		}
	}
	return result
}

// Inputs is the number of inputs of a network.
func (f *Frame) Inputs() int { return len(f.inputs) }

// Fill sets dst, of length Inputs, to the inputs at theta.
func (f *Frame) Fill(dst, theta []float64) {
	for i, at := range f.inputs {
		dst[i] = (theta[at] - f.middle[i]) / f.half[i]
	}
}

// AddGradient adds to grad, over the parameters, the derivatives dx in the inputs that Fill made of theta, or of its
// reflection.
func (f *Frame) AddGradient(grad, dx []float64, reflected bool) {
	for i, at := range f.inputs {
		d := dx[i] / f.half[i]
		if reflected {
			d *= f.sign[at]
		}
		grad[at] += d
	}
}
