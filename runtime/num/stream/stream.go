// Package stream makes generators of random numbers from keys or names. Different keys give independent numbers, even if the keys are
// similar.
package stream

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// Keyed returns a generator for a key. It is a PCG generator, which is fast. Its state comes from ChaCha8 with the key, so that
// similar keys give unrelated numbers.
func Keyed(key [32]byte) *rand.PCG {
	state := rand.NewChaCha8(key)
	return rand.NewPCG(state.Uint64(), state.Uint64())
}

// Named returns the random numbers of a text: the key of the generator is the text's SHA-256 sum.
func Named(text string) *rand.Rand { return rand.New(Keyed(sha256.Sum256([]byte(text)))) }

// Of returns a number that identifies the random stream of a named unit of work, such as a subject with a label: the first 64 bits of
// the name's SHA-256 sum. It is 0 for "", for work without a name.
func Of(name string) uint64 {
	if name == "" {
		return 0
	}
	sum := sha256.Sum256([]byte(name))
	return binary.LittleEndian.Uint64(sum[:8])
}
