// Package finite writes numbers that may be NaN or infinite to JSON, which has neither: they become null, and null is read as NaN.
package finite

import (
	"encoding/json"
	"math"
)

// Number is a number that is null in JSON if it is NaN or infinite. A null is read as NaN.
type Number float64

// MarshalJSON writes the number or null.
func (n Number) MarshalJSON() ([]byte, error) {
	if x := float64(n); !math.IsNaN(x) && !math.IsInf(x, 0) {
		return json.Marshal(x)
	}
	return []byte("null"), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (n *Number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*n = Number(math.NaN())
		return nil
	}
	return json.Unmarshal(text, (*float64)(n))
}

// Numbers converts a slice. The result is never nil, so that it is never null in JSON.
func Numbers(x []float64) []Number {
	out := make([]Number, len(x))
	for i, v := range x {
		out[i] = Number(v)
	}
	return out
}

// Floats converts a slice back to floats.
func Floats(x []Number) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}
