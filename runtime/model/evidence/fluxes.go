package evidence

import (
	"math"
)

// initial returns the absolute contribution of the start to each row.
func (v *volterra) initial() (size [2 * order]float64) {
	for r := range size {
		size[r] = math.Abs(v.sums[r].k)
	}
	return size
}

// reliable says when a density is too small a difference of large numbers: when it is less than this share of them. This is checked only
// after the peak, because a start that is spread up to a boundary has next to no density at first.
const reliable = 1e-10

// lateExponent is the exponent of a free motion's density from which on a boundary's density may have come down from its peak.
const lateExponent = 20

// fluxes solves the linear system of a panel for the fluxes. start holds the contributions of the start.
func (v *volterra) fluxes(first int, start [2 * order]float64) {
	m := v.sides * order
	g := v.right[:m]
	for r := range m {
		g[r] = signs[r/order] * v.sums[r].k
	}
	v.substitute(g, 1)
	for r := range m {
		k, at := r/order, first+r%order
		v.sol.flux[k].v[at] = g[r]
		late := !v.silent(k, at, lateExponent)
		if late && v.peak > 0 && g[r] < 1e-3*v.peak && !(g[r] > reliable*start[r]) && v.sol.last[k] > at {
			v.sol.last[k] = at
		}
	}
}

// derivatives solves the linear systems for the derivatives of the fluxes.
func (v *volterra) derivatives(first int) {
	m, dim := v.sides*order, v.dim
	for r := range m {
		k, at := r/order, first+r%order
		s, slopes := &v.sums[r], v.slopes[r*dim:(r+1)*dim]
		bound, clock := v.bound[k].d[at*dim:(at+1)*dim], v.clock.d[at*dim:(at+1)*dim]
		rate, slope, by := v.rate.d[at*dim:(at+1)*dim], v.path.slope[k].d[at*dim:(at+1)*dim], s.k/v.rate.v[at]
		for p := range slopes {
			slopes[p] = signs[k] * (slopes[p] + s.distance*bound[p] + s.clock*clock[p] + by*rate[p] + s.slope*slope[p])
		}
	}
	v.substitute(v.slopes[:m*dim], dim)
	for r := range m {
		at := first + r%order
		copy(v.sol.flux[r/order].d[at*dim:(at+1)*dim], v.slopes[r*dim:(r+1)*dim])
	}
}
