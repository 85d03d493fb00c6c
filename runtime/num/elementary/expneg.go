// Package elementary computes an exponential and a logarithm for the range of arguments that samplers need. They take half the
// time of package math's functions, which handle every argument. A sampler calls the exponential once per leapfrog step for
// its weight, and once per parameter for its transform.
package elementary

import "math"

const (
	pieces    = 32 // intervals into which an octave, a factor of 2, is divided
	perPiece  = math.Ln2 / pieces
	perPieceH = 0x1.62e42fefp-06 // upper bits of perPiece: exact when multiplied by the number of pieces
	perPieceL = perPiece - perPieceH
	expFloor  = 700     // for larger x the result is 0
	carrier   = 3 << 51 // adding it rounds a number to a whole number, which is then in the low bits of the sum
)

// octave[j] is 2^(-j/pieces).
var octave = func() (table [pieces]float64) {
	for j := range table {
		table[j] = math.Exp2(-float64(j) / pieces)
	}
	return table
}()

// ExpNeg returns exp(-x) for x >= 0, with a relative error below 5e-16: exp(-x) = 2^-k · 2^(-j/32) · exp(r), |r| <= ln2/64. It
// is 0 for x > 700, and NaN for NaN.
func ExpNeg(x float64) float64 {
	if !(x <= expFloor) {
		return 0 * (1 / x) // 0, or NaN for NaN
	}
	carried := x*(1/perPiece) + carrier
	n, bits := carried-carrier, math.Float64bits(carried)
	r := (n*perPieceH - x) + n*perPieceL
	r2 := r * r
	series := r + r2*((1.0/2+r*(1.0/6))+r2*((1.0/24+r*(1.0/120))+r2*(1.0/720)))
	scale := math.Float64frombits((1023 - bits/pieces%2048) << 52)
	top := octave[bits%pieces] * scale
	return top + top*series
}
