//go:build !amd64

package lan

// available returns the kernels that this machine runs.
func available() []kernels { return []kernels{portable} }
