package posterior

import "math"

// Support is where the parameter can be: its range cut to its prior's support.
func (p *Parameter) Support() (low, high float64) {
	low, high = p.Prior.Support()
	return max(low, p.Lower), min(high, p.Upper)
}

// Density returns the prior density at x, normalised over the range: 0 outside, and for a flat prior over an infinite range.
func (p *Parameter) Density(x float64) float64 {
	low, high := p.Support()
	switch {
	case !(x >= low && x <= high):
		return 0
	case p.Prior.IsFlat():
		return 1 / (high - low)
	}
	value, _ := p.Prior.LogDensity(x)
	return math.Exp(value) / p.Prior.Mass(low, high)
}
