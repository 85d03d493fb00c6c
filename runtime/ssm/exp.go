package ssm

import "math"

// blockSize is the number of trials whose columns are filled at a time: a few
// columns of this length stay in the first-level cache.
const blockSize = 256

// column is a block's worth of one intermediate quantity.
type column [blockSize]float64

// expTable holds 2^(j/32).
var expTable = func() (table [32]float64) {
	for j := range table {
		table[j] = math.Exp2(float64(j) / 32)
	}
	return table
}()

const (
	expScale = 32 / math.Ln2
	// ln2/32 in two parts; the first has trailing zeros, so that its product
	// with an integer below 2^20 is exact.
	expHigh  = 0x1.62e42fefap-6
	expLow   = 0x1.cf79abc9e3b39p-45
	expRound = 0x1.8p52 // adding it rounds to an integer, held in the low bits
)

// expColumn replaces x by exp(x), for -700 < x < 700 (not checked), within
// two units in the last place. The loop has no branch and no call, so a vector
// kernel can take its place.
func expColumn(x []float64) {
	for i, v := range x {
		shifted := v*expScale + expRound
		bits := math.Float64bits(shifted)
		n := shifted - expRound
		r := v - n*expHigh - n*expLow
		p := r * (1 + r*(1.0/2+r*(1.0/6+r*(1.0/24+r*(1.0/120)))))
		power := expTable[bits&31]
		y := power + power*p
		exponent := uint64(int64(bits<<13)>>(13+5)) << mantissaBits
		x[i] = math.Float64frombits(math.Float64bits(y) + exponent)
	}
}
