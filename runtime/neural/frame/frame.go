// Package frame arranges the parameters of a process model as inputs of networks.
package frame

import (
	"math"
	"slices"

	"likc/runtime/ssm"
)

// Frame is how a model's parameters enter networks. A process begins at its onset t, one of its parameters: rt = t + τ, and
// the law of τ and the choice does not depend on t. So networks are not given t, and see τ = rt - t. The other parameters
// are scaled from their ranges to [-1, 1]. Networks describe the upper boundary: the lower one is the upper one of the
// reflected parameters.
type Frame struct {
	Model *ssm.Model

	onset        int   // index of the onset, -1 where there is none
	inputs       []int // indices of the other parameters
	middle, half []float64
	sign         []float64 // of a parameter's change under reflection
}

// New returns the frame of a model.
func New(m *ssm.Model) *Frame {
	f := &Frame{Model: m, onset: m.OnsetIndex(), sign: make([]float64, m.Dim())}
	ones, zeros := make([]float64, m.Dim()), make([]float64, m.Dim())
	for i := range ones {
		ones[i] = 1
	}
	m.Reflect(ones, ones)
	m.Reflect(zeros, zeros)
	for i, p := range m.Params {
		f.sign[i] = ones[i] - zeros[i]
		if i != f.onset {
			f.inputs = append(f.inputs, i)
			f.middle = append(f.middle, (p.Lower+p.Upper)/2)
			f.half = append(f.half, (p.Upper-p.Lower)/2)
		}
	}
	return f
}

// Outside is 0 where theta is in the model's domain and its onset before first, else the log density there of trials from
// first on: -Inf, or NaN if theta holds a NaN.
func (f *Frame) Outside(theta []float64, first float64) float64 {
	result := 0.0
	for i, x := range theta {
		switch {
		case math.IsNaN(x):
			return math.NaN()
		case !f.Model.Params[i].Domain.Has(x), i == f.onset && first <= x:
			result = math.Inf(-1)
		}
	}
	return result
}

// Onset is the onset at theta, in seconds; 0 for a process without one.
func (f *Frame) Onset(theta []float64) float64 {
	if f.onset < 0 {
		return 0
	}
	return theta[f.onset]
}

// AddOnset adds to grad, over the parameters, a derivative in the onset.
func (f *Frame) AddOnset(grad []float64, d float64) {
	if f.onset >= 0 {
		grad[f.onset] += d
	}
}

// Inputs is the number of inputs of a network.
func (f *Frame) Inputs() int { return len(f.inputs) }

// Half is half the width of the range of a parameter that enters networks: the unit of its input.
func (f *Frame) Half(param int) float64 {
	return f.half[slices.Index(f.inputs, param)]
}

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
