// Package network holds fully connected networks in single precision: a forward pass over batches, backpropagation to
// weights and inputs by hand, and Adam. Rows of a batch are samples. The same seed gives the same bits whatever the number
// of threads: batches are cut into shards of a fixed size, whose gradients are added in order.
package network

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Network is a stack of layers y = f(x·W + b). All its numbers are in Weights, layer by layer: W, row-major
// [inputs][outputs], then b. Passes read them only, so any number of goroutines may run them at once.
type Network struct {
	Sizes   []int      // inputs, then the outputs of every layer
	Hidden  Activation // of all layers but the last
	Output  Activation // of the last layer
	Weights []float32

	layers []layer
}

// layer is a view into Weights.
type layer struct {
	in, out    int
	activation Activation
	at         int // of W in Weights; b follows W
}

// maxWidth and maxLayers bound what a file may ask for.
const (
	maxWidth  = 1 << 12
	maxLayers = 32
)

// New returns a network of zeros. sizes are the number of inputs and the outputs of every layer.
func New(sizes []int, hidden, output Activation) (*Network, error) {
	if err := checkSizes(sizes); err != nil {
		return nil, err
	}
	if !hidden.known() || !output.known() {
		return nil, fmt.Errorf("network: unknown activation %d or %d", hidden, output)
	}
	n := &Network{Sizes: append([]int(nil), sizes...), Hidden: hidden, Output: output}
	total := 0
	for i, out := range sizes[1:] {
		in := sizes[i]
		l := layer{in: in, out: out, activation: hidden, at: total}
		if i == len(sizes)-2 {
			l.activation = output
		}
		n.layers = append(n.layers, l)
		total += (in + 1) * out
	}
	n.Weights = make([]float32, total)
	return n, nil
}

func checkSizes(sizes []int) error {
	if len(sizes) < 2 || len(sizes) > maxLayers+1 {
		return fmt.Errorf("network: %d sizes, want 2 to %d", len(sizes), maxLayers+1)
	}
	for i, size := range sizes {
		if size < 1 || size > maxWidth {
			return fmt.Errorf("network: size %d is %d, want 1 to %d", i+1, size, maxWidth)
		}
	}
	return nil
}

// Init draws the weights from N(0, 1/inputs) and sets the biases to zero. The last layer's weights are multiplied by last:
// a small number starts the outputs near zero.
func (n *Network) Init(r *rand.Rand, last float64) {
	for i, l := range n.layers {
		scale := 1 / math.Sqrt(float64(l.in))
		if i == len(n.layers)-1 {
			scale *= last
		}
		w := n.matrix(l)
		for j := range w {
			w[j] = float32(scale * r.NormFloat64())
		}
		clear(n.bias(l))
	}
}

// Inputs is the number of inputs.
func (n *Network) Inputs() int { return n.Sizes[0] }

// Outputs is the number of outputs.
func (n *Network) Outputs() int { return n.Sizes[len(n.Sizes)-1] }

// OutputBias is the bias of the last layer: a view into Weights, with which the outputs can be started off.
func (n *Network) OutputBias() []float32 { return n.bias(n.layers[len(n.layers)-1]) }

// Finite reports whether no weight is NaN or infinite.
func (n *Network) Finite() bool {
	for _, w := range n.Weights {
		if math.IsNaN(float64(w)) || math.IsInf(float64(w), 0) {
			return false
		}
	}
	return true
}

func (n *Network) matrix(l layer) []float32 { return n.Weights[l.at : l.at+l.in*l.out] }

func (n *Network) bias(l layer) []float32 { return n.Weights[l.at+l.in*l.out : l.at+(l.in+1)*l.out] }
