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

// standardise computes what the coordinates of one level determine: for each effect k, its mean c and its spread s given the effects
// before it, and z = (u - c)/s, which is standard normal a priori. With L the factor of the correlations, whose row k is scaled by σ_k,
//
//	c_k = σ_k Σ_{m<k} L_km z_m,   s_k = σ_k L_kk,   z_k = (q_k - w_k(μ_k + c_k)) / s_k^w_k.
func (g *group) standardise(at int, coords []float64, r *workspace) {
	for k, e := range g.effects {
		w, spread := g.shares[at-g.first+k], coords[e.spread]
		r.c[k] = r.given(k, spread)
		r.s[k] = spread * r.l[k][k]
		r.powers[k], _ = power(r.s[k], w)
		r.z[k] = (coords[at+k] - w*(e.meanAt(coords)+r.c[k])) / r.powers[k]
	}
}

// given returns the mean of effect k given the effects before it.
func (r *workspace) given(k int, spread float64) float64 {
	sum := 0.0
	for m, l := range r.l[k][:k] {
		sum += l * r.z[m]
	}
	return spread * sum
}

// toOffsetsCorrelated does what toOffsets does, for correlated effects.
func (g *group) toOffsetsCorrelated(coords, out []float64, r *workspace) {
	g.factor(coords, r.l)
	for level := range g.levels {
		at := g.offset(level, 0)
		g.standardise(at, coords, r)
		for k := range g.effects {
			out[at+k] = r.c[k] + r.s[k]*r.z[k]
		}
	}
}

// densityCorrelated does what density does, for correlated effects.
func (g *group) densityCorrelated(coords, grad []float64, r *workspace) float64 {
	lp := -float64(len(g.shares)) * halfLog2Pi
	for _, row := range r.gradL {
		clear(row)
	}
	for level := range g.levels {
		lp += g.levelDensity(g.offset(level, 0), coords, grad, r)
	}
	return lp + g.factorGradient(coords, grad, r)
}

// levelDensity returns the log density of one level's coordinates, without its constant. It converts the level's part of grad from
// derivatives with respect to offsets to those with respect to coordinates, from the last effect to the first.
func (g *group) levelDensity(at int, coords, grad []float64, r *workspace) (lp float64) {
	g.standardise(at, coords, r)
	for k, z := range r.z {
		r.gradZ[k] = -z
		lp -= z*z/2 + g.shares[at-g.first+k]*math.Log(r.s[k])
	}
	for k := len(g.effects) - 1; k >= 0; k-- {
		e, w, z, slope := g.effects[k], g.shares[at-g.first+k], r.z[k], grad[at+k]
		gradZ := r.gradZ[k] + slope*r.s[k]
		gradQ := gradZ / r.powers[k]
		gradC := slope - w*gradQ
		gradS := slope*z - w*(z*gradZ+1)/r.s[k]
		spread := coords[e.spread]
		grad[at+k] = gradQ
		grad[e.spread] += gradS*r.l[k][k] + gradC*r.c[k]/spread
		if e.mean >= 0 {
			grad[e.mean] -= w * gradQ
		}
		r.gradL[k][k] += gradS * spread
		for m, l := range r.l[k][:k] {
			r.gradL[k][m] += gradC * spread * r.z[m]
			r.gradZ[m] += gradC * spread * l
		}
	}
	return lp
}

// toCoordinatesCorrelated does what toCoordinates does, for correlated effects.
func (g *group) toCoordinatesCorrelated(coefs, coords []float64, r *workspace) {
	g.factor(coefs, r.l)
	for level := range g.levels {
		at := g.offset(level, 0)
		for k, e := range g.effects {
			w, spread := g.shares[at-g.first+k], coefs[e.spread]
			c, s := r.given(k, spread), spread*r.l[k][k]
			r.z[k] = (coefs[at+k] - c) / s
			toW, _ := power(s, w)
			coords[at+k] = w*(e.meanAt(coefs)+c) + toW*r.z[k]
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
