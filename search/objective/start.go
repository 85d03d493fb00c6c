package objective

import "math"

// spreadOver is the number of points that a climb is begun from the best of.
const spreadOver = 48

// start puts every group at the point of the spread where its sum is highest; at
// the first of them where all are outside the support.
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
		c.ask(-1, 0, -1)
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

// reach scales a point of the spread to what group g can reach.
func (c *climber) reach(g int, x, dst []float64) {
	for j := range dst {
		dst[j] = min(x[j]*c.lanes.reach[g][j], c.groups[g].limit[j])
	}
}

// spread is n points of the d-dimensional unit cube, of Roberts's additive
// recurrence (The unreasonable effectiveness of quasirandom sequences, 2018).
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

// again goes back to the truth in the groups that stand higher there than on the
// top where their climb ended. Where no step climbed, or a short one towards the
// truth still climbs, it ended on no top but on what is too rough to climb: that
// would end at the truth too, which would pass for the estimate. Such a group is
// left where it is, to climb on if it can.
func (c *climber) again() {
	near := c.down
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

// towards sets every group's next that far from where it is to the truth, but not
// beyond.
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

// limits are the highest coordinates within reach of which differences are
// taken: steps that end at the edge of the support climb along it, where ones
// that leave it would be cut short in every coordinate.
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
