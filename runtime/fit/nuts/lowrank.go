package nuts

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// lowRank is the metric with A = D(I + VᵀFV). D is a diagonal. The orthonormal rows of V are directions that are stretched by 1 + F.
type lowRank struct {
	diagonal
	vectors [][]float64
	stretch []float64 // F: root of the eigenvalue, minus 1
	scratch []float64
}

func newLowRank(dim int) *lowRank {
	return &lowRank{diagonal: *newDiagonal(dim), scratch: make([]float64, dim)}
}

// apply multiplies x by I + VᵀFV, in place.
func (l *lowRank) apply(x []float64) {
	for k, v := range l.vectors {
		dot := 0.0
		x := x[:len(v)]
		for i, a := range v {
			dot += a * x[i]
		}
		dot *= l.stretch[k]
		for i, a := range v {
			x[i] += dot * a
		}
	}
}

func (l *lowRank) prepare(s *state) {
	for i, a := range l.scale {
		s.force[i] = a * s.grad[i]
	}
	l.apply(s.force)
}

func (l *lowRank) kickAndDrift(s *state, eps float64) {
	for i, f := range s.force {
		s.p[i] += eps / 2 * f
	}
	copy(l.scratch, s.p)
	l.apply(l.scratch)
	for i, a := range l.scale {
		s.q[i] += eps * a * l.scratch[i]
	}
}

func (l *lowRank) kick(s *state, half float64) float64 {
	l.prepare(s)
	for i, f := range s.force {
		s.p[i] += half * f
	}
	return kinetic(s.p)
}

// inverse returns M⁻¹ = D(I + Vᵀ(F² + 2F)V)D.
func (l *lowRank) inverse() [][]float64 {
	rows := make([][]float64, len(l.scale))
	for i := range rows {
		rows[i] = make([]float64, len(l.scale))
		rows[i][i] = 1
		for k, v := range l.vectors {
			more := l.stretch[k] * (l.stretch[k] + 2)
			for j := range rows[i] {
				rows[i][j] += more * v[i] * v[j]
			}
		}
		for j := range rows[i] {
			rows[i][j] *= l.scale[i] * l.scale[j]
		}
	}
	return rows
}

// variances returns the diagonal of inverse.
func (l *lowRank) variances() []float64 {
	all := make([]float64, len(l.scale))
	for i, scale := range l.scale {
		all[i] = 1
		for k, v := range l.vectors {
			all[i] += l.stretch[k] * (l.stretch[k] + 2) * v[i] * v[i]
		}
		all[i] *= scale * scale
	}
	return all
}

// lowRankEstimator learns the metric Σ that minimises the Fisher divergence between the whitened density and a standard normal. Σ
// solves Σ cov(∇) Σ = cov(q): it is the geometric mean of cov(q) and cov(∇)⁻¹. For a normal density it is exact as soon as the draws
// span the space, in spite of sampling noise. In directions where Σ differs from its diagonal by less than a factor of 2, the
// diagonal is used. [seyboldt2026], sec. 4.
type lowRankEstimator struct {
	metric   *lowRank
	draws    [][]float64 // draws of the foreground window
	slopes   [][]float64 // gradients of these draws
	nextSize int         // window size at which the metric is estimated again
}

const (
	ridge      = 1e-5 // added to the diagonal of both covariances of whitened draws and gradients
	eigenLimit = 2.0  // eigenvalues within this factor of 1 count as 1
	leastDraws = 6    // smallest number of draws for the first estimate
)

func newLowRankEstimator(dim int) *lowRankEstimator {
	return &lowRankEstimator{metric: newLowRank(dim), nextSize: leastDraws}
}

func (l *lowRankEstimator) add(q, grad []float64) {
	l.draws = append(l.draws, append([]float64(nil), q...))
	l.slopes = append(l.slopes, append([]float64(nil), grad...))
}

// forget removes all draws except the last n.
func (l *lowRankEstimator) forget(n int) {
	l.draws, l.slopes = l.draws[len(l.draws)-n:], l.slopes[len(l.slopes)-n:]
	l.nextSize = n
}

