//go:build !amd64 || purego

package network

// activate does the same as apply for n numbers, at least one.
func activate(a Activation, z, slope []float64, n int) { a.portable(z[:n], slope[:n]) }
