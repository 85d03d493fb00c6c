package spline

import (
	"math"

	"likc/runtime/num/vec"
)

// Curve is the density of the decision time τ at one boundary for one parameter vector. Its shape is given by a network's outputs.
// With the axis
//
//	u(τ) = (√τ/e - e/√τ)/s
//
// and a monotone rational-quadratic spline S with linear tails ([durkan2019], section 3.1), S(u(τ)) is standard normal. The
// axis makes the tails those of first passages: exp(-O(1/τ)) as τ → 0 and exp(-O(τ)) as τ → ∞.
//
// [durkan2019] Durkan, Bekasov, Murray, Papamakarios. Neural spline flows. NeurIPS 2019.
type Curve struct {
	alpha, beta float64   // u = alpha·√τ - beta/√τ
	x, y        []float64 // u and S(u) at the knots, which separate the bins of the spline
	slope       []float64 // S' at the knots

	// The width and height of each bin, relative to the sum of all bins, and the derivatives of slopes with respect to the network's outputs.
	width, height, softened []float64
	powers                  []float64 // exponentials, one for each output of the network

	times  []float64 // decision times at the knots, for Add
	totals totals    // sums over trials, for Add
	unused *Sums     // receives derivatives that are not wanted
}

// edge is where the tails begin, both in u and in S(u).
const edge = 4.0

// leastShare is the smallest width or height of a bin, relative to the interval from -edge to edge. leastSlope is the smallest S'.
const (
	leastShare = 1e-3
	leastSlope = 1e-3
)

// Outputs returns the number of network outputs for a curve with that many bins. These are log e² and log s, the widths and heights of
// the bins, and the slopes at the knots.
func Outputs(bins int) int { return 2 + 2*bins + bins + 1 }

// NewCurve returns a curve with that many bins. Set gives it its shape.
func NewCurve(bins int) *Curve {
	n := bins + 1
	return &Curve{
		x: make([]float64, n), y: make([]float64, n), slope: make([]float64, n), softened: make([]float64, n),
		width: make([]float64, bins), height: make([]float64, bins), unused: NewSums(bins),
		powers: make([]float64, Outputs(bins)), times: make([]float64, n),
	}
}

// Set sets the curve's shape from a network's outputs.
func (c *Curve) Set(out []float64) {
	bins := len(c.width)
	e := c.powers
	e[0], e[1] = out[0]/2, -out[1]
	belowLargest(e[2:2+bins], out[2:2+bins])
	belowLargest(e[2+bins:2+2*bins], out[2+bins:2+2*bins])
	for k, raw := range out[2+2*bins:] {
		e[2+2*bins+k] = -math.Abs(raw + offset)
	}
	vec.Exp(e, e)
	half, scale := e[0], e[1]
	c.alpha, c.beta = scale/half, scale*half
	knots(c.x, c.width, e[2:2+bins])
	knots(c.y, c.height, e[2+bins:2+2*bins])
	c.soften(e[2+2*bins:], out[2+2*bins:])
}

// offset makes the slope 1 for a raw output of zero.
var offset = math.Log(math.Expm1(1 - leastSlope))

// soften sets slopes to leastSlope + log(1 + exp(x)) with x = raw + offset, and softened to their derivatives; e is exp(-|x|), and is
// overwritten.
func (c *Curve) soften(e, raw []float64) {
	for k, r := range raw {
		c.softened[k] = 1 / (1 + e[k])
		if r+offset < 0 {
			c.softened[k] *= e[k]
		}
	}
	vec.Log1p(e, e)
	for k, r := range raw {
		c.slope[k] = leastSlope + max(r+offset, 0) + e[k]
	}
}

// belowLargest sets dst to raw minus its largest element.
func belowLargest(dst, raw []float64) {
	largest := raw[0]
	for _, r := range raw {
		largest = max(largest, r)
	}
	for k, r := range raw {
		dst[k] = r - largest
	}
}

