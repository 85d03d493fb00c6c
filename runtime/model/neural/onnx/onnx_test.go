package onnx

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"likc/runtime/model/neural/lan"
)

// evaluate returns the output of a graph for a row.
func evaluate(t testing.TB, g *Graph, row []float64) float64 {
	t.Helper()
	dim := len(row) - 2
	names, lower, upper := make([]string, dim), make([]float64, dim), make([]float64, dim)
	for i := range dim {
		names[i], upper[i] = string(rune('a'+i)), 1
	}
	n, err := lan.New("any", names, lower, upper, 0, g.Layers)
	if err != nil {
		t.Fatal(err)
	}
	b, err := n.Bind(row[dim:dim+1], row[dim+1:])
	if err != nil {
		t.Fatal(err)
	}
	return b.LogLik(row[:dim])
}

// TestNetworksOfTorch: networks that torch wrote have the outputs that onnxruntime computes; testdata/make.py made both.
func TestNetworksOfTorch(t *testing.T) {
	text, err := os.ReadFile("testdata/rows.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Rows    [][]float64
		Outputs map[string][]float64
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	if len(want.Outputs) < 5 {
		t.Errorf("%d networks", len(want.Outputs))
	}
	for name, outputs := range want.Outputs {
		data, err := os.ReadFile(filepath.Join("testdata", name+".onnx"))
		if err != nil {
			t.Fatal(err)
		}
		g, err := Decode(data)
		if err != nil || g.Inputs != 6 {
			t.Fatalf("%s: %v, %v", name, g, err)
		}
		for i, row := range want.Rows {
			if got := evaluate(t, g, row); !(math.Abs(got-outputs[i]) <= 1e-5) {
				t.Errorf("%s, row %d: %v, want %v", name, i, got, outputs[i])
			}
		}
	}
}

// random returns a graph with hidden layers of some widths. Its weights are numbers in single precision.
func random(r *rand.Rand, inputs int, hidden ...int) *Graph {
	g := &Graph{Inputs: inputs, Metadata: map[string]string{"likc": "{}"}}
	numbers := func(n int) (x []float64) {
		for range n {
			x = append(x, float64(float32(r.NormFloat64())))
		}
		return x
	}
	in := inputs
	for _, out := range append(slices.Clone(hidden), 1) {
		g.Layers = append(g.Layers, lan.Layer{Weights: numbers(in * out), Bias: numbers(out)})
		in = out
	}
	return g
}

// TestRoundTrip: a graph that was written is read as it was.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for _, g := range []*Graph{random(r, 3, 1), random(r, 6, 7, 5), random(r, 10, 100, 100, 100)} {
		got, err := Decode(Encode(g))
		if err != nil {
			t.Fatal(err)
		}
		if got.Inputs != g.Inputs || got.Metadata["likc"] != "{}" || len(got.Layers) != len(g.Layers) {
			t.Errorf("%d inputs, metadata %v, %d layers", got.Inputs, got.Metadata, len(got.Layers))
		}
		for i, l := range got.Layers {
			if !slices.Equal(l.Weights, g.Layers[i].Weights) || !slices.Equal(l.Bias, g.Layers[i].Bias) {
				t.Errorf("layer %d differs", i+1)
			}
		}
	}
}

// file returns a file with an input of three columns, constants and nodes. The output is y.
func file(parts ...[]byte) []byte {
	graph := appendPart(nil, 11, encodeInfo("x", 1, 3))
	graph = appendPart(graph, 12, encodeInfo("y", 1, 1))
	return appendPart(nil, 7, append(graph, slices.Concat(parts...)...))
}

func nodeOf(kind, output string, inputs ...string) []byte {
	return appendPart(nil, 1, encodeNode(kind, output, inputs...))
}

func constantOf(name string, values []float64, dims ...int) []byte {
	return appendPart(nil, 5, encodeTensor(name, values, dims...))
}

