package nuts

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// source is a chain's own source of random numbers: PCG for speed, its state drawn by ChaCha8 under a key that holds seed,
// stream and chain whole. So no two of them share a key, and those that are close together have nothing in common.
func source(seed, stream uint64, chain int) *rand.PCG {
	key := [32]byte{16: 'n', 'u', 't', 's'}
	binary.LittleEndian.PutUint64(key[:8], seed)
	binary.LittleEndian.PutUint64(key[8:16], uint64(chain))
	binary.LittleEndian.PutUint64(key[24:], stream)
	state := rand.NewChaCha8(key)
	return rand.NewPCG(state.Uint64(), state.Uint64())
}

// StreamOf numbers the stream of a unit of work by its name, such as a subject's label: the first 64 bits of the name's
// SHA-256, and 0, which is the stream of work without a name, for "".
func StreamOf(name string) uint64 {
	if name == "" {
		return 0
	}
	sum := sha256.Sum256([]byte(name))
	return binary.LittleEndian.Uint64(sum[:8])
}
