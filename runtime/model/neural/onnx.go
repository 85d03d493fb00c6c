package neural

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"likc/runtime/model/neural/lan"
	"likc/runtime/model/neural/onnx"
	"likc/runtime/model/process"
	"likc/runtime/model/ssm"
)

// IsONNX reports whether the name of a file is one of the ONNX format, which has no mark of its own.
func IsONNX(path string) bool { return filepath.Ext(path) == ".onnx" }

// onnxKey is the key under which likc's own files in the ONNX format have an [about] as JSON.
const onnxKey = "likc"

// about tells what a graph in the ONNX format itself does not. A process that a model file declares is there as its text.
type about struct {
	Model  string    `json:"model"`
	Text   string    `json:"text,omitempty"`
	Params []string  `json:"params"`
	Lower  []float64 `json:"param_lower"`
	Upper  []float64 `json:"param_upper"`
	Floor  float64   `json:"floor"`
}

// ofONNX returns the files of a teacher, by name, whose network is a file in the ONNX format. m is the process whose log density the
// network computes. It may be nil for a file that likc wrote. Ranges are those of the file, else those of the process.
func ofONNX(data []byte, m *ssm.Model) (files map[string][]byte, err error) {
	graph, err := onnx.Decode(data)
	if err != nil {
		return nil, err
	}
	n, m, err := graphNetwork(graph, m)
	if err != nil {
		return nil, err
	}
	var weights bytes.Buffer
	if err := n.Write(&weights); err != nil {
		return nil, err
	}
	return filesOf(m, weights.Bytes())
}

// graphNetwork returns the network of a graph, and its process.
func graphNetwork(graph *onnx.Graph, m *ssm.Model) (*lan.Network, *ssm.Model, error) {
	told, err := aboutGraph(graph, m)
	if err != nil {
		return nil, nil, err
	}
	if m == nil {
		if m, err = process.Of(told.Model, told.Text); err != nil {
			return nil, nil, err
		}
	}
	if want := len(told.Params) + 2; graph.Inputs != want {
		return nil, nil, fmt.Errorf("%d inputs: want %d, the parameters of %s (%s), rt and choice", graph.Inputs, want, told.Model, strings.Join(told.Params, ", "))
	}
	n, err := lan.New(told.Model, told.Params, told.Lower, told.Upper, told.Floor, graph.Layers)
	return n, m, err
}

// aboutGraph returns what the file tells of a graph, or what a process tells if it is given.
func aboutGraph(graph *onnx.Graph, m *ssm.Model) (a about, err error) {
	text, own := graph.Metadata[onnxKey]
	if own {
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			return a, fmt.Errorf("metadata %s: %w", onnxKey, err)
		}
	}
	switch {
	case m == nil && !own:
		return a, errors.New("the file does not tell its process: name it by --model, as in --model ddm")
	case m == nil:
		return a, nil
	case own && a.Model != m.Name:
		return a, fmt.Errorf("a network of %s, not of %s", a.Model, m.Name)
	case own:
		return a, nil
	}
	a = about{Model: m.Name, Floor: -math.MaxFloat64}
	for _, p := range m.Params {
		a.Params, a.Lower, a.Upper = append(a.Params, p.Name), append(a.Lower, p.Lower), append(a.Upper, p.Upper)
	}
	return a, nil
}

// ONNX returns a teacher of kind lan as a file in the ONNX format.
func (t *Teacher) ONNX() ([]byte, error) {
	of, ok := t.Density.(*lan.Teacher)
	if !ok {
		return nil, fmt.Errorf("a teacher of kind %s: only one of kind lan is a network of tanh that ONNX can hold", t.Kind)
	}
	text, err := json.Marshal(about{of.Model, t.Text, of.Params, of.Lower, of.Upper, of.Floor})
	if err != nil {
		return nil, err
	}
	return onnx.Encode(&onnx.Graph{Inputs: of.Dim() + 2, Layers: of.Layers(), Metadata: map[string]string{onnxKey: string(text)}}), nil
}
