package lan

import (
	"bytes"
	"fmt"
	"slices"

	"likc/runtime/model/kernel"
	"likc/runtime/model/ssm"
)

// Teacher is a likelihood approximation network as a teacher: a neural likelihood from which the search for formulas learns. Only
// LogDensity raises outputs below the floor, a constant of the network's file, to the floor. Sum does not, because a sampler needs the
// slope below the floor too.
type Teacher struct{ *Network }

// ReadTeacher reads a network for the model, in the format lan-mlp-json/1, in which networks of other programs are published too.
func ReadTeacher(m *ssm.Model, data []byte) (*Teacher, error) {
	n, err := Read(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if n.Model != m.Name || n.Dim() != m.Dim() {
		return nil, fmt.Errorf("lan: a network of %s with %d parameters, want %s with %d", n.Model, n.Dim(), m.Name, m.Dim())
	}
	for i, p := range m.Params {
		if n.Params[i] != p.Name {
			return nil, fmt.Errorf("lan: parameter %d is %s, want %s", i+1, n.Params[i], p.Name)
		}
	}
	n.choices = slices.Sorted(slices.Values(m.Choices))
	return &Teacher{n}, nil
}

// LogDensity fills dst with the network's output, raised to its floor.
func (t *Teacher) LogDensity(dst []float64, theta [][]float64, rt, choice []float64) {
	t.Network.LogDensity(dst, theta, rt, choice)
	for i, x := range dst {
		if x < t.Floor {
			dst[i] = t.Floor
		}
	}
}

// Sum binds trials for a sampler: the network's output, with its gradient.
func (t *Teacher) Sum(of kernel.Trials) (kernel.Sum, error) {
	return t.Network.Bind(of.Columns[0], of.Choice)
}
