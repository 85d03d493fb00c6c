//go:build !amd64 || purego

package gemm

var product = throughBLAS
