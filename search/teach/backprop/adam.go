package backprop

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Adam is the state of the optimiser Adam (Kingma, Ba. Adam: a method for stochastic optimization. ICLR 2015): exponentially
// decaying means of the gradient and of its square.
type Adam struct {
	Beta1, Beta2 float64 // the share of each mean that a step keeps: of the gradient, and of its square
	Epsilon      float64 // added to the root of the mean square, so that nothing is divided by zero

	steps         uint64
	first, second []float32 // the means of the gradient and of its square (the paper's m and v), one number per weight
}

// NewAdam returns the state for a number of weights, with the usual β₁ = 0.9, β₂ = 0.999, ε = 1e-8.
func NewAdam(weights int) *Adam {
	return &Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, first: make([]float32, weights), second: make([]float32, weights)}
}

// Step moves the weights against the gradient, scaled by the learning rate.
func (a *Adam) Step(weights, grad []float32, rate float64) {
	a.steps++
	b1, b2 := float32(a.Beta1), float32(a.Beta2)
	correct1 := 1 - math.Pow(a.Beta1, float64(a.steps))
	correct2 := 1 - math.Pow(a.Beta2, float64(a.steps))
	scale := float32(rate / correct1)
	root, epsilon := float32(1/math.Sqrt(correct2)), float32(a.Epsilon)
	first, second := a.first[:len(weights)], a.second[:len(weights)]
	for i, g := range grad[:len(weights)] {
		m := b1*first[i] + (1-b1)*g
		v := b2*second[i] + (1-b2)*g*g
		first[i], second[i] = m, v
		weights[i] -= scale * m / (root*float32(math.Sqrt(float64(v))) + epsilon)
	}
}

// MarshalBinary encodes the state. Training that continues from the decoded state gives the same bits.
func (a *Adam) MarshalBinary() ([]byte, error) {
	data := binary.LittleEndian.AppendUint64(nil, a.steps)
	for _, x := range []float64{a.Beta1, a.Beta2, a.Epsilon} {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(x))
	}
	data = binary.LittleEndian.AppendUint64(data, uint64(len(a.first)))
	return binary.Append(data, binary.LittleEndian, append(append([]float32(nil), a.first...), a.second...))
}

// UnmarshalBinary decodes a state that MarshalBinary encoded.
func (a *Adam) UnmarshalBinary(data []byte) error {
	const head = 5 * 8
	if len(data) < head {
		return errors.New("adam: the state is cut short")
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(data[8*i:]) }
	count := uint64(len(data)-head) / 8
	if word(4) != count || uint64(len(data)) != head+8*count {
		return fmt.Errorf("adam: %d bytes do not hold two means of %d weights", len(data), word(4))
	}
	a.steps = word(0)
	a.Beta1, a.Beta2, a.Epsilon = math.Float64frombits(word(1)), math.Float64frombits(word(2)), math.Float64frombits(word(3))
	means := make([]float32, 2*count)
	if _, err := binary.Decode(data[head:], binary.LittleEndian, means); err != nil {
		return fmt.Errorf("adam: %w", err)
	}
	a.first, a.second = means[:count:count], means[count:]
	return nil
}
