package onnx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// field is the value of one field of a message: a number, or bytes.
type field struct {
	number uint64
	bytes  []byte
}

// message holds the fields of a message of Protocol Buffers by their number, in the order of the file.
type message map[protowire.Number][]field

// errNotONNX is the error for bytes that are no message.
var errNotONNX = errors.New("not a file in the ONNX format")

// parse returns the fields of a message. Their bytes are parts of data.
func parse(data []byte) (message, error) {
	m := message{}
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return nil, errNotONNX
		}
		data = data[n:]
		var f field
		switch kind {
		case protowire.VarintType:
			f.number, n = protowire.ConsumeVarint(data)
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(data)
		case protowire.Fixed32Type:
			var x uint32
			x, n = protowire.ConsumeFixed32(data)
			f.number = uint64(x)
		case protowire.Fixed64Type:
			f.number, n = protowire.ConsumeFixed64(data)
		default:
			return nil, errNotONNX
		}
		if n < 0 {
			return nil, errNotONNX
		}
		m[number] = append(m[number], f)
		data = data[n:]
	}
	return m, nil
}

// text returns the last value of a field as text, "" if there is none.
func (m message) text(n protowire.Number) string {
	if fields := m[n]; len(fields) > 0 {
		return string(fields[len(fields)-1].bytes)
	}
	return ""
}

// number returns the last value of a field as a number, 0 if there is none.
func (m message) number(n protowire.Number) uint64 {
	if fields := m[n]; len(fields) > 0 {
		return fields[len(fields)-1].number
	}
	return 0
}

// each calls a function with each message that a field holds.
func (m message) each(n protowire.Number, f func(message) error) error {
	for _, x := range m[n] {
		part, err := parse(x.bytes)
		if err != nil {
			return err
		}
		if err := f(part); err != nil {
			return err
		}
	}
	return nil
}

// integers returns the integers of a repeated field, packed or not.
func (m message) integers(n protowire.Number) (values []int64, err error) {
	for _, x := range m[n] {
		if x.bytes == nil {
			values = append(values, int64(x.number))
			continue
		}
		for rest := x.bytes; len(rest) > 0; {
			v, size := protowire.ConsumeVarint(rest)
			if size < 0 {
				return nil, errNotONNX
			}
			values, rest = append(values, int64(v)), rest[size:]
		}
	}
	return values, nil
}

// float converts the bits of a number in single precision.
func float(bits uint64) float64 { return float64(math.Float32frombits(uint32(bits))) }

// The codes of the types of numbers that tensors may have.
const (
	singles = 1
	doubles = 11
)

// tensor is an array of constants, row-major.
type tensor struct {
	dims   []int
	values []float64
}

// readTensor reads a tensor of numbers in single or double precision.
func readTensor(m message) (*tensor, error) {
	if m.number(14) != 0 || len(m[13]) > 0 {
		return nil, errors.New("its numbers are in another file: export the network into one file")
	}
	size, t := 1, &tensor{}
	dims, err := m.integers(1)
	if err != nil {
		return nil, err
	}
	for _, d := range dims {
		if d < 1 || d > maxNumbers || size > maxNumbers/int(d) {
			return nil, fmt.Errorf("size %v: want %d numbers at most, and 1 at least", dims, maxNumbers)
		}
		size *= int(d)
		t.dims = append(t.dims, int(d))
	}
	if t.values, err = m.floats(); err != nil {
		return nil, err
	}
	if len(t.values) != size {
		return nil, fmt.Errorf("%d numbers for size %v", len(t.values), dims)
	}
	for _, x := range t.values {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, errors.New("a number is not finite")
		}
	}
	return t, nil
}

// floats returns the numbers of a tensor, which are raw bytes or a repeated field.
func (m message) floats() (values []float64, err error) {
	wide, repeated := false, m[4]
	switch m.number(2) {
	case singles:
	case doubles:
		wide, repeated = true, m[10]
	default:
		return nil, fmt.Errorf("numbers of type %d: want single or double precision", m.number(2))
	}
	for _, x := range append(repeated[:len(repeated):len(repeated)], m[9]...) {
		switch {
		case x.bytes == nil && wide:
			values = append(values, math.Float64frombits(x.number))
		case x.bytes == nil:
			values = append(values, float(x.number))
		case wide:
			for rest := x.bytes; len(rest) >= 8; rest = rest[8:] {
				values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(rest)))
			}
		default:
			for rest := x.bytes; len(rest) >= 4; rest = rest[4:] {
				values = append(values, float(uint64(binary.LittleEndian.Uint32(rest))))
			}
		}
	}
	return values, nil
}
