package network

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// MarshalBinary encodes first the number of layers, the hidden and the output activation, a byte each, and then sizes and weights as
// 4-byte little-endian numbers.
func (n *Network) MarshalBinary() ([]byte, error) {
	data := []byte{byte(len(n.Sizes) - 1), byte(n.Hidden), byte(n.Output)}
	for _, s := range n.Sizes {
		data = binary.LittleEndian.AppendUint32(data, uint32(s))
	}
	return binary.Append(data, binary.LittleEndian, n.Weights)
}

// UnmarshalBinary decodes the bytes that MarshalBinary made. It refuses weights that are not finite.
func (n *Network) UnmarshalBinary(data []byte) error {
	if len(data) < 3 || len(data) < 3+4*(int(data[0])+1) {
		return errors.New("network: cut short")
	}
	sizes := make([]int, int(data[0])+1)
	rest := data[3:]
	for i := range sizes {
		sizes[i] = int(binary.LittleEndian.Uint32(rest))
		rest = rest[4:]
	}
	if err := checkSizes(sizes); err != nil {
		return err
	}
	if want := countWeights(sizes); len(rest) != 4*want {
		return fmt.Errorf("network: %d bytes of weights, want %d for its %d layers", len(rest), 4*want, len(sizes)-1)
	}
	read, err := New(sizes, Activation(data[1]), Activation(data[2]))
	if err != nil {
		return err
	}
	if _, err := binary.Decode(rest, binary.LittleEndian, read.Weights); err != nil {
		return fmt.Errorf("network: %w", err)
	}
	if !read.finite() {
		return errors.New("network: a weight is not finite")
	}
	*n = *read
	return nil
}

// countWeights returns the number of weights and biases of a network with the given sizes of layers.
func countWeights(sizes []int) int {
	total := 0
	for i := range sizes[1:] {
		total += (sizes[i] + 1) * sizes[i+1]
	}
	return total
}
