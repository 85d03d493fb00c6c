// Package frame arranges the parameters of a process model as inputs of networks.
package frame

import (
	"math"
	"slices"

	"likc/runtime/model/ssm"
)

// Frame maps a model's parameters to the inputs of networks. A process begins at its onset t, one of its parameters: rt = t + τ, and the
// distribution of τ and the choice does not depend on t. So t is no input; networks get τ = rt - t. All other parameters are scaled from
// their ranges to [-1, 1].
//
// Networks describe the first choice. Every other choice is described by the same networks at transformed parameters, which are called
// the choice's view. With two boundaries, the lower one is described by the reflected parameters. In a race, accumulator k is described by
// the parameters counted from accumulator k on. If choices are not alike in this way ([ssm.Model.Alike]), parameters are not transformed.
// Instead networks have one more input for each choice: 1 for the choice that is described and 0 for all others.
//
// If the onset of a trial is uniform on t ± w/2, with a parameter w, the frame's onset is the earliest possible one, t - w/2, and w is an
// input.
type Frame struct {
	Model *ssm.Model

	onset        int       // index of the parameter for the onset, -1 if there is none
	width        int       // index of w; -1 if onsets do not vary
	inputs       []int     // indices of all parameters except t
	middle, half []float64 // middle and half the width of the range of each of these parameters
	views        []view    // the view of each choice
	choices      int       // number of inputs for the choice; 0 if choices are alike
}

// view transforms parameters for one choice: parameter i becomes offset[i] + sign[i]·theta[place[i]], where sign[i] is 1 or -1.
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

// newView returns the view of choice number k.
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

// View sets dst to the parameters for choice number k. If choices are alike, the first choice at dst has the same density as choice k at
// theta.
func (f *Frame) View(dst, theta []float64, k int) {
	v := &f.views[k]
	for i, at := range v.place {
		dst[i] = v.offset[i] + v.sign[i]*theta[at]
	}
}

// Outside returns 0 if theta is in the model's domain and its onset is before first, the earliest response time in seconds. Otherwise it
// returns the log density: -Inf, or NaN if theta contains a NaN.
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

// AddOnset converts d, a derivative with respect to the onset, to derivatives with respect to the parameters, and adds them to grad.
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

// Half returns half the width of the range of a parameter that is an input of networks. The input is the parameter's distance from the
// middle of the range, divided by this number.
func (f *Frame) Half(param int) float64 {
	return f.half[slices.Index(f.inputs, param)]
}

// Fill sets dst, of length Inputs, to the inputs for choice number k. theta holds the parameters that View returned for this choice.
func (f *Frame) Fill(dst, theta []float64, k int) {
	for i, at := range f.inputs {
		dst[i] = (theta[at] - f.middle[i]) / f.half[i]
	}
	if f.choices > 0 {
		clear(dst[len(f.inputs):])
		dst[len(f.inputs)+k] = 1
	}
}

// AddGradient applies the chain rule: dx holds derivatives with respect to the inputs for choice number k, and AddGradient adds the
// derivatives with respect to the parameters to grad.
func (f *Frame) AddGradient(grad, dx []float64, k int) {
	v := &f.views[k]
	for i, at := range f.inputs {
		grad[v.place[at]] += dx[i] / f.half[i] * v.sign[at]
	}
}

// Affine is an input of networks as a function of a parameter θ: (Offset + Sign·θ - Middle)/Half. Param is the parameter's index.
type Affine struct {
	Param                      int
	Sign, Offset, Middle, Half float64
}

// Affine returns the inputs that Fill computes of the parameters for choice number k. Further inputs mark the choice, if there are any.
func (f *Frame) Affine(k int) (all []Affine) {
	v := &f.views[k]
	for i, at := range f.inputs {
		all = append(all, Affine{v.place[at], v.sign[at], v.offset[at], f.middle[i], f.half[i]})
	}
	return all
}
