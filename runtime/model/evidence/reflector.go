package evidence

import (
	"math"

	"likc/runtime/num/gemm"
	"likc/runtime/num/vec"
)

// Evidence that is reflected at a barrier is a Brownian motion with drift m in its clock, from which the barrier goes away at the speed -m. The free
// motion's density is then only a part of the density at height x above the barrier of evidence from height y, a time Δ before [borodin2002, Appendix 1]:
//
//	K(x - y - mΔ) + Q,  Q = E - W,  E = exp(m(x-y) - m²Δ/2 - (x+y)²/2Δ)/√(2πΔ),  W = 2m exp(2mx) Φ(-(x+y+mΔ)/√Δ).
//
// Q is the image of each source in the barrier. It adds slope·Q + dQ/dx to the kernel of the equation for the upper boundary. So one equation is enough,
// for the density at that boundary. The image of the boundary itself stands for a lower one wherever distances count: in the grid, in the pull, and
// in late densities.
//
//	[borodin2002] A. N. Borodin, P. Salminen, Handbook of Brownian Motion, 2nd ed., Birkhäuser, 2002.
type reflector struct {
	height  dual      // the height of the upper boundary above the barrier, at the nodes
	barrier dual      // the barrier at time 0, one number
	drift   float64   // m
	byParam []float64 // the derivatives of m in the parameters
	row     images    // working memory
	own     images    // the kernels of the panel that is being solved
	near    bool      // whether images of flux matter within the same panel
}

// images holds the kernels of the images of many sources at one node, and their derivatives: in the node's height, in the source's height, in the
// clock since the source, in the drift, and in the boundary's slope.
type images struct{ k, height, source, clock, drift, slope []float64 }

func newImages(mem *arena, n int) images {
	return images{mem.take(n), mem.take(n), mem.take(n), mem.take(n), mem.take(n), mem.take(n)}
}

// part returns n kernels from the one at from.
func (r *images) part(from, n int) images {
	to := from + n
	return images{r.k[from:to], r.height[from:to], r.source[from:to], r.clock[from:to], r.drift[from:to], r.slope[from:to]}
}

// kernels sets the kernels of the images of sources at heights y, for a node at height x with the given slope of the boundary, where the clock has the
// given rate. inverse holds 1/Δ for each source, and scale the factor before the exponential, including weights. Derivatives are left out unless slopes
// is set.
func (r *images) kernels(x, slope, rate, m float64, y, inverse, scale []float64, slopes bool) {
	n := len(inverse)
	e, beyond, roots := r.k[:n], r.slope[:n], r.source[:n] // the rows hold exp(…), Φ·exp(2mx) and √Δ first
	for j, inv := range inverse {
		reach, root := x+y[j], math.Sqrt(1/inv)
		e[j] = m*(x-y[j]) - 0.5*m*m/inv - 0.5*reach*reach*inv
		beyond[j], roots[j] = -reach/root-m*root, root
	}
	vec.Exp(e, e)
	vec.LogNormCDF(beyond, beyond)
	vec.AddScalar(beyond, beyond, 2*m*x) // the sum of logs, because Φ may be 0 and exp(2mx) infinite
	vec.Exp(beyond, beyond)
	for j, inv := range inverse {
		free := rate * scale[j]
		e, half := free*e[j], free*roots[j]*2/perRootTwoPi*beyond[j]
		u, w := m-(x+y[j])*inv, m*half
		q, by := e-w, u*e+2*m*(e-w)
		r.k[j] = slope*q + by
		if !slopes {
			continue
		}
		near := x - y[j] + m/inv
		r.height[j] = slope*by + (u*u-inv)*e + 4*m*m*q + 2*m*u*e
		r.source[j] = (slope*u + u*u - inv) * e
		r.clock[j] = 0.5 * (slope*(u*u-inv) + u*(u*u-3*inv)) * e
		r.drift[j] = slope*(near*e-half*(1+2*m*x)) + (1+near*u)*e - 2*w + 2*(1+2*m*x)*q
		r.slope[j] = q
	}
}

// prepareReflector sets the height of the boundary above the barrier, and the drift.
func (v *volterra) prepareReflector(b beginning) {
	if !v.mirrored {
		return
	}
	r := &v.reflector
	r.height = v.half(v.bound[0], v.bound[1])
	r.barrier = v.calculus.minus(b.f[fnUpper], v.half(b.f[fnUpper], b.f[fnLower]))
	r.drift, r.byParam = v.carried.v[0], v.carried.d
	v.sol.late = v.mem.take(v.dim)
	r.row, r.own = newImages(v.mem, max(len(v.tau), inner)), newImages(v.mem, order*inner)
}

// half returns half the differences of two columns.
func (c calculus) half(x, y dual) dual {
	out := c.minus(x, y)
	vec.MulScalar(out.v, out.v, 0.5)
	vec.MulScalar(out.d, out.d, 0.5)
	return out
}

// imaged holds earlier points at the boundary: their heights above the barrier, times of the clock and fluxes. The derivatives of the clock have the
// opposite sign.
type imaged struct {
	height, flux      dual
	clock, minusClock []float64
}

// addImages adds the contributions of images to the sums at the nodes of the panel that begins at node first. v.inverse and v.scale are as in add.
func (v *volterra) addImages(first int, of *imaged) {
	n, dim := len(of.clock), v.dim
	for i := range order {
		r := v.reflector.row.part(0, n)
		r.kernels(v.reflector.height.v[first+i], v.inward[0][first+i], v.rate.v[first+i], v.reflector.drift, of.height.v, v.inverse[i*n:(i+1)*n], v.scale[i*n:(i+1)*n], dim > 0)
		v.count(first, i, &r, of.flux.v)
		if slopes := v.slopes[i*dim : (i+1)*dim]; dim > 0 {
			gemm.AddRow(slopes, r.k, of.flux.d)
			gemm.AddRow(slopes, r.source, of.height.d)
			gemm.AddRow(slopes, r.clock, of.minusClock)
		}
	}
}

