package spline

import "math"

// Where a curve holds: the largest number, with its inverse the smallest, in its axis and slopes, and of decision times.
const (
	mostShape = 1e15
	mostTime  = 1e30
)

// holds reports whether densities at decision times from first to last can be computed. Elsewhere they are negligible (at
// the ends of the times below exp(-1e15) for alpha and beta of 1e-3 to 1e3), or the network is far from what trained it.
func (c *Curve) holds(first, last float64) bool {
	within := func(x float64) bool { return x >= 1/mostShape && x <= mostShape } // false for NaN
	for _, s := range c.slope {
		if !within(s) {
			return false
		}
	}
	return within(c.alpha) && within(c.beta) && first >= 1/mostTime && last <= mostTime
}

// Sum is the log density summed over response times, ascending, with non-decision time t.
func (c *Curve) Sum(rt []float64, t float64) float64 {
	value, _ := c.Add(c.unused, rt, t)
	return value
}

// Add returns what Sum returns, and adds its derivatives in the curve's parameters to g. dTau is the derivative with respect to a shift
// of all decision times.
func (c *Curve) Add(g *Sums, rt []float64, t float64) (value, dTau float64) {
	all, n := &c.totals, float64(len(rt))
	all.clear()
	first := c.divide(rt, t)
	dTau = c.addTails(g, 0, rt[:first], t)
	b := binNumbers{t: t, alpha: c.alpha, beta: c.beta}
	for k := range c.width {
		last := c.ends[k+1]
		if first == last {
			continue
		}
		b.set(c, k)
		addBin(&b, all, rt[first:last])
		b.addTo(g, k, &all.bin.moments)
		dTau += all.bin.tau
		first = last
	}
	dTau += c.addTails(g, len(c.width), rt[first:], t)
	squares, logs := all.finish(g)
	return logs - squares/2 - n*halfLog2Pi, dTau
}

// divide sets ends to the numbers of trials before each knot, and returns the first of them.
func (c *Curve) divide(rt []float64, t float64) int {
	fourfold, over := 4*c.alpha*c.beta, 1/(2*c.alpha)
	for k, u := range c.x {
		root := math.Sqrt(u*u + fourfold)
		if u > 0 {
			root = (u + root) * over
		} else {
			root = 2 * c.beta / (root - u)
		}
		c.times[k] = root * root // the decision time at which u(τ) = u
	}
	before(c.ends, rt, t, c.times)
	return c.ends[0]
}

// before sets counts to the numbers of response times, ascending and at least one, whose decision times come before each of times. It has
// no branch that depends on the trials, which the processor would guess wrong half of the time, and searches for all times at once.
func before(counts []int, rt []float64, t float64, times []float64) {
	clear(counts)
	for n := len(rt); n > 1; {
		half := n / 2
		for k, time := range times {
			at := counts[k]
			counts[k] = at + half*negative(rt[at+half-1]-t-time)
		}
		n -= half
	}
	for k, time := range times {
		counts[k] += negative(rt[counts[k]] - t - time)
	}
}

// negative is 1 for a negative number, else 0.
func negative(x float64) int { return int(math.Float64bits(x) >> 63) }

// addTails adds the trials of the tail that begins at knot at, and returns the derivative with respect to a shift of their decision
// times.
func (c *Curve) addTails(g *Sums, at int, rt []float64, t float64) (dTau float64) {
	for _, x := range rt {
		root := math.Sqrt(x - t)
		over := 1 / root
		y, slope, du := c.addTail(g, at, c.alpha*root-c.beta*over)
		rise, d, dAlpha, dBeta := c.axis(root, over, du)
		c.totals.add(y, slope*rise, dAlpha, dBeta)
		dTau += d
	}
	return dTau
}
