package hierarchy

import (
	"math"
	"slices"
)

// group holds the effects of one group term of one formula, such as (1 + x | id): K effects that vary over J levels.
//
// Level j has the offsets u_j ~ N(0, diag(σ) R diag(σ)), where R is the identity unless effects are correlated. Its coefficients
// are μ + u_j, where μ holds the common coefficients of the same terms, or 0.
//
// The offset u of an effect at a level is a function of its coordinate q, which the sampler moves. The coordinate's share w, from 0 to 1,
// says how far it is centred at the mean:
//
//	u = σ^(1-w) (q - wμ),   q ~ N(wμ, σ^w),
//
// The posterior is the same for every w [gorinova2020]. For w = 0, q is the offset divided by its spread; for w = 1, q is the
// level's coefficient. Correlated effects follow one another: the mean and the spread of each are those given the effects before it; see
// standardise.
//
//	[gorinova2020] Gorinova, Moore, Hoffman (2020). Automatic reparameterisation of probabilistic programs. ICML.
type group struct {
	param   int       // index of the parameter whose formula has the term
	by      string    // name of the grouping
	levels  []string  // labels of the levels
	index   []int     // level of each row, which is a trial
	effects []effect  // the K effects
	names   []string  // names of the effects, without a level
	first   int       // index of the first offset; that of level j and effect k is first + j·K + k
	shares  []float64 // w of each offset
	partial int       // index of the first partial correlation; -1 if effects are not correlated
	form    Form      // the parameterisation that the user chose
}

// effect is one column whose coefficient varies by group.
type effect struct {
	mean   int     // index of the common coefficient of the same column; -1 for none
	spread int     // index of the spread σ, the standard deviation of the offsets
	wide   float64 // a spread so large that the levels hardly influence each other; for starts and bounds of the search for modes
}

// offset returns the index of an offset among the coordinates.
func (g *group) offset(level, effect int) int { return g.first + level*len(g.effects) + effect }

// correlated reports whether the effects are correlated.
func (g *group) correlated() bool { return g.partial >= 0 }

// setShares gives every offset the same share.
func (g *group) setShares(w float64) {
	for i := range g.shares {
		g.shares[i] = w
	}
}

// workspace is the working memory for evaluating a group.
type workspace struct {
	powers, inverses []float64 // σ^w and σ^(1-w) of each offset

	// The rest is for correlated effects.
	l, gradL       [][]float64 // Cholesky factor of the correlations, and the gradient with respect to it
	c, s, z, gradZ []float64   // mean, spread and standard normal coordinate of each effect of a level; see standardise
}

func newWorkspace(g *group) *workspace {
	k := len(g.effects)
	if !g.correlated() {
		return &workspace{powers: make([]float64, len(g.shares)), inverses: make([]float64, len(g.shares))}
	}
	r := &workspace{powers: make([]float64, k), c: make([]float64, k), s: make([]float64, k), z: make([]float64, k), gradZ: make([]float64, k)}
	for range k {
		r.l, r.gradL = append(r.l, make([]float64, k)), append(r.gradL, make([]float64, k))
	}
	return r
}

// meanAt returns the mean of an effect at the coordinates.
func (e *effect) meanAt(coords []float64) float64 {
	if e.mean < 0 {
		return 0
	}
	return coords[e.mean]
}

// toOffsets converts the coordinates of the offsets into offsets, and writes these to out at the same indices.
func (g *group) toOffsets(coords, out []float64, r *workspace) {
	if g.correlated() {
		g.toOffsetsCorrelated(coords, out, r)
		return
	}
	n := len(g.effects)
	for k := range g.effects {
		mean, spread := g.effects[k].meanAt(coords), coords[g.effects[k].spread]
		for i := k; i < len(g.shares); i += n {
			w, q := g.shares[i], coords[g.first+i]
			r.powers[i], r.inverses[i] = power(spread, w)
			out[g.first+i] = r.inverses[i] * (q - w*mean)
		}
	}
}

// power returns σ^w and σ^(1-w).
func power(spread, w float64) (toW, rest float64) {
	switch w {
	case 0:
		return 1, spread
	case 1:
		return spread, 1
	}
	toW = math.Pow(spread, w)
	return toW, spread / toW
}

// density returns the log density of the coordinates, given means, spreads and correlations. On entry, grad holds the gradient of the
// log-likelihood with respect to the coefficients. On return, it holds the gradient of the log-likelihood plus this log density, with
// respect to the coordinates. toOffsets must have written the offsets to coefs before.
func (g *group) density(coords, coefs, grad []float64, r *workspace) float64 {
	if g.correlated() {
		return g.densityCorrelated(coords, grad, r)
	}
	lp, n := 0.0, len(g.effects)
	for k, e := range g.effects {
		spread, logSpread := coords[e.spread], math.Log(coords[e.spread])
		inverse := 1 / spread
		var gradMean, gradSpread, squares, sum float64
		for i := k; i < len(g.shares); i += n {
			w, u, slope := g.shares[i], coefs[g.first+i], grad[g.first+i]
			scaled := u * inverse
			squares += scaled * scaled
			sum += w
			slopeQ := slope*r.inverses[i] - scaled/r.powers[i] // derivative in q
			grad[g.first+i] = slopeQ
			gradMean -= w * slopeQ
			gradSpread += slope*(1-w)*scaled + w*(scaled*scaled-1)*inverse
		}
		lp -= squares/2 + sum*logSpread + float64(len(g.levels))*halfLog2Pi
		grad[e.spread] += gradSpread
		if e.mean >= 0 {
			grad[e.mean] += gradMean
		}
	}
	return lp
}

const halfLog2Pi = 0.91893853320467274178 // log(2π)/2

// toCoordinates converts the offsets in coefs into coordinates. It is the inverse of toOffsets.
func (g *group) toCoordinates(coefs, coords []float64, r *workspace) {
	if g.correlated() {
		g.toCoordinatesCorrelated(coefs, coords, r)
		return
	}
	n := len(g.effects)
	for k := range g.effects {
		mean, spread := g.effects[k].meanAt(coefs), coefs[g.effects[k].spread]
		for i := k; i < len(g.shares); i += n {
			w := g.shares[i]
			_, rest := power(spread, w)
			coords[g.first+i] = coefs[g.first+i]/rest + w*mean
		}
	}
}

// clone returns a copy of the group with its own shares.
func (g *group) clone() *group {
	own := *g
	own.shares = slices.Clone(g.shares)
	return &own
}
