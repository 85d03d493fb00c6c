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
	if v.mirrored {
		v.ownImages(e)
	}
	if v.acrossOwn = v.sides == 2 && v.crosses(first, v.clock.v[max(first-1, 0)]); !v.acrossOwn {
		return
	}
	v.ownAcross(first, e)
	for k := range v.sides {
		v.atNodes(v.across[k].k)
		for i := range order {
			row := v.system[k*order+i][(1-k)*order:]
			for j, x := range v.byNode[i*order : (i+1)*order] {
				row[j] -= signs[k] * x
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
				scale[j] = math.Sqrt((v.tau[first+i]-v.tau[first+j])*inverse[j]) * perRootTwoPi * math.Sqrt(h) * rule.root[i][j]
			}
		}
		for k := range v.sides {
			r := v.same[k].part(i*order, order)
			r.kernels(v.bound[k].v[first+i], v.inward[k][first+i], v.rate.v[first+i], v.fixedClock, v.bound[k].v[first:first+order], inverse, scale)
			r.k[i] = -v.pull[k][first+i] * math.Sqrt(v.rate.v[first+i]*h) * perRootTwoPi * rule.root[i][i]
		}
	}
}

// part returns n kernels from the one at from.
func (r *row) part(from, n int) row {
	to := from + n
	return row{r.k[from:to], r.distance[from:to], r.clock[from:to], r.slope[from:to]}
}

// ownAcross sets the kernels between each node of panel e and earlier points of the panel at the other boundary.
func (v *volterra) ownAcross(first, e int) {
	h := v.edges[e+1] - v.edges[e]
	clock := v.below(v.clock, first)
	at := [2][]float64{v.below(v.bound[0], first), v.below(v.bound[1], first)}
	for i := range order {
		inverse, scale := v.inverse[:inner], v.scale[:inner]
		for q := range inner {
			gap := at[0][i*inner+q] - at[1][i*inner+q]
			inverse[q] = 1 / max(v.clock.v[first+i]-clock[i*inner+q], 1e-4*gap*gap)
			scale[q] = math.Sqrt(inverse[q]) * perRootTwoPi * h * rule.x[i] * rule.gauss.Weight[q]
		}
		for k := range v.sides {
			r := v.across[k].part(i*inner, inner)
			r.kernels(v.bound[k].v[first+i], v.inward[k][first+i], v.rate.v[first+i], v.fixedClock, at[1-k][i*inner:(i+1)*inner], inverse, scale)
		}
	}
}

// ownSlopes adds the contributions of the panel's own fluxes to the derivatives, through the derivatives of the kernels.
func (v *volterra) ownSlopes(e int) {
	first := e * order
	for k := range v.sides {
		for i := range order {
			r, slopes := v.same[k].part(i*order, order), v.slopes[(k*order+i)*v.dim:(k*order+i+1)*v.dim]
			at := first + i
			ofRate := -0.5 * r.k[i] * v.sol.flux[k].v[at] / v.rate.v[at] // the kernel at a distance of 0 goes as the root of the rate
			for p, d := range v.rate.d[at*v.dim : (at+1)*v.dim] {
				slopes[p] += ofRate * d
			}
			v.sums[k*order+i].add(&r, v.sol.flux[k].v[first:first+order], true)
		}
		v.addNodes(k, k, first, v.same[k].distance, v.same[k].clock)
	}
	if v.mirrored {
		v.ownImageSlopes(first)
	}
	if !v.acrossOwn {
		return
	}
	for k := range v.sides {
		flux, clock := v.below(v.sol.flux[1-k], first), v.mem.take(order*order)
		for i := range order {
			r := v.across[k].part(i*inner, inner)
			v.sums[k*order+i].add(&r, flux[i*inner:(i+1)*inner], true)
		}
		if !v.fixedClock {
			v.atNodes(v.across[k].clock)
			copy(clock, v.byNode[:])
		}
		v.atNodes(v.across[k].distance)
		v.addNodes(k, 1-k, first, v.byNode[:], clock)
	}
}

// addNodes adds to the derivatives at boundary k those of the positions and of the clock at the nodes of the panel at boundary b, which begins
// at node first, times factors, row-major.
func (v *volterra) addNodes(k, b, first int, distance, clock []float64) {
	slopes, from, to := v.slopes[k*order*v.dim:(k+1)*order*v.dim], first*v.dim, (first+order)*v.dim
	gemm.AddRows(slopes, distance, v.minus[b][from:to], order, v.dim)
	if !v.fixedClock {
		gemm.AddRows(slopes, clock, v.minusClock[from:to], order, v.dim)
	}
}

// below returns the values of f at the points before each node of the panel that begins at node first.
func (v *volterra) below(f dual, first int) []float64 {
	out := v.mem.take(order * inner)
	gemm.AddRow(out, f.v[first:first+order], rule.belowByNode)
	return out
}

// atNodes sets byNode, row-major, to what factors at the points before each node of a panel are for the panel's nodes, whose polynomials have
// their values there.
func (v *volterra) atNodes(factors []float64) {
	clear(v.byNode[:])
	for i := range order {
		gemm.AddRow(v.byNode[i*order:(i+1)*order], factors[i*inner:(i+1)*inner], rule.below[i*inner*order:(i+1)*inner*order])
	}
}

// factor factors the linear system by Gaussian elimination with partial pivoting. Off the diagonal it leaves the factors with the opposite
// sign, so that substitution adds.
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
			f := -a[r][c] / a[c][c]
			a[r][c] = f
			if f == 0 {
				continue
			}
			for j := c + 1; j < m; j++ {
				a[r][j] += f * a[c][j]
			}
		}
	}
	for r := range m {
		for j := r + 1; j < m; j++ {
			a[r][j] = -a[r][j]
		}
	}
}

// substitute solves the factored system for n right-hand sides, in place. Row r of g holds number r of each.
func (v *volterra) substitute(g []float64, n int) {
	m := v.sides * order
	for c, with := range v.pivot[:m] {
		if with != c {
			for q := range n {
				g[c*n+q], g[with*n+q] = g[with*n+q], g[c*n+q]
			}
		}
	}
	for r := range m {
		gemm.AddRow(g[r*n:(r+1)*n], v.system[r][:r], g[:r*n])
	}
	for r := m - 1; r >= 0; r-- {
		gemm.AddRow(g[r*n:(r+1)*n], v.system[r][r+1:m], g[(r+1)*n:m*n])
		for q := range n {
			g[r*n+q] /= v.system[r][r]
		}
	}
}
