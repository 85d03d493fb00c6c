package evidence

import (
	"math"

	"likc/runtime/num/gemm"
)

// own sets the linear system for the fluxes at the nodes of panel e, which depend on one another. A flux is the density with which
// evidence reaches a boundary, and a panel is an interval of time.
func (v *volterra) own(e int) {
	first, m := e*order, v.sides*order
	for r := range m {
		v.system[r] = [2 * order]float64{}
		v.system[r][r] = 1
	}
	v.ownSame(e)
	for k := range v.sides {
		for i := range order {
			for j := range order {
				v.system[k*order+i][k*order+j] -= signs[k] * v.same[k].k[i*order+j]
			}
		}
	}
	if v.acrossOwn = v.sides == 2 && v.crosses(first, v.clock.v[max(first-1, 0)]); !v.acrossOwn {
		return
	}
	v.ownAcross(first, e)
	for k := range v.sides {
		for i := range order {
			for q := range inner {
				x := signs[k] * v.across[k].k[i*inner+q]
				for j, l := range rule.below[(i*inner+q)*order : (i*inner+q+1)*order] {
					v.system[k*order+i][(1-k)*order+j] -= x * l
				}
			}
		}
	}
}

// ownSame sets the kernels between nodes of panel e at the same boundary. For a smooth boundary they go to 0 as the time
// between the nodes does, except for the part that the pull adds (see pulls).
func (v *volterra) ownSame(e int) {
	first, h := e*order, v.edges[e+1]-v.edges[e]
	for i := range order {
		inverse, scale := v.inverse[:order], v.scale[:order]
		for j := range order {
			inverse[j], scale[j] = 0, 0
			if j != i {
				inverse[j] = 1 / (v.clock.v[first+i] - v.clock.v[first+j])
				scale[j] = math.Sqrt((v.tau[first+i]-v.tau[first+j])*inverse[j]) * rootTwoPi * math.Sqrt(h) * rule.root[i][j]
			}
		}
		for k := range v.sides {
			r := v.same[k].part(i*order, order)
			r.kernels(v.bound[k].v[first+i], v.inward[k][first+i], v.rate.v[first+i], v.still, v.bound[k].v[first:first+order], inverse, scale)
			r.k[i] = -v.pull[k][first+i] * math.Sqrt(v.rate.v[first+i]*h) * rootTwoPi * rule.root[i][i]
		}
	}
}

// part returns n kernels from the one at from.
func (r *row) part(from, n int) row {
	to := from + n
	return row{r.k[from:to], r.distance[from:to], r.clock[from:to], r.each[from:to]}
}

// ownAcross sets the kernels between each node of panel e and earlier points of the panel at the other boundary.
func (v *volterra) ownAcross(first, e int) {
	h := v.edges[e+1] - v.edges[e]
	clock := v.at(v.clock, e, rule.below)
	at := [2]dual{v.at(v.bound[0], e, rule.below), v.at(v.bound[1], e, rule.below)}
	for i := range order {
		inverse, scale := v.inverse[:inner], v.scale[:inner]
		for q := range inner {
			gap := at[0].v[i*inner+q] - at[1].v[i*inner+q]
			inverse[q] = 1 / max(v.clock.v[first+i]-clock.v[i*inner+q], 1e-4*gap*gap)
			scale[q] = math.Sqrt(inverse[q]) * rootTwoPi * h * rule.x[i] * rule.gauss.Weight[q]
		}
		for k := range v.sides {
			r := v.across[k].part(i*inner, inner)
			r.kernels(v.bound[k].v[first+i], v.inward[k][first+i], v.rate.v[first+i], v.still, at[1-k].v[i*inner:(i+1)*inner], inverse, scale)
		}
	}
}

// ownSlopes adds the contributions of the panel's own fluxes to the derivatives, through the derivatives of the kernels.
func (v *volterra) ownSlopes(e int) {
	first, dim := e*order, v.dim
	for k := range v.sides {
		for i := range order {
			r, slopes := v.same[k].part(i*order, order), v.slopes[(k*order+i)*dim:(k*order+i+1)*dim]
			at := first + i
			ofRate := -0.5 * r.k[i] * v.sol.flux[k].v[at] / v.rate.v[at] // the kernel at a distance of 0 goes as the root of the rate
			for p, d := range v.rate.d[at*dim : (at+1)*dim] {
				slopes[p] += ofRate * d
			}
			v.sums[k*order+i].add(&r, v.sol.flux[k].v[first:first+order], true)
			gemm.AddRow(slopes, r.distance, v.minus[k][first*dim:(first+order)*dim])
			if !v.still {
				gemm.AddRow(slopes, r.clock, v.minusS[first*dim:(first+order)*dim])
			}
		}
	}
	if !v.acrossOwn {
		return
	}
	clock := v.at(v.clock, e, rule.below)
	negative(clock.d)
	for k := range v.sides {
		at, flux := v.at(v.bound[1-k], e, rule.below), v.at(v.sol.flux[1-k], e, rule.below)
		negative(at.d)
		for i := range order {
			r, slopes := v.across[k].part(i*inner, inner), v.slopes[(k*order+i)*dim:(k*order+i+1)*dim]
			v.sums[k*order+i].add(&r, flux.v[i*inner:(i+1)*inner], true)
			gemm.AddRow(slopes, r.distance, at.d[i*inner*dim:(i+1)*inner*dim])
			if !v.still {
				gemm.AddRow(slopes, r.clock, clock.d[i*inner*dim:(i+1)*inner*dim])
			}
		}
	}
}

// factor factors the linear system by Gaussian elimination with partial pivoting.
func (v *volterra) factor() {
	m, a := v.sides*order, &v.system
	for c := range m {
		best := c
		for r := c + 1; r < m; r++ {
			if math.Abs(a[r][c]) > math.Abs(a[best][c]) {
				best = r
			}
		}
		v.pivot[c] = best
		a[c], a[best] = a[best], a[c]
		for r := c + 1; r < m; r++ {
			f := a[r][c] / a[c][c]
			a[r][c] = f
			if f == 0 {
				continue
			}
			for j := c + 1; j < m; j++ {
				a[r][j] -= f * a[c][j]
			}
		}
	}
}

// substitute solves the factored system for the right-hand side g, in place.
func (v *volterra) substitute(g []float64) {
	for c := range g {
		g[c], g[v.pivot[c]] = g[v.pivot[c]], g[c]
	}
	for r := range g {
		for j := range r {
			g[r] -= v.system[r][j] * g[j]
		}
	}
	for r := len(g) - 1; r >= 0; r-- {
		for j := r + 1; j < len(g); j++ {
			g[r] -= v.system[r][j] * g[j]
		}
		g[r] /= v.system[r][r]
	}
}
