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
	all := &c.totals
	all.clear()
	n := float64(len(rt))
	for k := -1; len(rt) > 0; k++ {
		here := rt
		if k < len(c.width) {
			here = rt[:before(rt, t, c.time(c.x[k+1]))]
		}
		rt = rt[len(here):]
		switch at := c.tail(k); {
		case len(here) == 0:
		case at >= 0:
			dTau += c.addTails(g, at, here, t)
		default:
			p := c.piece(k)
			b := c.numbers(&p, t)
			addBin(&b, all, here)
			p.addTo(g, k, &all.bin.moments)
			dTau += all.bin.tau
		}
	}
	squares, logs := all.finish(g)
	return logs - squares/2 - n*halfLog2Pi, dTau
}

// time is the decision time τ at which u(τ) = u.
func (c *Curve) time(u float64) float64 {
	root := math.Sqrt(u*u + 4*c.alpha*c.beta)
	if u > 0 {
		root = (u + root) / (2 * c.alpha)
	} else {
		root = 2 * c.beta / (root - u)
	}
	return root * root
}

// before counts the response times, ascending, whose decision times come before a time.
func before(rt []float64, t, time float64) int {
	first, n := 0, len(rt)
	for n > 0 {
		half := n / 2
		if rt[first+half]-t < time {
			first, n = first+half+1, n-half-1
		} else {
			n = half
		}
	}
	return first
}

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
