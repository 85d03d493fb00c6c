package evidence

import (
	"math"

	"likc/compiler/expr"
	"likc/runtime/num/gauss"
	"likc/runtime/num/gemm"
	"likc/runtime/num/vec"
)

// origin describes the starting points of the process.
type origin struct {
	low, high   float64      // the ends of the range of starting points; equal for a single point
	dlow, dhigh []float64    // the derivatives of low and high in the parameters
	kind        expr.LawKind // the kind of the distribution of starting points
	shape       [2]float64   // the two shapes of a beta distribution
	dshape      [2][]float64 // the derivatives of the shapes in the parameters
	norm        float64      // the log of the beta function of the shapes
	dnorm       [2]float64   // the derivatives of norm in both shapes

	y, inverse, scale []float64

	// For a spread start: the position x of points, from 0 at the lowest start to 1 at the highest, with log x, log(1 - x) and their weights.
	share, logX, log1X, weight []float64
	by                         [3]float64 // the derivatives of a sum in both shapes and in the highest start
	logs                       []float64  // for each point, the derivatives of its weight in both shapes of a beta distribution
	from, to                   float64    // the positions between which the points are, if ranged
	ranged                     bool
	row                        row
}

const (
	crossExponent = 45 // kernels between the two boundaries below exp(-45) of their largest possible value are taken to be 0

	startPoints = 32    // number of points of the rule that integrates over starts
	reach       = 8.5   // starts farther from a boundary than this, in standard deviations of the motion, do not count
	nearlyZero  = 1e-12 // a time that stands for 0, in seconds
)

var startRule = gauss.New(startPoints)

func (w *work) originOf(l *law, values, slopes []float64, b beginning) *origin {
	o := &w.origin
	first := w.derivatives(slopes, 0)
	*o = origin{low: b.low, high: b.high, kind: l.kind, dlow: first, dhigh: first}
	n := 1
	switch l.kind {
	case expr.UniformLaw:
		o.dhigh, n = w.derivatives(slopes, 1), startPoints
	case expr.BetaLaw:
		o.dlow, o.dhigh, n = w.derivatives(slopes, 2), w.derivatives(slopes, 3), startPoints
		o.shape, o.dshape = [2]float64{values[0], values[1]}, [2][]float64{first, w.derivatives(slopes, 1)}
		o.norms()
	}
	o.y, o.inverse, o.scale, o.row = w.mem.take(n), w.mem.take(n), w.mem.take(n), newRow(w.mem, n)
	o.share, o.logX, o.log1X, o.weight, o.logs = w.mem.take(n), w.mem.take(n), w.mem.take(n), w.mem.take(n), w.mem.take(2*n)
	return o
}

// derivatives returns the derivatives of value k of a law, in a list of those of all values.
func (w *work) derivatives(slopes []float64, k int) []float64 { return slopes[k*w.dim : (k+1)*w.dim] }

func (o *origin) norms() {
	a, b := o.shape[0], o.shape[1]
	o.norm = logGamma(a) + logGamma(b) - logGamma(a+b)
	o.dnorm = [2]float64{digamma(a) - digamma(a+b), digamma(b) - digamma(a+b)}
}

func logGamma(x float64) float64 {
	y, _ := math.Lgamma(x)
	return y
}

// between sets the points of the rule that integrates over starts from one share of their range to another, and their weights: the
// rule's times the density of a start there.
func (o *origin) between(from, to float64) {
	o.ranged, o.from, o.to = true, from, to
	for j, u := range startRule.X {
		step, density := u, 1.0
		if o.kind == expr.BetaLaw { // smooth at both ends
			step, density = u*u*(3-2*u), 6*u*(1-u)
		}
		x := from + (to-from)*step
		o.share[j], o.weight[j] = x, startRule.Weight[j]*(to-from)*density
		o.y[j] = o.low + (o.high-o.low)*x
	}
	if o.kind == expr.BetaLaw {
		o.densities()
	}
}

