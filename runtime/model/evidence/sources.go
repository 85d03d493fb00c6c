package evidence

import (
	"math"

	"likc/runtime/num/gemm"
	"likc/runtime/num/vec"
)

// sources holds points at a boundary with their fluxes: the position, the clock and the flux, and the derivatives of these in
// the parameters. The derivatives of position and clock are stored with the opposite sign.
type sources struct {
	at, clock, flux          []float64
	minus, minusClock, dflux []float64
}

// add adds the contributions of sources to the sums of boundary k at the nodes of the panel that begins at node first. For each of these
// nodes, v.inverse holds one over the clock's difference from each source, and v.scale the factor before the kernel's exponential.
func (v *volterra) add(k, first int, of *sources) {
	n := len(of.at)
	for i := range order {
		at, from, to := first+i, i*n, (i+1)*n
		p := vec.Passages{K: v.rows.k[from:to], Distance: v.rows.distance[from:to], At: of.at, Inverse: v.inverse[from:to], Scale: v.scale[from:to], Flux: of.flux}
		if !v.fixedClock {
			p.Clock = v.rows.clock[from:to]
		}
		v.sums[k*order+i].plus(vec.Passage(&p, v.bound[k].v[at], v.inward[k][at], v.rate.v[at]))
	}
	if v.dim > 0 {
		slopes := v.slopes[k*order*v.dim : (k+1)*order*v.dim]
		gemm.AddRows(slopes, v.rows.k[:order*n], of.dflux, n, v.dim)
		gemm.AddRows(slopes, v.rows.distance[:order*n], of.minus, n, v.dim)
		if !v.fixedClock {
			gemm.AddRows(slopes, v.rows.clock[:order*n], of.minusClock, n, v.dim)
		}
	}
}

// plus adds to the sums.
func (s *sums) plus(k, slope, distance, clock float64) {
	s.k, s.slope, s.distance, s.clock = s.k+k, s.slope+slope, s.distance+distance, s.clock+clock
}

// add adds kernels times fluxes to the sums. With slopes it multiplies the derivatives in the row by the fluxes.
func (s *sums) add(r *row, flux []float64, slopes bool) {
	n := len(flux)
	k, distance, clock, slope := r.k[:n], r.distance[:n], r.clock[:n], r.slope[:n]
	var sum sums
	if !slopes {
		for j, g := range flux {
			sum.k += k[j] * g
		}
		s.k += sum.k
		return
	}
	for j, g := range flux {
		sum.k += k[j] * g
		distance[j] *= g
		sum.distance += distance[j]
		clock[j] *= g
		sum.clock += clock[j]
		sum.slope += slope[j] * g
	}
	s.k, s.distance, s.clock, s.slope = s.k+sum.k, s.distance+sum.distance, s.clock+sum.clock, s.slope+sum.slope
}

// setDistances sets v.inverse and v.scale (see add) for sources at the given times of the clock. Scales are multiplied by a factor and, if
// there are weights, by the weights of the sources.
func (v *volterra) setDistances(first int, clock []float64, factor float64, weights []float64) {
	n := len(clock)
	for i := range order {
		inverse, scale := v.inverse[i*n:(i+1)*n], v.scale[i*n:(i+1)*n]
		vec.AddScalar(inverse, clock, -v.clock.v[first+i])
		vec.ScalarDiv(inverse, inverse, -1)
		vec.Sqrt(scale, inverse)
		vec.MulScalar(scale, scale, factor*perRootTwoPi)
		if weights != nil {
			vec.Mul(scale, scale, weights)
		}
	}
}

// perRootTwoPi is 1/√(2π).
const perRootTwoPi = 0.39894228040143267794

// distant adds contributions to panel e. They come from panels before the given one: from v.firstActive, the first node whose density is not
// negligible.
func (v *volterra) distant(e, before int) {
	first, b := e*order, &v.far
	b.drop(v.edges[v.firstActive/order], v.dim)
	v.extend(before)
	v.join(e)
	if len(b.list) == 0 {
		return
	}
	clock, minusClock := b.column(clockOf, 0)
	v.setDistances(first, clock, 1, nil)
	if v.mirrored {
		v.distantImages(first)
	}
	across := v.sides == 2 && v.crosses(first, clock[0])
	for from := range v.sides {
		at, minus := b.column(boundOf, from)
		flux, dflux := b.column(fluxOf, from)
		of := sources{at, clock, flux, minus, minusClock, dflux}
		for k := range v.sides {
			if k == from || across {
				v.add(k, first, &of)
			}
		}
	}
}

// crosses reports whether flux at one boundary, since time `from` of the clock, matters at the other boundary in the panel that begins at
// node first. It does not where exp(-gap²/2Δs) is below exp(-crossExponent) for the least gap in this panel and the one before.
func (v *volterra) crosses(first int, from float64) bool {
	gap := math.Inf(1)
	for i := max(first-order, 0); i < first+order; i++ {
		gap = min(gap, v.bound[0].v[i]-v.bound[1].v[i])
	}
	return gap*gap < 2*crossExponent*(v.clock.v[first+order-1]-from)
}

// nearSame adds the contributions of a panel shortly before e at the same boundary, whose kernels vary as the inverse root of the time
// between. The weights contain 1/√Δτ, for the time τ of the process. So the kernels, which contain 1/√Δs, are multiplied by √Δτ.
func (v *volterra) nearSame(e, before int) {
	weights := v.roots[:]
	rule.rootsOver(v.edges[before+1]-v.edges[before], v.edges[e]-v.edges[before+1], v.edges[e+1]-v.edges[e], v.byNode[:], weights)
	first, from, to, dim := e*order, before*order, (before+1)*order, v.dim
	for i := range order {
		for j := range order {
			inverse := 1 / (v.clock.v[first+i] - v.clock.v[from+j])
			v.inverse[i*order+j] = inverse
			v.scale[i*order+j] = math.Sqrt((v.tau[first+i]-v.tau[from+j])*inverse) * perRootTwoPi * weights[i*order+j]
		}
	}
	for k := range v.sides {
		flux := v.sol.flux[k]
		of := sources{v.bound[k].v[from:to], v.clock.v[from:to], flux.v[from:to],
			v.minus[k][from*dim : to*dim], v.minusClock[from*dim : to*dim], flux.d[from*dim : to*dim]}
		v.add(k, first, &of)
	}
}

// nearAcross adds the contributions of a panel shortly before e at the other boundary. It evaluates them at more points than the
// nodes.
func (v *volterra) nearAcross(e, before int) {
	first := e * order
	if v.sides == 1 || !v.crosses(first, v.clock.v[before*order]) {
		return
	}
	clock := v.at(v.clock, before, rule.between)
	v.setDistances(first, clock.v, v.edges[before+1]-v.edges[before], rule.gauss.Weight)
	for b := range v.sides {
		at, flux := v.at(v.bound[b], before, rule.between), v.at(v.sol.flux[b], before, rule.between)
		of := sources{at.v, clock.v, flux.v, negate(at.d), negate(clock.d), flux.d}
		v.add(1-b, first, &of)
		negate(clock.d) // as it was, for the other boundary
	}
}

// negate changes the signs of the numbers in x in place, and returns x.
func negate(x []float64) []float64 {
	for i := range x {
		x[i] = -x[i]
	}
	return x
}
