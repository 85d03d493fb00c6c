package ssm

import "math/rand/v2"

// Crossed returns the boundary that a Brownian bridge touches in a step of length h: 1 for the upper one, -1 for the lower one, 0
// for none. It is given the distances from both boundaries at the beginning and the end.
func Crossed(r *rand.Rand, h, upper, upperEnd, lower, lowerEnd float64) float64 {
	return crossed(r, h, upper, upperEnd, lower, lowerEnd)
}

// TouchTime draws the first time at which a Brownian bridge of length h touches a line, provided that it does. It is given the bridge's
// distances from the line at both ends.
func TouchTime(r *rand.Rand, h, from, to float64) float64 { return touchTime(r, h, from, to) }

// LowestBridge draws the lowest point, at most 0, of a Brownian bridge that goes from 0 to `by` in time h. It returns 0 if the bridge
// almost certainly does not reach -x.
func LowestBridge(r *rand.Rand, h, x, by float64) float64 { return lowest(r, h, x, by) }
