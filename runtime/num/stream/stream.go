// Package stream makes sources of random numbers from keys or names. The numbers of different keys are independent, even if the
// keys are similar.
package stream

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// Keyed returns the source of a key. It is a PCG generator, which is fast; its state comes from ChaCha8 with the key, so that
// similar keys give unrelated numbers.
func Keyed(key [32]byte) *rand.PCG {
	state := rand.NewChaCha8(key)
	return rand.NewPCG(state.Uint64(), state.Uint64())
}

// Named returns numbers from the source whose key is the SHA-256 of a text.
func Named(text string) *rand.Rand { return rand.New(Keyed(sha256.Sum256([]byte(text)))) }

// Of returns the number of the stream for a unit of work with a name, such as a subject's label: the first 64 bits of the
// name's SHA-256. It is 0 for "", the stream of work without a name.
func Of(name string) uint64 {
	if name == "" {
		return 0
	}
	sum := sha256.Sum256([]byte(name))
	return binary.LittleEndian.Uint64(sum[:8])
}
