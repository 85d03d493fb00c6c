//go:build race

package kernel

// raced reports whether the race detector runs. It makes a sync.Pool forget at random, so that calls allocate which otherwise do
// not.
const raced = true