// densities multiplies the weights by the beta density of each starting point.
func (o *origin) densities() {
	vec.Log(o.logX, o.share)
	vec.Neg(o.log1X, o.share)
	vec.Log1p(o.log1X, o.log1X)
	density := o.row.k
	for j := range density {
		density[j] = (o.shape[0]-1)*o.logX[j] + (o.shape[1]-1)*o.log1X[j] - o.norm
	}
	vec.Exp(density, density)
	vec.Mul(o.weight, o.weight, density)
	for j, w := range o.weight {
		o.logs[2*j], o.logs[2*j+1] = w*(o.logX[j]-o.dnorm[0]), w*(o.log1X[j]-o.dnorm[1])
	}
}

// distance returns the distance of boundary k, which is at b, from the nearest starting point.
func (o *origin) distance(k int, b float64) float64 {
	if k == 0 {
		return b - o.high
	}
	return o.low - b
}

// beginning adds the contributions of the start to the sums of the panel, an interval of time, that begins at node first.
func (v *volterra) beginning(first int) {
	for k := range v.sides {
		for i := range order {
			v.fromStart(k, first+i, &v.sums[k*order+i], v.slopes[(k*order+i)*v.dim:(k*order+i+1)*v.dim])
		}
	}
	if v.mirrored {
		v.imageOfStart(first)
	}
}

// fromStart adds the contributions of the start to the sums for boundary k at node `at`.
func (v *volterra) fromStart(k, at int, sum *sums, slopes []float64) {
	o, dim := v.from, v.dim
	inverse := 1 / v.s.v[at]
	scale := -math.Sqrt(inverse) * perRootTwoPi // contributions of the start and of fluxes have opposite signs
	if len(o.y) == 1 {
		o.y[0], o.inverse[0], o.scale[0] = o.low, inverse, scale
		o.row.kernels(v.bound[k].v[at], v.inward[k][at], v.rate.v[at], v.fixedClock, o.y, o.inverse, o.scale)
		*sum = sums{o.row.k[0], o.row.distance[0], o.row.clock[0], o.row.slope[0]}
		for p := range slopes {
			slopes[p] = -sum.distance*o.dlow[p] + sum.clock*(v.s.d[at*dim+p]-v.clock.d[at*dim+p])
		}
		return
	}
	// Only starts within reach of the boundary count: from x low to x high, as shares of the way from the lowest to the highest start.
	low, high, width := 0.0, 1.0, o.high-o.low
	if width > 0 {
		far, b := reach*math.Sqrt(v.s.v[at]), v.bound[k].v[at]
		low, high = max(0, min((b-far-o.low)/width, 0.999)), min(1, max((b+far-o.low)/width, 0.001))
	}
	if !o.ranged || low != o.from || high != o.to {
		o.between(low, high)
	}
	for j := range o.weight {
		o.scale[j], o.inverse[j] = scale, inverse
	}
	p := vec.Passages{K: o.row.k, Distance: o.row.distance, Clock: o.row.clock, At: o.y, Inverse: o.inverse, Scale: o.scale, Flux: o.weight}
	*sum = sums{}
	sum.plus(vec.Passage(&p, v.bound[k].v[at], v.inward[k][at], v.rate.v[at]))
	if dim == 0 {
		return
	}
	by := &o.by
	clear(by[:])
	gemm.AddRow(by[:2], o.row.k, o.logs)
	gemm.AddRow(by[2:], o.row.distance, o.share)
	byHigh := -by[2]
	for p := range slopes {
		slopes[p] = sum.clock*(v.s.d[at*dim+p]-v.clock.d[at*dim+p]) + byHigh*o.dhigh[p] - (sum.distance+byHigh)*o.dlow[p]
	}
	if o.kind == expr.BetaLaw {
		for p := range slopes {
			slopes[p] += by[0]*o.dshape[0][p] + by[1]*o.dshape[1][p]
		}
	}
}
