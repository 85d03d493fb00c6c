package spline

import "math"

// product is a product of many numbers, of which only the logarithm is wanted.
type product struct {
	log, rest float64
}

// times multiplies by a number between 1e-100 and 1e100, as all are where curve.holds.
func (p *product) times(x float64) {
	p.rest *= x
	if !(p.rest > 1e-150 && p.rest < 1e150) {
		p.log += math.Log(p.rest)
		p.rest = 1
	}
}

func (p *product) total() float64 { return p.log + math.Log(p.rest) }

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
	jacobian, squares := product{rest: 1}, 0.0
	n := float64(len(rt))
	for k := -1; len(rt) > 0; k++ {
		end, at := c.end(k), c.tail(k)
		var p piece
		if at < 0 {
			p = c.piece(k)
		}
		i := 0
		for ; i < len(rt); i++ {
			tau := rt[i] - t
			root := math.Sqrt(tau)
			over := 1 / root
			u := c.alpha*root - c.beta*over
			if u >= end {
				break
			}
			var y, slope float64
			if at < 0 {
				y, slope = p.value(u)
			} else {
				y, slope = c.y[at]+c.slope[at]*(u-c.x[at]), c.slope[at]
			}
			squares += y * y
			jacobian.times(slope * (c.alpha + c.beta*over*over) * over)
		}
		rt = rt[i:]
	}
	return jacobian.total() - squares/2 - n*(halfLog2Pi+math.Ln2)
}

// end is where bin k, or a tail, ends; NaN, which nothing is at or after, for the last tail.
func (c *Curve) end(k int) float64 {
	if k == len(c.width) {
		return math.NaN()
	}
	return c.x[k+1]
}

// Add returns what Sum returns, and adds its derivatives in the curve's parameters to g. dTau is the derivative with respect to a shift
// of all decision times.
func (c *Curve) Add(g *Sums, rt []float64, t float64) (value, dTau float64) {
	jacobian, squares := product{rest: 1}, 0.0
	n := float64(len(rt))
	for k := -1; len(rt) > 0; k++ {
		end, at := c.end(k), c.tail(k)
		var p piece
		var m moments
		if at < 0 {
			p = c.piece(k)
		}
		i := 0
		for ; i < len(rt); i++ {
			tau := rt[i] - t
			root := math.Sqrt(tau)
			overRoot := 1 / root
			u := c.alpha*root - c.beta*overRoot
			if u >= end {
				break
			}
			var y, slope, du float64
			if at < 0 {
				y, slope, du = p.add(&m, u)
			} else {
				y, slope, du = c.addTail(g, at, u)
			}
			rise, d := c.addAxis(g, root, overRoot, du)
			squares += y * y
			dTau += d
			jacobian.times(slope * rise)
		}
		if at < 0 {
			p.addTo(g, k, &m)
		}
		rt = rt[i:]
	}
	return jacobian.total() - squares/2 - n*halfLog2Pi, dTau
}
