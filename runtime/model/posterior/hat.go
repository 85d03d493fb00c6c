package posterior

import (
	"math"
	"math/rand/v2"
)

// hat draws from a concave log density between two ends, by rejection under three lines [gilks1992]. They are the height of the
// mode, and a tangent on either side where the log density is about 1 lower. It rejects about one proposal in five.
//
//	[gilks1992] Gilks, Wild (1992). Adaptive rejection sampling for Gibbs sampling. Applied Statistics 41, 337-348.
type hat struct {
	logDensity  func(y float64) (value, slope float64)
	mode, peak  float64 // the mode between the ends, and the log density there
	left, right side    // the hat below and above the mode
}

// side is one side of the hat: it is constant up to a distance from the mode, and then falls along a line to the end.
type side struct {
	level float64 // distance from the mode at which the line begins
	slope float64 // absolute slope of the line
	share float64 // share of the line's exponential distribution that lies before the end
	area  float64 // area under the line, as a density relative to the peak; 0 if there is no line
}

// newHat returns a hat between low and high. mode is the mode of the density on the whole line. The density must be finite
// somewhere between low and high.
func newHat(logDensity func(y float64) (value, slope float64), mode, low, high float64) *hat {
	h := &hat{logDensity: logDensity, mode: min(max(mode, low), high)}
	h.peak, _ = logDensity(h.mode)
	h.left, h.right = h.side(-1, h.mode-low), h.side(1, high-h.mode)
	return h
}

// side returns one side of the hat: below the mode if sign is -1, above it if sign is 1. end is the distance of the end from the mode.
func (h *hat) side(sign, end float64) side {
	drop := func(distance float64) float64 {
		value, _ := h.logDensity(h.mode + sign*distance)
		return h.peak - value
	}
	inside, at := 0.0, min(1, end)
	for !(drop(at) > 0.5) {
		if at >= end {
			return side{level: end}
		}
		inside, at = at, min(2*at, end)
	}
	for drop(at) > 2 {
		middle := inside + (at-inside)/2
		if middle == inside || middle == at {
			break
		}
		if drop(middle) < 0.5 {
			inside = middle
		} else {
			at = middle
		}
	}
	_, slope := h.logDensity(h.mode + sign*at)
	s := side{slope: math.Abs(slope)}
	s.level = max(at-drop(at)/s.slope, 0)
	s.share = -math.Expm1(-s.slope * (end - s.level))
	s.area = s.share / s.slope
	return s
}

// draw returns a value that is distributed according to the density.
func (h *hat) draw(rng *rand.Rand) float64 {
	level := h.left.level + h.right.level
	for {
		u := rng.Float64() * (level + h.left.area + h.right.area)
		y, bound := h.mode-h.left.level+u, 0.0
		switch {
		case u >= level+h.left.area:
			y, bound = h.right.draw(rng)
			y = h.mode + y
		case u >= level:
			y, bound = h.left.draw(rng)
			y = h.mode - y
		}
		value, _ := h.logDensity(y)
		if math.Log(rng.Float64()) <= value-h.peak-bound {
			return y
		}
	}
}

// draw returns a distance from the mode, from the line's exponential distribution, and the height of the line there, both relative
// to the peak in logs.
func (s *side) draw(rng *rand.Rand) (distance, height float64) {
	down := -math.Log1p(-rng.Float64() * s.share)
	return s.level + down/s.slope, -down
}
