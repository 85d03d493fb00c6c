package gemm

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// throughBLAS does what Product does, by gonum's blas32.
func throughBLAS(dst []float32, m, n, k int, a []float32, row, column int, b []float32) {
	x, trans := blas32.General{Rows: m, Cols: k, Stride: max(row, k), Data: a}, blas.NoTrans
	if column != 1 {
		x, trans = blas32.General{Rows: k, Cols: m, Stride: column, Data: a}, blas.Trans
	}
	blas32.Gemm(trans, blas.NoTrans, 1, x, blas32.General{Rows: k, Cols: n, Stride: n, Data: b},
		0, blas32.General{Rows: m, Cols: n, Stride: n, Data: dst})
}
