package lan

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// Layer is one layer of a network. Weights are row-major [outputs][inputs].
type Layer struct {
	Weights []float64
	Bias    []float64
}

// New returns a network with the given layers. All layers except the last have the activation tanh; the last
// is linear with one output. Inputs of the first layer are params, rt in seconds and choice.
func New(model string, params []string, lower, upper []float64, floor float64, layers []Layer) (*Network, error) {
	file := jsonNetwork{Format: format, Model: model, Params: params, ParamLower: lower, ParamUpper: upper, Floor: floor}
	file.Inputs = append(append([]string{}, params...), "rt", "response")
	width := len(file.Inputs)
	for i, l := range layers {
		activation := "tanh"
		if i == len(layers)-1 {
			activation = "linear"
		}
		file.Layers = append(file.Layers, jsonLayer{len(l.Bias), width, activation, l.Weights, l.Bias})
		width = len(l.Bias)
	}
	return file.network()
}

// Layers returns copies of the layers, first to last.
func (n *Network) Layers() []Layer {
	var layers []Layer
	for _, l := range n.layers {
		layers = append(layers, Layer{append([]float64(nil), l.weights...), append([]float64(nil), l.bias...)})
	}
	return layers
}

// Write writes the network in the format that Read reads, so that reading gives the same network.
func (n *Network) Write(w io.Writer) error {
	file := jsonNetwork{Format: format, Model: n.Model, Params: n.Params, ParamLower: n.Lower, ParamUpper: n.Upper, Floor: n.Floor}
	file.Inputs = append(append([]string{}, n.Params...), "rt", "response")
	for i, l := range n.layers {
		activation := "tanh"
		if i == len(n.layers)-1 {
			activation = "linear"
		}
		if slices.ContainsFunc(append(append([]float64{}, l.weights...), l.bias...), math.IsNaN) {
			return errors.New("write network: a weight is NaN")
		}
		file.Layers = append(file.Layers, jsonLayer{l.out, l.in, activation, l.weights, l.bias})
	}
	if err := json.NewEncoder(w).Encode(file); err != nil {
		return fmt.Errorf("write network: %w", err)
	}
	return nil
}
