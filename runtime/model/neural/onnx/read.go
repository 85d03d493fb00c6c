package onnx

import (
	"cmp"
	"errors"
	"fmt"

	"likc/runtime/model/neural/lan"

	"google.golang.org/protobuf/encoding/protowire"
)

// These limits bound the memory and the time that a file can take.
const (
	maxBytes   = 1 << 26 // bytes of a file
	maxNodes   = 1 << 10
	maxWidth   = 1 << 12 // numbers that a node passes on
	maxNumbers = 1 << 24 // numbers of a tensor, and of all matrices that are made
)

// Graph is a network in a file: hidden layers of tanh and one linear output.
type Graph struct {
	Inputs   int // columns of the input row
	Layers   []lan.Layer
	Metadata map[string]string // entries that describe the file, by key
}

// node is a node of a graph.
type node struct {
	title         string // name in errors
	kind          string
	inputs        []string
	outputs       []string
	attributes    map[string]message
	constant      *tensor // the value of a node Constant
	unknownDomain bool
}

// reader walks through the nodes of a graph.
type reader struct {
	constants map[string]*tensor
	values    map[string]*value // values that depend on the trial
	numbers   int               // count of numbers in all matrices that were made
}

// Decode reads a file in the ONNX format. An error names the node that is no part of a network as above.
func Decode(data []byte) (*Graph, error) {
	if len(data) > maxBytes {
		return nil, fmt.Errorf("%d bytes: want %d at most", len(data), maxBytes)
	}
	model, err := parse(data)
	if err != nil {
		return nil, err
	}
	if len(model[7]) != 1 {
		return nil, errNotONNX
	}
	graph, err := parse(model[7][0].bytes)
	if err != nil {
		return nil, err
	}
	g := &Graph{Metadata: map[string]string{}}
	err = model.each(14, func(m message) error {
		g.Metadata[m.text(1)] = m.text(2)
		return nil
	})
	return g, cmp.Or(err, g.read(graph))
}

// read reads the layers of a graph.
func (g *Graph) read(graph message) error {
	r := &reader{constants: map[string]*tensor{}, values: map[string]*value{}}
	if err := graph.each(5, r.addConstant); err != nil {
		return err
	}
	input, err := r.addInput(graph)
	if err != nil {
		return err
	}
	if len(graph[1]) > maxNodes {
		return fmt.Errorf("%d nodes: want %d at most", len(graph[1]), maxNodes)
	}
	at := 0
	err = graph.each(1, func(m message) error {
		at++
		n, err := readNode(m, at)
		if err == nil {
			err = r.apply(n)
		}
		if err != nil {
			return fmt.Errorf("node %d (%s): %w", at, n.title, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(graph[12]) != 1 {
		return fmt.Errorf("%d outputs: want one, the log density", len(graph[12]))
	}
	output, err := parse(graph[12][0].bytes)
	if err != nil {
		return err
	}
	v := r.values[output.text(1)]
	if v == nil || v.width() != 1 {
		return fmt.Errorf("output %s: want one number that depends on the input", output.text(1))
	}
	g.Inputs = input
	g.Layers, err = r.finish(v)
	return err
}

// addConstant adds an initializer, a constant of the graph.
func (r *reader) addConstant(m message) error {
	t, err := readTensor(m)
	if err != nil {
		return fmt.Errorf("constant %s: %w", m.text(8), err)
	}
	r.constants[m.text(8)] = t
	return nil
}

// addInput adds the one input that is no constant, and returns its number of columns.
func (r *reader) addInput(graph message) (width int, err error) {
	err = graph.each(11, func(m message) error {
		name := m.text(1)
		if r.constants[name] != nil {
			return nil
		}
		if width > 0 {
			return fmt.Errorf("input %s: want one input, the row of parameters, rt and choice", name)
		}
		width, err = columns(m)
		if err != nil {
			return fmt.Errorf("input %s: %w", name, err)
		}
		r.values[name] = input(width)
		return nil
	})
	if err == nil && width == 0 {
		return 0, errors.New("no input: want the row of parameters, rt and choice")
	}
	return width, err
}

// columns returns the number of columns of an input: its last dimension. Before it there may be one dimension, of rows.
func columns(info message) (int, error) {
	at := info
	for _, n := range []protowire.Number{2, 1, 2} { // the type, of tensors, and the shape
		if len(at[n]) != 1 {
			return 0, errors.New("want numbers of a known size")
		}
		next, err := parse(at[n][0].bytes)
		if err != nil {
			return 0, err
		}
		at = next
	}
	var sizes []uint64
	err := at.each(1, func(dimension message) error {
		sizes = append(sizes, dimension.number(1))
		return nil
	})
	if err != nil {
		return 0, err
	}
	n := len(sizes)
	if n < 1 || n > 2 || sizes[n-1] < 1 || sizes[n-1] > maxWidth || n == 2 && sizes[0] > 1 {
		return 0, fmt.Errorf("size %v: want one row, of 1 to %d columns", sizes, maxWidth)
	}
	return int(sizes[n-1]), nil
}

// readNode reads a node. It always returns one whose title can be told.
func readNode(m message, at int) (*node, error) {
	n := &node{title: cmp.Or(m.text(3), m.text(4)), kind: m.text(4), attributes: map[string]message{}, unknownDomain: m.text(7) != "" && m.text(7) != "ai.onnx"}
	for _, x := range m[1] {
		n.inputs = append(n.inputs, string(x.bytes))
	}
	for _, x := range m[2] {
		n.outputs = append(n.outputs, string(x.bytes))
	}
	err := m.each(5, func(a message) error {
		n.attributes[a.text(1)] = a
		if n.kind != "Constant" || a.text(1) != "value" {
			return nil
		}
		return a.each(5, func(t message) (err error) {
			n.constant, err = readTensor(t)
			return err
		})
	})
	return n, err
}

// factor returns an attribute that is a number in single precision, 1 if the node does not have it.
func (n *node) factor(name string) float64 {
	if a := n.attributes[name]; a != nil {
		return float(a.number(2))
	}
	return 1
}

// is reports whether an attribute is set to a number other than 0.
func (n *node) is(name string) bool {
	return n.attributes[name] != nil && n.attributes[name].number(3) != 0
}
