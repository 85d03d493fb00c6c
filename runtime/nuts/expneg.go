package nuts

import "math"

// Every leapfrog needs one exponential of a number that is not positive; math.Exp, which minds all cases, would take a
// fifth of the time outside a small density.
const (
	pieces    = 32 // of an octave
	perPiece  = math.Ln2 / pieces
	perPieceH = 0x1.62e42fefp-06 // upper bits of perPiece: exact when multiplied by the number of pieces
	perPieceL = perPiece - perPieceH
	expFloor  = 700 // beyond it the weight is nothing
)

// octave[j] is 2^(-j/pieces).
var octave = func() (table [pieces]float64) {
	for j := range table {
		table[j] = math.Exp2(-float64(j) / pieces)
	}
	return table
}()

// expNeg is exp(-x) for x >= 0, to 2e-16 relative: exp(-x) = 2^-k · 2^(-j/32) · exp(r), |r| <= ln2/64; 0 beyond 700.
func expNeg(x float64) float64 {
	if x > expFloor {
		return 0
	}
	n := int(x*(1/perPiece) + 0.5)
	r := (float64(n)*perPieceH - x) + float64(n)*perPieceL
	r2 := r * r
	series := r + r2*((1.0/2+r*(1.0/6))+r2*((1.0/24+r*(1.0/120))+r2*(1.0/720)))
	scale := math.Float64frombits(uint64(1023-n/pieces) << 52)
	top := octave[n%pieces] * scale
	return top + top*series
}
