package flow

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"likc/runtime/model/kernel"
	"likc/runtime/model/neural/classify"
	"likc/runtime/model/neural/frame"
	"likc/runtime/model/neural/network"
	"likc/runtime/model/ssm"
)

// Teacher is the paper's neural likelihood: log p(rt, c | θ) = log p(rt | θ, c) + log P(c | θ), from a flow and a classifier. It is called
// a teacher because the search for formulas learns from it. It never changes and is safe for concurrent use.
type Teacher struct {
	*Flow
	class  *classify.Classifier
	choice *network.Network // the classifier's network
	traces sync.Pool        // holds *classify.Trace
}

// NewTeacher joins a flow and a classifier's network.
func NewTeacher(f *Flow, choice *network.Network) (*Teacher, error) {
	if choice.Inputs() != f.Frame.Inputs() || choice.Outputs() != 1 {
		return nil, fmt.Errorf("flow: a choice network of %d inputs and %d outputs, want %d and 1", choice.Inputs(), choice.Outputs(), f.Frame.Inputs())
	}
	t := &Teacher{Flow: f, class: classify.New(f.Frame, choice), choice: choice}
	t.traces.New = func() any { return t.class.NewTrace(1) }
	return t, nil
}

// LogDensity sets dst to log p(rt, choice | θ). theta[i] belongs to trial i, rt is in seconds, choice is +1 or -1. The result is
// -Inf if rt or theta is outside the support, and NaN if theta contains a NaN.
func (t *Teacher) LogDensity(dst []float64, theta [][]float64, rt, choice []float64) {
	t.Flow.LogDensity(dst, theta, rt, choice)
	trace := t.traces.Get().(*classify.Trace)
	defer t.traces.Put(trace)
	var upper, lower float64
	known := false // whether upper and lower are known for the previous trial's parameters
	for i := range dst {
		if math.IsInf(dst[i], 0) || math.IsNaN(dst[i]) {
			known = false
			continue
		}
		if !known || !slices.Equal(theta[i], theta[i-1]) {
			upper, lower = t.class.LogProbabilities(trace, theta[i])
			known = true
		}
		if choice[i] > 0 {
			dst[i] = finite(dst[i] + upper)
		} else {
			dst[i] = finite(dst[i] + lower)
		}
	}
}

// Dim returns the number of parameters.
func (t *Teacher) Dim() int { return t.Frame.Model.Dim() }

// Sum binds trials for a sampler: rt in seconds, choice +1 or -1. It returns an error for columns of different lengths, an rt that
// is not positive and finite, or another choice. The error names the first such trial, counted from 1.
func (t *Teacher) Sum(of kernel.Trials) (kernel.Sum, error) {
	b, err := t.Flow.Bind(of.Columns[0], of.Choice)
	if err != nil {
		return nil, err
	}
	b.teacher = t
	return b, nil
}

// addChoices adds the log probabilities of choices, and their gradient unless grad is nil.
func (b *Bound) addChoices(theta, grad []float64, value float64) float64 {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return value
	}
	trace := b.teacher.traces.Get().(*classify.Trace)
	defer b.teacher.traces.Put(trace)
	nLower, nUpper := float64(len(b.sides[0])), float64(len(b.sides[1]))
	upper, lower := b.teacher.class.LogProbabilities(trace, theta)
	if grad != nil {
		b.teacher.class.AddGradient(trace, nUpper, nLower, grad)
	}
	return finite(value + nUpper*upper + nLower*lower)
}

// head is the number of bytes before the networks in a teacher's file: centre, scale, steps and the size of the flow's network.
const head = 4 * 8

// Write encodes a teacher as little-endian bytes: centre and scale (doubles), steps, size of the flow's network, that network, and
// the classifier's network.
func Write(centre, scale float64, steps int, net, choice *network.Network) ([]byte, error) {
	first, err := net.MarshalBinary()
	if err != nil {
		return nil, err
	}
	second, err := choice.MarshalBinary()
	if err != nil {
		return nil, err
	}
	data := binary.LittleEndian.AppendUint64(nil, math.Float64bits(centre))
	data = binary.LittleEndian.AppendUint64(data, math.Float64bits(scale))
	data = binary.LittleEndian.AppendUint64(data, uint64(steps))
	data = binary.LittleEndian.AppendUint64(data, uint64(len(first)))
	return append(append(data, first...), second...), nil
}

// Read decodes the bytes that Write made, for the model m.
func Read(m *ssm.Model, data []byte) (*Teacher, error) {
	if len(data) < head {
		return nil, errors.New("flow: cut short")
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(data[8*i:]) }
	if word(3) > uint64(len(data)-head) || word(2) > MaxSteps {
		return nil, errors.New("flow: cut short, or not a flow")
	}
	var net, choice network.Network
	if err := net.UnmarshalBinary(data[head : head+word(3)]); err != nil {
		return nil, fmt.Errorf("flow: velocity: %w", err)
	}
	if err := choice.UnmarshalBinary(data[head+word(3):]); err != nil {
		return nil, fmt.Errorf("flow: choice: %w", err)
	}
	f, err := New(frame.New(m), math.Float64frombits(word(0)), math.Float64frombits(word(1)), int(word(2)), &net)
	if err != nil {
		return nil, err
	}
	return NewTeacher(f, &choice)
}