// TestArithmetic: sums, products and a matrix on the left are what they are by hand.
func TestArithmetic(t *testing.T) {
	g, err := Decode(file(
		constantOf("m", []float64{1, 2, 3, 4, 5, 6}, 2, 3), constantOf("two", []float64{2}), constantOf("s", []float64{0.5, 0.25}, 2),
		constantOf("w", []float64{3, -1}, 2, 1),
		nodeOf("Div", "a", "x", "two"), nodeOf("MatMul", "b", "m", "a"), nodeOf("Sub", "c", "s", "b"), nodeOf("Mul", "d", "s", "c"),
		nodeOf("Tanh", "e", "d"), nodeOf("MatMul", "f", "e", "w"), nodeOf("Identity", "g", "f"), nodeOf("Add", "y", "g", "two"),
	))
	if err != nil {
		t.Fatal(err)
	}
	x := []float64{0.1, 0.2, 1}
	first := math.Tanh(0.5 * (0.5 - (x[0]+2*x[1]+3*x[2])/2))
	second := math.Tanh(0.25 * (0.25 - (4*x[0]+5*x[1]+6*x[2])/2))
	if got, want := evaluate(t, g, x), 3*first-second+2; !(math.Abs(got-want) <= 1e-6) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestRefuses: graphs that are no networks of tanh are refused, by the name of the node.
func TestRefuses(t *testing.T) {
	w, two := constantOf("w", []float64{1, 2, 3}, 3, 1), constantOf("two", []float64{2})
	wide := appendPart(appendNumber(appendNumber(nil, 1, maxNumbers), 1, maxNumbers), 8, []byte("wide"))
	elsewhere := appendNumber(appendPart(nil, 8, []byte("far")), 14, 1)
	for _, c := range []struct {
		data []byte
		want string
	}{
		{[]byte("not a file"), "not a file in the ONNX format"},
		{nil, "not a file in the ONNX format"},
		{[]byte(`{"format":"lan-mlp-json/1"}`), "not a file in the ONNX format"},
		{file(w, nodeOf("MatMul", "a", "x", "w"), nodeOf("Relu", "y", "a")), "node 2 (y): Relu is no part of a network of tanh or sigmoid"},
		{file(w, nodeOf("MatMul", "y", "w", "x")), "node 1 (y): a matrix of 1 inputs and 3 outputs: want 3 inputs"},
		{file(w, two, nodeOf("MatMul", "a", "x", "w"), nodeOf("MatMul", "y", "a", "two")), "node 2 (y): a constant of size []: want a matrix"},
		{file(nodeOf("Add", "y", "x", "x")), "node 1 (y): Add: want the row and a constant"},
		{file(w, nodeOf("Add", "y", "x", "w")), "a constant of size [3 1]: want a row of 3 numbers"},
		{file(nodeOf("Add", "y", "x", "z")), "z is no constant of numbers"},
		{file(two, nodeOf("Div", "y", "two", "x")), "Div: want the row and a constant"},
		{file(nodeOf("Tanh", "y", "x")), "output y: want one number that depends on the input"},
		{file(two, nodeOf("Tanh", "y", "two")), "Tanh of two, which does not depend on the input"},
		{file(appendPart(nil, 5, wide)), "constant wide: size [16777216 16777216]"},
		{file(appendPart(nil, 5, elsewhere)), "constant far: its numbers are in another file"},
		{file(constantOf("n", []float64{math.NaN()}, 1)), "constant n: a number is not finite"},
		{file(constantOf("n", []float64{1}, 2)), "constant n: 1 numbers for size [2]"},
		{file(appendPart(nil, 11, encodeInfo("x2", 1, 3))), "input x2: want one input"},
		{file(slices.Repeat(nodeOf("Tanh", "y", "x"), maxNodes+1)), "1025 nodes: want 1024 at most"},
		{make([]byte, maxBytes+1), "want 67108864 at most"},
	} {
		_, err := Decode(c.data)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// FuzzDecode checks that nothing makes Decode panic, and that what it reads is a network or is refused by lan.New.
func FuzzDecode(f *testing.F) {
	f.Add(Encode(random(rand.New(rand.NewPCG(2, 0)), 3, 2)))
	paths, err := filepath.Glob("testdata/*.onnx")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := Decode(data)
		if err != nil {
			return
		}
		n, err := lan.New("any", []string{"a"}, []float64{0}, []float64{1}, 0, g.Layers)
		if err != nil || g.Inputs != 3 {
			return
		}
		b, err := n.Bind([]float64{0.5, 1}, []float64{1, -1})
		if err != nil {
			t.Fatal(err)
		}
		b.LogLikGrad([]float64{0.5}, make([]float64, 1))
	})
}
