package lan

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"likc/testdata/reference"
)

// published returns a pretrained network of hddm.
func published(t testing.TB, model string) *Network {
	t.Helper()
	n, err := Read(bytes.NewReader(reference.Read(t, "networks/lan_"+model+".json")))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// randomNetwork returns a network of the given hidden widths.
func randomNetwork(r *rand.Rand, dim int, hidden ...int) *Network {
	n := &Network{Model: "random", Lower: make([]float64, dim), Upper: make([]float64, dim), choices: []float64{-1, 1}}
	for i := range dim {
		n.Upper[i] = 1
		n.Params = append(n.Params, string(rune('a'+i)))
	}
	in := dim + 2
	for _, out := range append(append([]int(nil), hidden...), 1) {
		l := layer{in: in, out: out}
		for range in * out {
			l.weights = append(l.weights, r.NormFloat64()/math.Sqrt(float64(in)))
		}
		for range out {
			l.bias = append(l.bias, 0.3*r.NormFloat64())
		}
		n.layers = append(n.layers, l)
		in = out
	}
	return n
}

// encode writes n in the format that Read reads.
func encode(t testing.TB, n *Network) []byte {
	t.Helper()
	f := jsonNetwork{
		Format: format, Model: n.Model, Params: n.Params, Floor: n.Floor,
		Inputs:     append(append([]string(nil), n.Params...), "rt", "response"),
		ParamLower: n.Lower, ParamUpper: n.Upper,
	}
	for i, l := range n.layers {
		activation := "tanh"
		if i == len(n.layers)-1 {
			activation = "linear"
		}
		f.Layers = append(f.Layers, jsonLayer{l.out, l.in, activation, l.weights, l.bias})
	}
	text, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestReadPublished(t *testing.T) {
	for name, dim := range map[string]int{"ddm": 4, "angle": 5, "weibull": 6, "ornstein": 5} {
		n := published(t, name)
		if n.Model != name || n.Dim() != dim || len(n.Lower) != dim || n.Floor != -16.11809 {
			t.Errorf("%s: model %q, %d parameters, floor %v", name, n.Model, n.Dim(), n.Floor)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	good := string(encode(t, randomNetwork(rand.New(rand.NewPCG(1, 0)), 2, 3)))
	if _, err := Read(strings.NewReader(good)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{"", "", ""},
		{"lan-mlp-json/1", "onnx", `format is "onnx"`},
		{`"params":["a","b"]`, `"params":[]`, "no params"},
		{`"param_lower":[0,0]`, `"param_lower":[0]`, "1 param_lower"},
		{`"rt","response"`, `"response","rt"`, `input 3 is "response", want "rt"`},
		{`"inputs":["a",`, `"inputs":[`, "3 inputs"},
		{`"activation":"tanh"`, `"activation":"relu"`, `layer 1: activation is "relu"`},
		{`"out":3`, `"out":2`, "layer 1: 12 weights"},
		{`"out":3`, `"out":-3`, "layer 1: -3 by 4"},
		{`"in":3`, `"in":4`, "layer 2: 4 inputs"},
		{`"out":1`, `"out":2`, "layer 2: 2 outputs"},
		{`"W":[`, `"W":[1e31,`, "layer 1: 13 weights"},
		{`"format"`, `format`, "invalid character"},
		{`}]}`, `}]} {}`, "text after"},
		{`}]}`, `}]`, "EOF"},
	} {
		text := strings.Replace(good, c.old, c.new, 1)
		_, err := Read(strings.NewReader(text))
		if c.want == "" {
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s → %s: error %v, want %q", c.old, c.new, err, c.want)
		}
	}
	huge := randomNetwork(rand.New(rand.NewPCG(1, 0)), 2, 3)
	huge.layers[1].bias[0] = 1e31
	if _, err := Read(bytes.NewReader(encode(t, huge))); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("a huge bias: %v", err)
	}
}

// FuzzRead checks that whatever Read accepts can be evaluated, and that
// nothing makes it panic.
func FuzzRead(f *testing.F) {
	r := rand.New(rand.NewPCG(2, 0))
	f.Add(encode(f, randomNetwork(r, 1, 1)))
	f.Add(encode(f, randomNetwork(r, 4, 3, 5)))
	f.Add([]byte(`{"format":"lan-mlp-json/1","layers":[{"out":1e9,"in":1e9}]}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, text []byte) {
		n, err := Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		b, err := n.Bind([]float64{0.5, 1}, []float64{1, -1})
		if err != nil {
			t.Fatal(err)
		}
		b.LogLikGrad(make([]float64, n.Dim()), make([]float64, n.Dim()))
	})
}
