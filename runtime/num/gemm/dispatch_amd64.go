//go:build !purego

package gemm

import "likc/runtime/num/isa"

var avx512 = isa.Best() == isa.AVX512

func product(dst []float32, m, n, k int, a []float32, row, column int, b []float32) {
	if avx512 {
		tiled(dst, m, n, k, a, row, column, b)
	} else {
		throughBLAS(dst, m, n, k, a, row, column, b)
	}
}

func addRows(dst, a, b []float64, k, n int) {
	switch isa.Best() {
	case isa.AVX512:
		addRows512(dst, a, b, k, n)
	case isa.AVX2:
		addRows2(dst, a, b, k, n)
	default:
		portableRows(dst, a, b, k, 0, n)
	}
}

// doubleSize is the size of a number in double precision, in bytes.
const doubleSize = 8

type doubleKernel func(dst, a, b *float64, k, row, next int, mask uint64)

// The kernels of tiles whose rows have 1, 4 or 5 vectors. The index is the number of rows.
var (
	oneVector   = [...]doubleKernel{1: add1x1AVX512, 2: add2x1AVX512, 5: add5x1AVX512, 8: add8x1AVX512}
	fourVectors = [...]doubleKernel{1: add1x4AVX512, 2: add2x4AVX512, 5: add5x4AVX512}
	fiveVectors = [...]doubleKernel{1: add1x5AVX512, 2: add2x5AVX512, 5: add5x5AVX512}
)

// addRows512 does what AddRows does, by AVX-512 kernels for tiles of 8, 5, 2 and 1 rows.
func addRows512(dst, a, b []float64, k, n int) {
	for m := len(dst) / n; m > 0; {
		rows := 1
		if m >= 8 && n <= 8 {
			rows = 8
		} else if m >= 5 {
			rows = 5
		} else if m >= 2 {
			rows = 2
		}
		for j := 0; j < n; {
			width, kernels := 32, fourVectors[:]
			if n-j <= 8 {
				kernels = oneVector[:]
			} else if n-j > 32 && n-j <= 40 {
				width, kernels = 40, fiveVectors[:]
			}
			add := kernels[rows]
			add(&dst[j], &a[0], &b[j], k, doubleSize*k, doubleSize*n, uint64(1)<<min(width, n-j)-1)
			j += width
		}
		m, dst = m-rows, dst[rows*n:]
		if m > 0 {
			a = a[rows*k:]
		}
	}
}

// addRows2 does what AddRows does, by AVX2 kernels for tiles of 1 or 2 rows and 16 columns. Portable Go computes the columns after the last
// tile.
func addRows2(dst, a, b []float64, k, n int) {
	whole, m := n/16*16, len(dst)/n
	for i := 0; i < m && whole > 0; {
		add, rows := add1x4AVX2, 1
		if m-i >= 2 {
			add, rows = add2x4AVX2, 2
		}
		for j := 0; j < whole; j += 16 {
			add(&dst[i*n+j], &a[i*k], &b[j], k, doubleSize*k, doubleSize*n)
		}
		i += rows
	}
	portableRows(dst, a, b, k, whole, n)
}

// columns is the number of columns of a tile in single precision.
const columns = 32

// singleSize is the size of a number in single precision, in bytes.
const singleSize = 4

type kernel func(dst, a, b *float32, k, row, column, nextB, nextDst int, mask0, mask1 uint16)

// tiled does what Product does, by AVX-512 kernels for tiles of 12, 4 or 1 rows.
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
			tile(&dst[i*n+j], &a[i*row], &b[j], k, singleSize*row, singleSize*column, singleSize*n, singleSize*n, uint16(mask), uint16(mask>>16))
		}
	}
}