// count adds kernels times fluxes to the sums for node i of the panel that begins at node first. Of derivatives it adds those in what belongs to the
// node, and leaves those in a source's height and clock times its flux in the row.
func (v *volterra) count(first, i int, r *images, flux []float64) {
	sum, height, drift := &v.sums[i], 0.0, 0.0
	if v.dim == 0 {
		for j, g := range flux {
			sum.k += r.k[j] * g
		}
		return
	}
	for j, g := range flux {
		sum.k += r.k[j] * g
		height += r.height[j] * g
		drift += r.drift[j] * g
		r.source[j] *= g
		r.clock[j] *= g
		sum.clock += r.clock[j]
		sum.slope += r.slope[j] * g
	}
	slopes, byHeight := v.slopes[i*v.dim:(i+1)*v.dim], v.reflector.height.d[(first+i)*v.dim:]
	for p := range slopes {
		slopes[p] += height*byHeight[p] + drift*v.reflector.byParam[p]
	}
}

// imageOfStart adds the contributions of the start's image to the sums of the panel that begins at node first.
func (v *volterra) imageOfStart(first int) {
	o, m, dim := v.from, &v.reflector, v.dim
	one := v.mem.take(1)
	one[0] = 1
	for i := range order {
		at := first + i
		o.y[0], o.inverse[0], o.scale[0] = o.low-m.barrier.v[0], 1/v.s.v[at], -perRootTwoPi/math.Sqrt(v.s.v[at])
		r := m.row.part(0, 1)
		r.kernels(m.height.v[at], v.inward[0][at], v.rate.v[at], m.drift, o.y, o.inverse, o.scale, dim > 0)
		v.count(first, i, &r, one)
		slopes := v.slopes[i*dim : (i+1)*dim]
		for p := range slopes {
			slopes[p] += r.source[0]*(o.dlow[p]-m.barrier.d[p]) + r.clock[0]*(v.s.d[at*dim+p]-v.clock.d[at*dim+p])
		}
	}
}

// distantImages adds the contributions of the images of early panels, which are in blocks.
func (v *volterra) distantImages(first int) {
	b := &v.far
	clock, minusClock := b.column(clockOf, 0)
	if !v.crosses(first, clock[0]) {
		return
	}
	var bounds [2]dual
	for k := range bounds {
		bounds[k].v, bounds[k].d = b.column(boundOf, k)
	}
	height := v.half(bounds[0], bounds[1])
	negate(height.d)
	of := imaged{height: height, clock: clock, minusClock: minusClock}
	of.flux.v, of.flux.d = b.column(fluxOf, 0)
	v.addImages(first, &of)
}

// nearImages adds the contributions of the images of a panel shortly before e. It evaluates them at more points than the nodes.
func (v *volterra) nearImages(e, before int) {
	first := e * order
	if !v.crosses(first, v.clock.v[before*order]) {
		return
	}
	clock := v.at(v.clock, before, rule.between)
	v.setDistances(first, clock.v, v.edges[before+1]-v.edges[before], rule.gauss.Weight)
	of := imaged{v.at(v.reflector.height, before, rule.between), v.at(v.sol.flux[0], before, rule.between), clock.v, negate(clock.d)}
	v.addImages(first, &of)
}

// ownImages adds the images of flux in panel e to the system of the panel's fluxes.
func (v *volterra) ownImages(e int) {
	m, first, h := &v.reflector, e*order, v.edges[e+1]-v.edges[e]
	if m.near = v.crosses(first, v.clock.v[max(first-1, 0)]); !m.near {
		return
	}
	clock, height := v.below(v.clock, first), v.below(m.height, first)
	for i := range order {
		inverse, scale, x := v.inverse[:inner], v.scale[:inner], m.height.v[first+i]
		for q := range inner {
			reach := x + height[i*inner+q]
			inverse[q] = 1 / max(v.clock.v[first+i]-clock[i*inner+q], 1e-4*reach*reach)
			scale[q] = math.Sqrt(inverse[q]) * perRootTwoPi * h * rule.x[i] * rule.gauss.Weight[q]
		}
		r := m.own.part(i*inner, inner)
		r.kernels(x, v.inward[0][first+i], v.rate.v[first+i], m.drift, height[i*inner:(i+1)*inner], inverse, scale, v.dim > 0)
	}
	v.atNodes(m.own.k)
	for i := range order {
		for j, x := range v.byNode[i*order : (i+1)*order] {
			v.system[i][j] -= x
		}
	}
}

// ownImageSlopes adds the contributions of the images of the panel's own fluxes to the derivatives.
func (v *volterra) ownImageSlopes(first int) {
	m, dim := &v.reflector, v.dim
	if !m.near {
		return
	}
	flux := v.below(v.sol.flux[0], first)
	for i := range order {
		r := m.own.part(i*inner, inner)
		v.count(first, i, &r, flux[i*inner:(i+1)*inner])
	}
	slopes, from, to := v.slopes[:order*dim], first*dim, (first+order)*dim
	v.atNodes(m.own.source)
	gemm.AddRows(slopes, v.byNode[:], m.height.d[from:to], order, dim)
	v.atNodes(m.own.clock)
	gemm.AddRows(slopes, v.byNode[:], v.minusClock[from:to], order, dim)
}
