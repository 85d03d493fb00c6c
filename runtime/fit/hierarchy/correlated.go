package hierarchy

import "math"

// Correlated effects have partial correlations as coordinates. From these the Cholesky factor L of the correlations follows row by row
// [lewandowski2009]. With r_ij the partial correlation of effects i and j < i, given the effects before j,
//
//	L_ij = r_ij √(Π_{k<j} (1 - r_ik²)),   L_ii = √(Π_{k<i} (1 - r_ik²)).
//
// The LKJ(1) density, uniform over correlation matrices, is a product of (1 - r_ij²)^((K-2-j)/2), j counted from 0.
//
//	[lewandowski2009] Lewandowski, Kurowicka, Joe (2009). Generating random correlation matrices based on vines and extended
//	                  onion method. Journal of Multivariate Analysis 100, 1989-2001.

// partialIndex returns the index of the partial correlation of effects i > j.
func (g *group) partialIndex(i, j int) int { return g.partial + i*(i-1)/2 + j }

// factor computes the Cholesky factor l of the correlations.
func (g *group) factor(coords []float64, l [][]float64) {
	for i := range l {
		left := 1.0
		for j := range i {
			r := coords[g.partialIndex(i, j)]
			l[i][j] = r * math.Sqrt(left)
			left *= (1 - r) * (1 + r)
		}
		l[i][i] = math.Sqrt(left)
	}
}

// factorGradient converts the gradient with respect to the Cholesky factor into one with respect to the partial correlations, and adds it
// to grad. It also adds the gradient of the LKJ density, and returns the log of that density.
func (g *group) factorGradient(coords, grad []float64, r *workspace) float64 {
	lp, k := 0.0, len(g.effects)
	for i := 1; i < k; i++ {
		for j := range i {
			at := g.partialIndex(i, j)
			x := coords[at]
			left := (1 - x) * (1 + x)
			after := 0.0 // d/dlog(1-r²)/2 of the elements after j in the row
			for m := j + 1; m <= i; m++ {
				after += r.gradL[i][m] * r.l[i][m]
			}
			here := 0.0
			if x != 0 {
				here = r.gradL[i][j] * r.l[i][j] / x
			} else {
				here = r.gradL[i][j] * g.rootBefore(coords, i, j)
			}
			exponent := float64(k-2-j) / 2
			lp += exponent * math.Log(left)
			grad[at] += here - x/left*(after+2*exponent)
		}
	}
	return lp
}

// rootBefore returns √(Π_{k<j} (1 - r_ik²)).
func (g *group) rootBefore(coords []float64, i, j int) float64 {
	product := 1.0
	for k := range j {
		r := coords[g.partialIndex(i, k)]
		product *= (1 - r) * (1 + r)
	}
	return math.Sqrt(product)
}

// toOffsetsCorrelated does what toOffsets does, for correlated effects.
func (g *group) toOffsetsCorrelated(coords, out []float64, r *workspace) {
	g.factor(coords, r.l)
	for level := range g.levels {
		at := g.offset(level, 0)
		for k, e := range g.effects {
			if g.shares[at-g.first] == 1 {
				out[at+k] = coords[at+k] - e.meanAt(coords)
				continue
			}
			sum := 0.0
			for m, l := range r.l[k][:k+1] {
				sum += l * coords[at+m]
			}
			out[at+k] = coords[e.spread] * sum
		}
	}
}

// densityCorrelated does what density does, for correlated effects.
func (g *group) densityCorrelated(coords, coefs, grad []float64, r *workspace) float64 {
	lp := -float64(len(g.shares)) * halfLog2Pi
	for _, row := range r.gradL {
		clear(row)
	}
	for level := range g.levels {
		at := g.offset(level, 0)
		if g.shares[at-g.first] == 1 {
			lp += g.centredLevel(at, coords, coefs, grad, r)
		} else {
			lp += g.nonCentredLevel(at, coords, coefs, grad, r)
		}
	}
	return lp + g.factorGradient(coords, grad, r)
}

// nonCentredLevel returns the log density of one level whose coordinates z ~ N(0, 1) give offsets u = diag(σ) L z. It converts the
// level's part of grad from derivatives with respect to coefficients to those with respect to coordinates.
func (g *group) nonCentredLevel(at int, coords, coefs, grad []float64, r *workspace) float64 {
	lp := 0.0
	copy(r.grad, grad[at:at+len(g.effects)])
	for k := range g.effects {
		z := coords[at+k]
		lp -= z * z / 2
		grad[at+k] = -z
	}
	for k, e := range g.effects {
		spread := coords[e.spread]
		grad[e.spread] += r.grad[k] * coefs[at+k] / spread
		scaled := spread * r.grad[k]
		for m := range k + 1 {
			grad[at+m] += scaled * r.l[k][m]
			r.gradL[k][m] += scaled * coords[at+m]
		}
	}
	return lp
}

// centredLevel returns the log density of one level whose coordinates are its coefficients. It converts the level's part of grad as
// nonCentredLevel does.
func (g *group) centredLevel(at int, coords, coefs, grad []float64, r *workspace) float64 {
	lp, n := 0.0, len(g.effects)
	for k, e := range g.effects { // y = L⁻¹ x, x = u/σ
		r.x[k] = coefs[at+k] / coords[e.spread]
		sum := r.x[k]
		for m, l := range r.l[k][:k] {
			sum -= l * r.y[m]
		}
		r.y[k] = sum / r.l[k][k]
		lp -= r.y[k]*r.y[k]/2 + math.Log(coords[e.spread]) + math.Log(r.l[k][k])
	}
	for k := n - 1; k >= 0; k-- { // h = L⁻ᵀ y
		sum := r.y[k]
		for m := k + 1; m < n; m++ {
			sum -= r.l[m][k] * r.h[m]
		}
		r.h[k] = sum / r.l[k][k]
	}
	for k, e := range g.effects {
		spread := coords[e.spread]
		grad[at+k] -= r.h[k] / spread
		if e.mean >= 0 {
			grad[e.mean] -= grad[at+k]
		}
		grad[e.spread] += (r.h[k]*r.x[k] - 1) / spread
		for m := range k + 1 {
			r.gradL[k][m] += r.h[k] * r.y[m]
		}
		r.gradL[k][k] -= 1 / r.l[k][k]
	}
	return lp
}

// toCoordinatesCorrelated does what toCoordinates does, for correlated effects.
func (g *group) toCoordinatesCorrelated(coefs, coords []float64, r *workspace) {
	g.factor(coefs, r.l)
	for level := range g.levels {
		at := g.offset(level, 0)
		for k, e := range g.effects {
			if g.shares[at-g.first] == 1 {
				coords[at+k] = coefs[at+k] + e.meanAt(coefs)
				continue
			}
			sum := coefs[at+k] / coefs[e.spread]
			for m, l := range r.l[k][:k] {
				sum -= l * coords[at+m]
			}
			coords[at+k] = sum / r.l[k][k]
		}
	}
}

// correlations replaces partial correlations by correlations, at the same indices.
func (g *group) correlations(coefs []float64, r *workspace) {
	g.factor(coefs, r.l)
	for i := range g.effects {
		for j := range i {
			sum := 0.0
			for m := range j + 1 {
				sum += r.l[i][m] * r.l[j][m]
			}
			coefs[g.partialIndex(i, j)] = sum
		}
	}
}
