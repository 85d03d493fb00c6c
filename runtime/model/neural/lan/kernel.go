package lan

import "math"

// lanes is the number of trials in a block. A matrix of activations has one
// row for each unit of the network, and one column for each trial of the block;
// it is row-major.
const lanes = 32

// kernels are the three products that evaluation is made of. A tile is a group of rows of the product that a kernel computes together, in
// registers. In all kernels x is [inputs][lanes], weights are [tiles][inputs][tile rows] as pack lays them out, and dst is
// [tiles · tile rows][lanes].
type kernels struct {
	name string
	tile int // number of rows of a tile in forward and backward; in linear it is linearTile
	// forward sets dst = tanh(weights·x + bias); weights and bias must already be multiplied by tanhScale.
	forward func(dst, x, weights, bias *float32, inputs, tiles int)
	// backward sets dst = weights·x ⊙ (1 - active²), with active as long as dst.
	backward func(dst, x, weights, active *float32, inputs, tiles int)
	// linear sets dst = weights·x + bias.
	linear func(dst, x, weights, bias *float32, inputs, tiles int)
}

// linearTile is the number of rows of a tile in the linear kernel.
const linearTile = 2

// tanhScale makes the argument of tanh a power of two: tanh x = 1 - 2/(2^y+1)
// with y = tanhScale·x.
const tanhScale = 2 / math.Ln2

// pack stores a matrix of rows × inputs in tiles, [tiles][inputs][tile]. The last tile is filled up with rows of zeros.
func pack(rows, inputs, tile int, at func(r, c int) float64) []float32 {
	packed := make([]float32, padded(rows, tile)*inputs)
	for r := range rows {
		for c := range inputs {
			packed[(r/tile*inputs+c)*tile+r%tile] = float32(at(r, c))
		}
	}
	return packed
}

// padded returns rows, rounded up to a multiple of tile.
func padded(rows, tile int) int { return (rows + tile - 1) / tile * tile }
