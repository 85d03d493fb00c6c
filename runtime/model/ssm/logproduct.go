package ssm

import "math"

// logProduct accumulates the logarithm of a product of normal positive
// numbers without taking their logarithms: mantissas multiply, exponents add.
type logProduct struct {
	mantissa float64
	exponent int64
	pending  int
}

const (
	mantissaBits = 52
	mantissaMask = 1<<mantissaBits - 1
	oneBits      = 1023 << mantissaBits
	// maxPending mantissas in [1, 2) have a product that is representable.
	maxPending = 1000
)

// split moves the exponent of the product so far out of the mantissa.
func (p *logProduct) split() {
	bits := math.Float64bits(p.mantissa)
	p.exponent += int64(bits>>mantissaBits) - 1023
	p.mantissa = math.Float64frombits(bits&mantissaMask | oneBits)
	p.pending = 0
}

// reserve makes room for n more factors, n ≤ maxPending.
func (p *logProduct) reserve(n int) {
	if p.pending+n > maxPending {
		p.split()
	}
	p.pending += n
}

// times multiplies by x; room must be reserved.
func (p *logProduct) times(x float64) {
	bits := math.Float64bits(x)
	p.exponent += int64(bits>>mantissaBits) - 1023
	p.mantissa *= math.Float64frombits(bits&mantissaMask | oneBits)
}

// log returns the logarithm of the product.
func (p *logProduct) log() float64 {
	return float64(p.exponent)*math.Ln2 + math.Log(p.mantissa)
}
