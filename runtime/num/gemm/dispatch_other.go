//go:build !amd64 || purego

package gemm

var product = throughBLAS

func addRows(dst, a, b []float64, k, n int) { portableRows(dst, a, b, k, 0, n) }
