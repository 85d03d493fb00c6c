//go:build !amd64 || purego

package gemm

var product = throughBLAS

func addRow(dst, x, b []float64) { portableRow(dst, x, b) }
