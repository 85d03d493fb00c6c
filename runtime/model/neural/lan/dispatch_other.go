//go:build !amd64 || purego

package lan

// available returns the kernels that may be used here.
func available() []kernels { return []kernels{portable} }
