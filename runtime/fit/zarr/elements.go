package zarr

import (
	"encoding/binary"
	"math"
)

// PutFloat appends an element of the type [Float].
func PutFloat(to []byte, x float64) []byte {
	return binary.LittleEndian.AppendUint64(to, math.Float64bits(x))
}

// PutInt appends an element of the type [Int].
func PutInt(to []byte, x int) []byte { return binary.LittleEndian.AppendUint64(to, uint64(x)) }

// PutBool appends an element of the type [Bool].
func PutBool(to []byte, x bool) []byte {
	if x {
		return append(to, 1)
	}
	return append(to, 0)
}
