package lan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
)

// Network is a likelihood approximation network: hidden layers of tanh and one linear output, the log density of a trial (natural
// logarithm of a density per second). Inputs are the parameters, rt in seconds and choice, ±1 or a number from 0. It never changes
// after Read.
type Network struct {
	Model        string
	Params       []string  // parameter names, in order
	Lower, Upper []float64 // ranges on which the network was trained
	// Floor is the number to which the publisher raises smaller outputs before summing. It is not part of the network, and evaluation
	// does not apply it.
	Floor float64

	choices []float64 // choices that trials can have, ascending: -1 and 1, or 0, 1, …
	layers  []layer
}

// layer is y = tanh(Wx+b), or y = Wx+b for the last layer.
type layer struct {
	in, out int       // numbers of inputs and outputs
	weights []float64 // W, row-major [out][in]
	bias    []float64 // b
}

// format is the only known file format.
const format = "lan-mlp-json/1"

// maxWidth limits a layer's inputs and outputs, and maxWeight its weights, so that no sum overflows in single precision.
const (
	maxWidth  = 1 << 12
	maxWeight = 1e30
)

// jsonNetwork is the content of a file; see Read.
type jsonNetwork struct {
	Format     string      `json:"format"`
	Model      string      `json:"model"`
	Inputs     []string    `json:"inputs"`
	Params     []string    `json:"params"`
	ParamLower []float64   `json:"param_lower"`
	ParamUpper []float64   `json:"param_upper"`
	Floor      float64     `json:"floor"`
	Layers     []jsonLayer `json:"layers"`
}

// jsonLayer is one layer in a file.
type jsonLayer struct {
	Out        int       `json:"out"`
	In         int       `json:"in"`
	Activation string    `json:"activation"`
	Weights    []float64 `json:"W"`
	Bias       []float64 `json:"b"`
}

// IsNetwork reports whether a text claims to be a network in the format of Read.
func IsNetwork(text []byte) bool { return bytes.Contains(text, []byte(`"`+format+`"`)) }

// Read reads a network in the format lan-mlp-json/1: a JSON object with
// format, model, params, param_lower, param_upper, inputs (the params, then
// rt, then response), floor, and layers {out, in, activation, W row-major
// [out][in], b}, of which all but the last are tanh and the last is linear.
func Read(r io.Reader) (*Network, error) {
	var file jsonNetwork
	d := json.NewDecoder(r)
	if err := d.Decode(&file); err != nil {
		return nil, fmt.Errorf("read network: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("read network: text after the JSON object")
	}
	n, err := file.network()
	if err != nil {
		return nil, fmt.Errorf("read network: %w", err)
	}
	return n, nil
}

// network returns the network that a file describes.
func (f *jsonNetwork) network() (*Network, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	n := &Network{
		Model: f.Model, Params: f.Params,
		Lower: f.ParamLower, Upper: f.ParamUpper, Floor: f.Floor, choices: []float64{-1, 1},
	}
	for _, l := range f.Layers {
		n.layers = append(n.layers, layer{l.In, l.Out, l.Weights, l.Bias})
	}
	return n, nil
}

// check returns an error if a file does not describe a network that this package can evaluate.
func (f *jsonNetwork) check() error {
	if f.Format != format {
		return fmt.Errorf("format is %q, want %q", f.Format, format)
	}
	dim := len(f.Params)
	if dim == 0 {
		return errors.New("no params")
	}
	if len(f.ParamLower) != dim || len(f.ParamUpper) != dim {
		return fmt.Errorf("%d params, but %d param_lower and %d param_upper", dim, len(f.ParamLower), len(f.ParamUpper))
	}
	for i, lower := range f.ParamLower {
		if !(lower < f.ParamUpper[i]) {
			return fmt.Errorf("param_lower of %s is %v, not below its param_upper, %v", f.Params[i], lower, f.ParamUpper[i])
		}
	}
	if len(f.Inputs) != dim+2 {
		return fmt.Errorf("%d inputs, want the %d params, rt, response", len(f.Inputs), dim)
	}
	for i, want := range append(append([]string(nil), f.Params...), "rt", "response") {
		if f.Inputs[i] != want {
			return fmt.Errorf("input %d is %q, want %q", i+1, f.Inputs[i], want)
		}
	}
	return f.checkLayers()
}

func (f *jsonNetwork) checkLayers() error {
	if len(f.Layers) < 2 {
		return fmt.Errorf("%d layers, want a hidden one and an output at least", len(f.Layers))
	}
	width := len(f.Inputs)
	for i, l := range f.Layers {
		want := "tanh"
		if i == len(f.Layers)-1 {
			want = "linear"
			if l.Out != 1 {
				return fmt.Errorf("layer %d: %d outputs, want 1 from the last layer", i+1, l.Out)
			}
		}
		if l.Activation != want {
			return fmt.Errorf("layer %d: activation is %q, want %q", i+1, l.Activation, want)
		}
		if l.In != width {
			return fmt.Errorf("layer %d: %d inputs, want the %d outputs before it", i+1, l.In, width)
		}
		if err := l.check(); err != nil {
			return fmt.Errorf("layer %d: %w", i+1, err)
		}
		width = l.Out
	}
	return nil
}

func (l *jsonLayer) check() error {
	if l.In < 1 || l.In > maxWidth || l.Out < 1 || l.Out > maxWidth {
		return fmt.Errorf("%d by %d, want sizes from 1 to %d", l.Out, l.In, maxWidth)
	}
	if len(l.Weights) != l.In*l.Out {
		return fmt.Errorf("%d weights, want %d times %d", len(l.Weights), l.Out, l.In)
	}
	if len(l.Bias) != l.Out {
		return fmt.Errorf("%d biases, want %d", len(l.Bias), l.Out)
	}
	for _, x := range append(append([]float64(nil), l.Weights...), l.Bias...) {
		if math.Abs(x) > maxWeight {
			return fmt.Errorf("weight %v is too large for single precision", x)
		}
	}
	return nil
}

// Dim returns the number of parameters.
func (n *Network) Dim() int { return len(n.Params) }

// at returns the weight from input c to output r.
func (l *layer) at(r, c int) float64 { return l.weights[r*l.in+c] }
