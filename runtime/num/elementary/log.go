package elementary

import "math"

const (
	logBits   = 7 // number of leading bits of the mantissa that choose a centre
	centres   = 1 << logBits
	mantissa  = 52               // number of bits of the mantissa
	one       = 1023 << mantissa // bit pattern of 1
	ln2High   = 0x1.62e42fefa38p-01
	ln2Low    = math.Ln2 - ln2High
	lowest    = 1 << mantissa    // bit pattern of the smallest normal number
	infinity  = 2047 << mantissa // bit pattern of +Inf
	fractions = 1<<mantissa - 1  // mask of the bits of the mantissa
)

// centre is the middle of a subinterval of [1, 2), with its reciprocal and its logarithm.
type centre struct{ at, inverse, log float64 }

var table = func() (table [centres]centre) {
	for i := range table {
		at := 1 + (float64(i)+0.5)/centres
		table[i] = centre{at, 1 / at, math.Log(at)}
	}
	return table
}()

// Log returns log(x), with an error below 3e-16, relative or absolute, whichever is larger: x = 2^k·m and
// log(m) = log(c) + log(1 + (m-c)/c), where c is the nearest of 128 centres.
func Log(x float64) float64 {
	bits := math.Float64bits(x)
	if bits-lowest >= infinity-lowest { // x is not both normal and positive
		return math.Log(x)
	}
	c := &table[bits>>(mantissa-logBits)&(centres-1)]
	m := math.Float64frombits(bits&fractions | one)
	k := float64(int(bits>>mantissa) - 1023)
	r := (m - c.at) * c.inverse // |r| <= 1/256; the difference is exact
	r2 := r * r
	series := r2 * ((-1.0/2 + r*(1.0/3)) + r2*((-1.0/4+r*(1.0/5))+r2*(-1.0/6)))
	return k*ln2High + (c.log + (r + (series + k*ln2Low)))
}
