//go:build !amd64 || purego

package network

// activate is apply for n numbers, one at least.
func activate(a Activation, z, slope []float64, n int) { a.portable(z[:n], slope[:n]) }
