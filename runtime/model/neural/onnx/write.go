package onnx

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// The versions that written files claim: of the format, and of its set of operators. Programs since 2020 read them.
const (
	formatVersion    = 7
	operatorsVersion = 13
)

// Encode returns a file in the ONNX format that holds the graph. It takes one row and gives a matrix with one number. Weights are in
// single precision.
func Encode(g *Graph) []byte {
	graph := appendText(nil, 2, "log_density")
	from, width := "row", g.Inputs
	for i, l := range g.Layers {
		weights, bias, sum := fmt.Sprintf("weights%d", i+1), fmt.Sprintf("bias%d", i+1), fmt.Sprintf("sum%d", i+1)
		out := len(l.Bias)
		graph = appendPart(graph, 5, encodeTensor(weights, l.Weights, out, width))
		graph = appendPart(graph, 5, encodeTensor(bias, l.Bias, out))
		last := i == len(g.Layers)-1
		if last {
			sum = "log_density"
		}
		transposed := appendText(nil, 1, "transB")
		transposed = appendNumber(transposed, 3, 1)
		transposed = appendNumber(transposed, 20, 2) // an integer
		graph = appendPart(graph, 1, appendPart(encodeNode("Gemm", sum, from, weights, bias), 5, transposed))
		if from = fmt.Sprintf("layer%d", i+1); !last {
			graph = appendPart(graph, 1, encodeNode("Tanh", from, sum))
		}
		width = out
	}
	graph = appendPart(graph, 11, encodeInfo("row", 1, g.Inputs))
	graph = appendPart(graph, 12, encodeInfo("log_density", 1, 1))
	model := appendNumber(nil, 1, formatVersion)
	model = appendText(model, 2, "likc")
	model = appendPart(model, 7, graph)
	model = appendPart(model, 8, appendNumber(nil, 2, operatorsVersion))
	for _, key := range slices.Sorted(maps.Keys(g.Metadata)) {
		model = appendPart(model, 14, appendText(appendText(nil, 1, key), 2, g.Metadata[key]))
	}
	return model
}

// encodeNode returns a node with one output.
func encodeNode(kind, output string, inputs ...string) (b []byte) {
	for _, name := range inputs {
		b = appendText(b, 1, name)
	}
	b = appendText(b, 2, output)
	return appendText(appendText(b, 3, output), 4, kind)
}

// encodeTensor returns a tensor in single precision.
func encodeTensor(name string, values []float64, dims ...int) (b []byte) {
	for _, d := range dims {
		b = appendNumber(b, 1, d)
	}
	b = appendNumber(b, 2, singles)
	b = appendText(b, 8, name)
	raw := make([]byte, 0, 4*len(values))
	for _, x := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(x)))
	}
	return appendPart(b, 9, raw)
}

// encodeInfo returns the name and the size of an input or output, a tensor in single precision.
func encodeInfo(name string, dims ...int) []byte {
	var shape []byte
	for _, d := range dims {
		shape = appendPart(shape, 1, appendNumber(nil, 1, d))
	}
	tensor := appendPart(appendNumber(nil, 1, singles), 2, shape)
	return appendPart(appendText(nil, 1, name), 2, appendPart(nil, 1, tensor))
}

func appendPart(b []byte, n protowire.Number, part []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), part)
}

func appendText(b []byte, n protowire.Number, text string) []byte {
	return appendPart(b, n, []byte(text))
}

func appendNumber(b []byte, n protowire.Number, x int) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), uint64(x))
}
