//go:build race

package kernel

// raced reports whether the race detector watches. A sync.Pool then forgets at random, and calls allocate that otherwise do not.
const raced = true
