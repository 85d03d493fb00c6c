//go:build race

package kernel

// raced reports whether the race detector runs. With it, a sync.Pool drops objects at random, so that calls allocate which otherwise do not.
const raced = true
