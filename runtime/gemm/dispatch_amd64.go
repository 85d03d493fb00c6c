//go:build !purego

package gemm

import "likc/runtime/isa"

var avx512 = isa.Best() == isa.AVX512

func product(dst []float32, m, n, k int, a []float32, row, column int, b []float32) {
	if avx512 {
		tiled(dst, m, n, k, a, row, column, b)
	} else {
		throughBLAS(dst, m, n, k, a, row, column, b)
	}
}

func addRow(dst, x, b []float64) {
	if !avx512 {
		portableRow(dst, x, b)
		return
	}
	const wide = 8 // bytes of a number
	for j := 0; j < len(dst); j += columns {
		mask := uint32(1)<<min(columns, len(dst)-j) - 1
		row(&dst[j], &x[0], &b[j], len(x), wide*len(dst), mask)
	}
}

// columns is the width of a tile.
const columns = 32

// size is the bytes of a number.
const size = 4

type kernel func(dst, a, b *float32, k, row, column, nextB, nextDst int, mask0, mask1 uint16)

// tiled is Product by the kernels.
func tiled(dst []float32, m, n, k int, a []float32, row, column int, b []float32) {
	tile, rows := kernel(tile1), 1
	switch {
	case m >= 12:
		tile, rows = tile12, 12
	case m >= 4:
		tile, rows = tile4, 4
	}
	for j := 0; j < n; j += columns {
		mask := uint32(1)<<min(columns, n-j) - 1
		for i := 0; i < m; i += rows {
			i := min(i, m-rows) // the last tile may overlap the one before
			tile(&dst[i*n+j], &a[i*row], &b[j], k, size*row, size*column, size*n, size*n, uint16(mask), uint16(mask>>16))
		}
	}
}
