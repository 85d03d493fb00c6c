package nuts

import (
	"encoding/binary"
	"math/rand/v2"

	"likc/runtime/num/stream"
)

// source returns a chain's source of random numbers. Its key contains all bits of seed, stream and chain.
func source(seed, of uint64, chain int) *rand.PCG {
	key := [32]byte{16: 'n', 'u', 't', 's'}
	binary.LittleEndian.PutUint64(key[:8], seed)
	binary.LittleEndian.PutUint64(key[8:16], uint64(chain))
	binary.LittleEndian.PutUint64(key[24:], of)
	return stream.Keyed(key)
}
