// Package stream makes sources of random numbers that have nothing in common, however close their keys are.
package stream

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// Keyed returns the source of a key: PCG for speed, its state drawn by ChaCha8 under the key. So no two keys share numbers, and those that are
// close together have nothing in common.
func Keyed(key [32]byte) *rand.PCG {
	state := rand.NewChaCha8(key)
	return rand.NewPCG(state.Uint64(), state.Uint64())
}

// Named returns numbers from the source whose key is the SHA-256 of a text.
func Named(text string) *rand.Rand { return rand.New(Keyed(sha256.Sum256([]byte(text)))) }

// Of numbers the stream of a unit of work by its name, such as a subject's label: the first 64 bits of the name's SHA-256, and 0, which is the
// stream of work without a name, for "".
func Of(name string) uint64 {
	if name == "" {
		return 0
	}
	sum := sha256.Sum256([]byte(name))
	return binary.LittleEndian.Uint64(sum[:8])
}
