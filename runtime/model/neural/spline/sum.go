package spline

import "math"

// A curve is computed only if the numbers of its axis and its slopes are from 1/mostShape to mostShape, and decision times, in seconds,
// from 1/mostTime to mostTime.
const (
	mostShape = 1e15
	mostTime  = 1e30
)

// holds reports whether densities at decision times from first to last can be computed. Otherwise densities are negligible, or the
// network is far from the parameters on which it was trained. (For alpha and beta from 1e-3 to 1e3, densities at the ends of the range
// of times are below exp(-1e15).)
func (c *Curve) holds(first, last float64) bool {
	within := func(x float64) bool { return x >= 1/mostShape && x <= mostShape } // false for NaN
	for _, s := range c.slope {
		if !within(s) {
			return false
		}
	}
	return within(c.alpha) && within(c.beta) && first >= 1/mostTime && last <= mostTime
}

// Sum returns the log density summed over response times, ascending, with non-decision time t.
func (c *Curve) Sum(rt []float64, t float64) float64 {
	value, _ := c.Add(c.unused, rt, t)
	return value
}

// Add returns the same as Sum, and adds the derivatives with respect to the curve's shape to g. dTau is the derivative with respect to a
// shift of all decision times.
func (c *Curve) Add(g *Sums, rt []float64, t float64) (value, dTau float64) {
	all, n := &c.totals, float64(len(rt))
	all.clear()
	c.divide()
	taken, dTau := c.addTail(g, 0, rt, t, c.times[0])
	rt = rt[taken:]
	b := binNumbers{t: t, alpha: c.alpha, beta: c.beta}
	for k, end := range c.times[1:] {
		if len(rt) == 0 || !(rt[0]-t < end) {
			continue
		}
		b.end = end
		b.set(c, k)
		rt = rt[addBin(&b, all, rt):]
		b.addTo(g, k, &all.bin.moments)
		dTau += all.bin.tau
	}
	_, rest := c.addTail(g, len(c.width), rt, t, math.Inf(1))
	squares, logs := all.finish(g)
	return logs - squares/2 - n*halfLog2Pi, dTau + rest
}

// divide sets times to the decision times at which u(τ) is at a knot.
func (c *Curve) divide() {
	fourfold, over := 4*c.alpha*c.beta, 1/(2*c.alpha)
	for k, u := range c.x {
		root := math.Sqrt(u*u + fourfold)
		if u > 0 {
			root = (u + root) * over
		} else {
			root = 2 * c.beta / (root - u)
		}
		c.times[k] = root * root
	}
}

// addTail adds the trials of the tail that begins at knot `at`: the first trials of rt, which is ascending, with decision times before
// end. It returns their number, and the derivative with respect to a shift of their decision times.
func (c *Curve) addTail(g *Sums, at int, rt []float64, t, end float64) (taken int, dTau float64) {
	for _, x := range rt {
		if !(x-t < end) {
			break
		}
		taken++
		root := math.Sqrt(x - t)
		over := 1 / root
		y, slope, du := c.addInTail(g, at, c.alpha*root-c.beta*over)
		rise, d, dAlpha, dBeta := c.axis(root, over, du)
		c.totals.add(y, slope*rise, dAlpha, dBeta)
		dTau += d
	}
	return taken, dTau
}
