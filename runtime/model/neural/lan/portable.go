package lan

import (
	"math"
	"unsafe"
)

// portable holds the kernels in Go, the reference for those in assembly.
var portable = kernels{
	name: "portable", tile: 4,
	forward: func(dst, x, weights, bias *float32, inputs, tiles int) {
		product(dst, x, weights, bias, inputs, tiles, 4)
		out := unsafe.Slice(dst, tiles*4*lanes)
		for i, y := range out {
			out[i] = tanhScaled(y)
		}
	},
	backward: func(dst, x, weights, active *float32, inputs, tiles int) {
		product(dst, x, weights, nil, inputs, tiles, 4)
		out := unsafe.Slice(dst, tiles*4*lanes)
		for i, h := range unsafe.Slice(active, tiles*4*lanes) {
			out[i] *= 1 - h*h
		}
	},
	linear: func(dst, x, weights, bias *float32, inputs, tiles int) {
		product(dst, x, weights, bias, inputs, tiles, linearTile)
	},
}

// product computes dst = weights·x + bias; a nil bias is zero.
func product(dst, x, weights, bias *float32, inputs, tiles, tile int) {
	w := unsafe.Slice(weights, tiles*inputs*tile)
	columns := unsafe.Slice(x, inputs*lanes)
	out := unsafe.Slice(dst, tiles*tile*lanes)
	for r := range tiles * tile {
		row := (*[lanes]float32)(out[r*lanes:])
		start := float32(0)
		if bias != nil {
			start = unsafe.Slice(bias, tiles*tile)[r]
		}
		for i := range row {
			row[i] = start
		}
		for c := range inputs {
			weight := w[(r/tile*inputs+c)*tile+r%tile]
			for i, v := range (*[lanes]float32)(columns[c*lanes:]) {
				row[i] += weight * v
			}
		}
	}
}

// tanhScaled returns tanh(y / tanhScale) in single precision, with an absolute error below 1.5e-7. It computes 2^f/2 on [-1/2, 1/2]
// by the same Chebyshev polynomial as the assembly, with a relative error of 8e-8.
func tanhScaled(y float32) float32 {
	y = max(-60, min(60, y))
	n := float32(math.RoundToEven(float64(y)))
	f := y - n
	p := float32(0.500000037727) + f*(0.346573594013+f*(0.120110537427+
		f*(0.0277517855711+f*(0.00483801595916+f*0.000669543168234))))
	p = math.Float32frombits(math.Float32bits(p) + uint32(int32(n))<<23)
	return 1 - 1/(p+0.5)
}