// update estimates the metric again if the window has grown by half. variances are those of the diagonal metric.
func (l *lowRankEstimator) update(c *chain, variances []float64) error {
	if len(l.draws) < l.nextSize {
		return nil
	}
	l.nextSize = len(l.draws) + len(l.draws)/2 + 1
	if err := l.metric.setVariances(variances); err != nil {
		return err
	}
	l.metric.vectors, l.metric.stretch = l.metric.vectors[:0], l.metric.stretch[:0]
	c.setMetric(&l.metric.diagonal) // used if no direction is kept
	draws, slopes := l.whitened()
	basis := span(draws, slopes)
	sigma := geometricMean(covariance(draws, basis), covariance(slopes, basis))
	var eigen mat.EigenSym
	if sigma == nil || !eigen.Factorize(sigma, true) {
		return nil
	}
	if l.keep(&eigen, basis); len(l.metric.vectors) > 0 {
		c.setMetric(l.metric)
	}
	return nil
}

// whitened returns centred draws divided by the scales, and centred gradients multiplied by the scales, with one row for each
// draw.
func (l *lowRankEstimator) whitened() (draws, slopes *mat.Dense) {
	n, dim := len(l.draws), len(l.metric.scale)
	draws, slopes = mat.NewDense(n, dim, nil), mat.NewDense(n, dim, nil)
	for j, scale := range l.metric.scale {
		q, g := 0.0, 0.0
		for k := range n {
			q += l.draws[k][j] / float64(n)
			g += l.slopes[k][j] / float64(n)
		}
		for k := range n {
			draws.Set(k, j, (l.draws[k][j]-q)/scale)
			slopes.Set(k, j, (l.slopes[k][j]-g)*scale)
		}
	}
	return draws, slopes
}

// span returns orthonormal rows that span draws and gradients. It returns nil if they span the whole space.
func span(draws, slopes *mat.Dense) *mat.Dense {
	n, dim := draws.Dims()
	if 2*n >= dim {
		return nil
	}
	var both mat.Dense
	both.Stack(draws, slopes)
	var svd mat.SVD
	if !svd.Factorize(both.T(), mat.SVDThin) {
		return nil
	}
	var u mat.Dense
	svd.UTo(&u)
	return mat.DenseCopyOf(u.T())
}

// covariance returns the covariance of the rows of x in the basis, with a ridge.
func covariance(x, basis *mat.Dense) *mat.SymDense {
	n, _ := x.Dims()
	projected := x
	if basis != nil {
		projected = new(mat.Dense)
		projected.Mul(x, basis.T())
	}
	var c mat.SymDense
	c.SymOuterK(1/float64(n), projected.T())
	for i := range c.SymmetricDim() {
		c.SetSym(i, i, c.At(i, i)+ridge)
	}
	return &c
}

// geometricMean returns the geometric mean of a and b⁻¹: L(LᵀbL)^(-1/2)Lᵀ with a = LLᵀ. It returns nil if a or b is not positive
// definite.
func geometricMean(a, b *mat.SymDense) *mat.SymDense {
	var cholesky mat.Cholesky
	if !cholesky.Factorize(a) {
		return nil
	}
	var triangle mat.TriDense
	cholesky.LTo(&triangle)
	lower := mat.DenseCopyOf(&triangle) // products of dense matrices are faster
	var inner, right mat.Dense
	right.Mul(b, lower)
	inner.Mul(lower.T(), &right)
	var eigen mat.EigenSym
	if !eigen.Factorize(symmetric(&inner), true) {
		return nil
	}
	var vectors, root mat.Dense
	eigen.VectorsTo(&vectors)
	root.Mul(lower, &vectors)
	for k, value := range eigen.Values(nil) {
		if !(value > 0) {
			return nil
		}
		factor := math.Pow(value, -0.25) // half of the power on either side
		for i := range a.SymmetricDim() {
			root.Set(i, k, root.At(i, k)*factor)
		}
	}
	var mean mat.SymDense
	mean.SymOuterK(1, &root)
	return &mean
}

// symmetric copies a matrix that is symmetric up to rounding.
func symmetric(m *mat.Dense) *mat.SymDense {
	n, _ := m.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, (m.At(i, j)+m.At(j, i))/2)
		}
	}
	return s
}

// keep stores the directions whose eigenvalues differ enough from 1.
func (l *lowRankEstimator) keep(eigen *mat.EigenSym, basis *mat.Dense) {
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	if basis != nil {
		var inSpace mat.Dense
		inSpace.Mul(basis.T(), &vectors)
		vectors = inSpace
	}
	for k, value := range eigen.Values(nil) {
		if value > 1/eigenLimit && value < eigenLimit || !(value > 0) || math.IsInf(value, 0) {
			continue
		}
		l.metric.vectors = append(l.metric.vectors, mat.Col(nil, k, &vectors))
		l.metric.stretch = append(l.metric.stretch, math.Sqrt(clampVariance(value))-1)
	}
}