// knots sets x to the ends of the bins, which divide the interval from -edge to edge. It sets share to e, divided by its sum; except
// for a least share, the widths of the bins are proportional to it.
func knots(x, share, e []float64) {
	sum := 0.0
	for _, r := range e {
		sum += r
	}
	bins := float64(len(e))
	over := 1 / sum
	x[0] = -edge
	for k, r := range e {
		share[k] = r * over
		x[k+1] = x[k] + 2*edge*(leastShare+(1-bins*leastShare)*share[k])
	}
}

// Sums holds the derivatives of a sum of log densities with respect to the numbers that define a curve's shape.
type Sums struct {
	alpha, beta float64
	x, y, slope []float64
}

// NewSums returns the derivatives of a curve of that many bins, all zero.
func NewSums(bins int) *Sums {
	return &Sums{x: make([]float64, bins+1), y: make([]float64, bins+1), slope: make([]float64, bins+1)}
}

// Clear sets all derivatives to zero.
func (g *Sums) Clear() {
	g.alpha, g.beta = 0, 0
	clear(g.x)
	clear(g.y)
	clear(g.slope)
}

// Back overwrites dst with the derivatives with respect to the network's outputs, given g, those with respect to the curve's shape.
func (c *Curve) Back(g *Sums, dst []float64) {
	bins := len(c.width)
	dst[0] = (c.beta*g.beta - c.alpha*g.alpha) / 2
	dst[1] = -(c.beta*g.beta + c.alpha*g.alpha)
	knotsBack(dst[2:2+bins], g.x, c.width)
	knotsBack(dst[2+bins:2+2*bins], g.y, c.height)
	for k, d := range g.slope {
		dst[2+2*bins+k] = d * c.softened[k]
	}
}

// knotsBack converts dx, derivatives with respect to the x that knots computes, into derivatives with respect to the network's raw outputs.
func knotsBack(dst, dx, share []float64) {
	bins := len(share)
	scale := 2 * edge * (1 - float64(bins)*leastShare)
	after, mean := 0.0, 0.0 // a bin moves all knots after it
	for k := bins - 1; k >= 0; k-- {
		after += dx[k+1]
		dst[k] = scale * after
		mean += share[k] * dst[k]
	}
	for k, p := range share {
		dst[k] = p * (dst[k] - mean)
	}
}

// bin returns the index of the bin that contains u; -1 and len(width) mean the lower and the upper tail.
func (c *Curve) bin(u float64) int {
	if !(u >= c.x[0]) {
		return -1
	}
	k := 0
	for k < len(c.width) && u >= c.x[k+1] {
		k++
	}
	return k
}

// axisAt returns u(τ) and log u'(τ).
func (c *Curve) axisAt(tau float64) (u, logSlope float64) {
	root := math.Sqrt(tau)
	return c.alpha*root - c.beta/root, math.Log((c.alpha + c.beta/tau) / (2 * root))
}

// halfLog2Pi is log(2π)/2.
const halfLog2Pi = 0.91893853320467274178

// logDensity returns log p(τ).
func (c *Curve) logDensity(tau float64) float64 {
	u, logSlope := c.axisAt(tau)
	y, slope := c.spline(u)
	return math.Log(slope) - y*y/2 - halfLog2Pi + logSlope
}

// spline returns S(u) and S'(u).
func (c *Curve) spline(u float64) (y, slope float64) {
	k := c.bin(u)
	if at := c.tail(k); at >= 0 {
		return c.y[at] + c.slope[at]*(u-c.x[at]), c.slope[at]
	}
	p := c.piece(k)
	return p.value(u)
}

// tail returns the index of the knot at which tail k begins; -1 if k is a bin.
func (c *Curve) tail(k int) int {
	switch k {
	case -1:
		return 0
	case len(c.width):
		return len(c.width)
	}
	return -1
}

// distribution returns P(decision time ≤ τ).
func (c *Curve) distribution(tau float64) float64 {
	u, _ := c.axisAt(tau)
	y, _ := c.spline(u)
	return math.Erfc(-y/math.Sqrt2) / 2
}
