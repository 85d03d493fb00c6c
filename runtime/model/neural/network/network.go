// Package network evaluates fully connected networks: weights in single precision, arithmetic in double precision. Package
// search/teach/backprop trains them.
package network

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Network is a stack of layers y = f(x·W + b). All its numbers are in Weights, layer by layer: W, row-major
// [inputs][outputs], then b. Evaluation reads them only, so any number of goroutines may evaluate at once.
type Network struct {
	Sizes   []int      // number of inputs, then the number of outputs of every layer
	Hidden  Activation // activation of all layers except the last
	Output  Activation // activation of the last layer
	Weights []float32
}

// Layer is one layer of a network. Its slices are views into the network's Weights.
type Layer struct {
	Inputs, Outputs int
	Activation      Activation
	Weights         []float32 // W, row-major [inputs][outputs]
	Bias            []float32
}

// maxWidth and maxLayers are limits on networks in files.
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
	n.Weights = make([]float32, countWeights(sizes))
	return n, nil
}

// checkSizes returns an error for a number of layers, or a size of a layer, that is not allowed.
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
	layers := n.Layers()
	for i, l := range layers {
		scale := 1 / math.Sqrt(float64(l.Inputs))
		if i == len(layers)-1 {
			scale *= last
		}
		for j := range l.Weights {
			l.Weights[j] = float32(scale * r.NormFloat64())
		}
		clear(l.Bias)
	}
}

// Layers returns the layers, first to last.
func (n *Network) Layers() []Layer {
	var layers []Layer
	rest := n.Weights
	for i, out := range n.Sizes[1:] {
		in := n.Sizes[i]
		l := Layer{in, out, n.Hidden, rest[:in*out], rest[in*out : (in+1)*out]}
		layers, rest = append(layers, l), rest[(in+1)*out:]
	}
	layers[len(layers)-1].Activation = n.Output
	return layers
}

// Inputs returns the number of inputs.
func (n *Network) Inputs() int { return n.Sizes[0] }

// Outputs returns the number of outputs.
func (n *Network) Outputs() int { return n.Sizes[len(n.Sizes)-1] }

// OutputBias returns the bias of the last layer, without copying. It sets where the outputs start in training.
func (n *Network) OutputBias() []float32 { return n.Layers()[len(n.Sizes)-2].Bias }

// finite reports whether no weight is NaN or infinite.
func (n *Network) finite() bool {
	for _, w := range n.Weights {
		if math.IsNaN(float64(w)) || math.IsInf(float64(w), 0) {
			return false
		}
	}
	return true
}
