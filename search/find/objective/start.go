package objective

import "math"

// spreadOver is the number of points at which sums are compared before a climb, which starts at the best of them.
const spreadOver = 48

// start moves every group to the point with the highest sum, of the spreadOver points that are spread over the ranges. If all points are
// outside a group's support, the group starts at the first point and its climb has ended.
func (c *climber) start() {
	c.lanes.use(none)
	for g := range c.groups {
		s := &c.groups[g]
		s.damping, s.done, s.moved, s.value = 1e-2, false, false, math.Inf(-1)
		c.reach(g, c.spread[0], s.at)
	}
	for _, x := range c.spread {
		for g := range c.groups {
			c.reach(g, x, c.groups[g].next)
		}
		c.ask(-1, 0, -1) // at next itself
		for g := range c.groups {
			if s := &c.groups[g]; c.sums[g] > s.value {
				s.value = c.sums[g]
				copy(s.at, s.next)
			}
		}
	}
	for g := range c.groups {
		c.groups[g].done = math.IsInf(c.groups[g].value, -1)
	}
}

// reach scales a spread point x to the range that group g can reach.
func (c *climber) reach(g int, x, dst []float64) {
	for j := range dst {
		dst[j] = min(x[j]*c.lanes.reach[g][j], c.groups[g].limit[j])
	}
}

// spread returns n points of the d-dimensional unit cube, by Roberts's additive recurrence (The unreasonable effectiveness of
// quasirandom sequences, 2018).
func spread(n, d int) [][]float64 {
	ratio := 2.0
	for range 60 {
		ratio = math.Pow(1+ratio, 1/float64(d+1))
	}
	x := matrix(n, d)
	for k := range x {
		for j := range x[k] {
			_, x[k][j] = math.Modf(0.5 + float64(k+1)/math.Pow(ratio, float64(j+1)))
		}
	}
	return x
}

// restartAtTruth restarts a group's climb at the true parameters if the sum is higher there and the first climb ended on a
// maximum. It did if it moved and a short step towards the truth does not raise the sum. A group without a finite sum restarts
// too. A climb that moved but did not end on a maximum continues; all other climbs stop.
func (c *climber) restartAtTruth() {
	near := c.down // memory for the sums after a short step
	c.lanes.use(none)
	c.towards(resolution)
	c.ask(-1, 0, -1)
	copy(near, c.sums)
	c.towards(1)
	c.ask(-1, 0, -1)
	for g := range c.groups {
		s := &c.groups[g]
		outside := math.IsInf(s.value, -1)
		top := s.moved && near[g] <= s.value
		switch {
		case c.sums[g] > s.value && (top || outside):
			copy(s.at, s.next)
			s.value, s.damping, s.done = c.sums[g], 1e-2, false
		case s.moved && !top:
			s.damping, s.done = 1e-2, false
		default:
			s.done = true
		}
	}
}

// towards sets the next point of every group to the one at the distance `length` from its present point in the direction of the
// truth, or to the truth if that is nearer. The distance is the largest difference of a coordinate.
func (c *climber) towards(length float64) {
	for g := range c.groups {
		s, far := &c.groups[g], 0.0
		for j, p := range c.lanes.params {
			s.next[j] = min((c.lanes.plan.theta[g][j]-p.Lower)/(p.Upper-p.Lower), s.limit[j])
			far = max(far, math.Abs(s.next[j]-s.at[j]))
		}
		if far <= length {
			continue
		}
		for j := range s.next {
			s.next[j] = s.at[j] + length/far*(s.next[j]-s.at[j])
		}
	}
}

// limits returns the highest value of each coordinate at which finite differences stay within the support, which ends at reach. A
// step that is cut there can continue along the edge of the support. A step that leaves the support would be shortened in all
// coordinates.
func limits(reach []float64) []float64 {
	limit := make([]float64, len(reach))
	for j, r := range reach {
		limit[j] = 1
		if r < 1-1e-5 {
			limit[j] = max(0, r-2*difference)
		}
	}
	return limit
}
