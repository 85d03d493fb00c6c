package posterior

import "math"

// Support returns the interval in which the parameter can be: the intersection of its range and its prior's support.
func (p *Parameter) Support() (low, high float64) {
	low, high = p.Prior.Support()
	return max(low, p.Lower), min(high, p.Upper)
}

// Density returns the prior density at x, normalised over the range. It is 0 outside the range, and everywhere for a flat prior over an
// infinite range.
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

// Quantile returns the value below which a share of the prior lies, restricted to the range. It is NaN if the prior cannot be
// normalised.
func (p *Parameter) Quantile(share float64) float64 {
	low, high := p.Support()
	if p.Prior.IsUniform() {
		if math.IsInf(high-low, 1) {
			return math.NaN()
		}
		return low + share*(high-low)
	}
	t, all := newTransform(low, high), p.Prior.Mass(low, high)
	place := t.place
	if math.IsInf(low, -1) && math.IsInf(high, 1) {
		place = math.Sinh // sinh reaches all numbers, for any width of the prior
	}
	from, to := -700.0, 700.0
	if place(from) > place(to) {
		from, to = to, from
	}
	for range 200 {
		if middle := (from + to) / 2; p.Prior.Mass(low, place(middle)) < share*all {
			from = middle
		} else {
			to = middle
		}
	}
	return place((from + to) / 2)
}
