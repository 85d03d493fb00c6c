// Package frame arranges the parameters of a process model as inputs of networks.
package frame

import (
	"math"
	"slices"

	"likc/runtime/model/ssm"
)

// Frame is how a model's parameters enter networks. A process begins at its onset t, one of its parameters: rt = t + τ, and
// the law of τ and the choice does not depend on t. So networks are not given t, and see τ = rt - t. The other parameters
// are scaled from their ranges to [-1, 1]. Networks describe the first choice. Any other is the first one from another point of view: of
// two boundaries, the lower one is the upper one of the reflected parameters, and in a race, accumulator k is the first one if they are
// counted from k on. Where choices are not alike in this way ([ssm.Model.Alike]), every choice sees the parameters as they are, and networks
// are given the choice too: one more input each, 1 for the choice that is described and 0 for the others.
//
// Where the onset of a trial is uniform on t ± w/2, with a parameter w, the frame's onset is the earliest of them, t - w/2. Networks are
// given w.
type Frame struct {
	Model *ssm.Model

	onset        int   // index of the parameter for the onset, -1 if there is none
	width        int   // index of w, -1 where all trials have one onset
	inputs       []int // indices of the parameters but t
	middle, half []float64
	views        []view // the view of each choice
	choices      int    // inputs that say which choice is described; 0 where choices are alike
}

// view is the parameters as one choice sees them: offset + sign·theta[place], of which sign is 1 or -1.
type view struct {
	place        []int
	sign, offset []float64
}

// New returns the frame of a model.
func New(m *ssm.Model) *Frame {
	f := &Frame{Model: m, onset: m.ShiftIndex(), width: m.Index(m.Onsets.Width)}
	if !m.Alike() {
		f.choices = len(m.Choices)
	}
	for k := range m.Choices {
		f.views = append(f.views, newView(m, k))
	}
	for i, p := range m.Params {
		if i != f.onset {
			f.inputs = append(f.inputs, i)
			f.middle = append(f.middle, (p.Lower+p.Upper)/2)
			f.half = append(f.half, (p.Upper-p.Lower)/2)
		}
	}
	return f
}

// newView returns how choice number k sees the parameters.
func newView(m *ssm.Model, k int) view {
	v := view{m.Rotation(k), make([]float64, m.Dim()), make([]float64, m.Dim())}
	for i := range v.sign {
		v.sign[i] = 1
	}
	if k == 0 || m.Numbered() || !m.Alike() {
		return v
	}
	m.Reflect(v.offset, v.offset)
	m.Reflect(v.sign, v.sign)
	for i, zero := range v.offset {
		v.sign[i] -= zero
	}
	return v
}

// View sets dst to the parameters as choice number k sees them: where choices are alike, those under which the first choice is as likely at
// every rt as choice k is under theta.
func (f *Frame) View(dst, theta []float64, k int) {
	v := &f.views[k]
	for i, at := range v.place {
		dst[i] = v.offset[i] + v.sign[i]*theta[at]
	}
}

// Outside returns 0 where theta is in the model's domain and its onset before first, else the log density there of trials from first on:
// -Inf, or NaN if theta holds a NaN.
func (f *Frame) Outside(theta []float64, first float64) float64 {
	result := 0.0
	for i, x := range theta {
		switch {
		case math.IsNaN(x):
			return math.NaN()
		case !f.Model.Params[i].Domain.Has(x):
			result = math.Inf(-1)
		}
	}
	if f.onset >= 0 && first <= f.Onset(theta) {
		return math.Inf(-1)
	}
	return result
}

// Onset returns the onset at theta, in seconds; 0 for a process without one.
func (f *Frame) Onset(theta []float64) float64 {
	switch {
	case f.onset < 0:
		return 0
	case f.width < 0:
		return theta[f.onset]
	}
	return theta[f.onset] - theta[f.width]/2
}

// AddOnset adds to grad, over the parameters, a derivative in the onset.
func (f *Frame) AddOnset(grad []float64, d float64) {
	if f.onset >= 0 {
		grad[f.onset] += d
	}
	if f.width >= 0 {
		grad[f.width] -= d / 2
	}
}

// Inputs returns the number of inputs of a network.
func (f *Frame) Inputs() int { return len(f.inputs) + f.choices }

// Half returns half the width of the range of a parameter that enters networks: the unit of its input.
func (f *Frame) Half(param int) float64 {
	return f.half[slices.Index(f.inputs, param)]
}

// Fill sets dst, of length Inputs, to the inputs for choice number k, which sees the parameters as theta.
func (f *Frame) Fill(dst, theta []float64, k int) {
	for i, at := range f.inputs {
		dst[i] = (theta[at] - f.middle[i]) / f.half[i]
	}
	if f.choices > 0 {
		clear(dst[len(f.inputs):])
		dst[len(f.inputs)+k] = 1
	}
}

// AddGradient adds to grad the derivatives by the parameters. dx has those by the inputs that Fill made of the parameters for choice
// number k.
func (f *Frame) AddGradient(grad, dx []float64, k int) {
	v := &f.views[k]
	for i, at := range f.inputs {
		grad[v.place[at]] += dx[i] / f.half[i] * v.sign[at]
	}
}
