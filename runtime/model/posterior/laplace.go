package posterior

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// laplace sets the standard deviations of the normal density with the posterior's curvature at the mode. They are the roots of the
// diagonal of the inverse negative Hessian, which is computed by central differences of the gradient. Parameters at a bound of their
// range are held fixed.
func (a *ascent) laplace(ctx context.Context, m *Mode) {
	n := len(m.Theta)
	columns, slopes := make([][]float64, n), make([]float64, n)
	for i := range n {
		if ctx.Err() != nil {
			return
		}
		columns[i] = a.curvature(m.Theta, i)
	}
	a.posterior.LogDensityGrad(m.Theta, slopes)
	m.SD, m.AtBound, m.Level = make([]float64, n), make([]bool, n), make([]bool, n)
	var free []int
	for i := range n {
		m.SD[i] = math.NaN()
		if m.AtBound[i] = a.posterior.transforms[i].stops(m.Theta[i], slopes[i], -columns[i][i]); !m.AtBound[i] {
			free = append(free, i)
		}
	}
	sds, singular := spread(columns, free)
	if len(singular) > 0 { // the other standard deviations do not depend on the position along the ridge
		for _, k := range singular {
			m.Level[free[k]] = true
		}
		free = slices.DeleteFunc(free, func(i int) bool { return m.Level[i] })
		sds, _ = spread(columns, free)
	}
	for k, v := range sds {
		i := free[k]
		if m.Level[i] = a.posterior.transforms[i].exceeds(v, -columns[i][i]); !m.Level[i] && math.Abs(slopes[i])*v < level {
			m.SD[i] = v
		}
	}
}

// setConditionalSDs sets standard deviations from the posterior's curvature along each parameter at the mode, with all other
// parameters fixed. The parameters of a set do not interact, so that one finite difference gives the curvatures of all. It needs two
// gradients for each set; laplace needs two for each parameter, and a matrix of their number squared.
func (a *ascent) setConditionalSDs(ctx context.Context, m *Mode, sets [][]int) {
	n := len(m.Theta)
	slopes, at, high, low := make([]float64, n), slices.Clone(m.Theta), make([]float64, n), make([]float64, n)
	a.posterior.LogDensityGrad(m.Theta, slopes)
	m.SD, m.AtBound, m.Level = make([]float64, n), make([]bool, n), make([]bool, n)
	for _, set := range sets {
		if ctx.Err() != nil {
			return
		}
		for _, side := range []struct {
			sign float64
			grad []float64
		}{{1, high}, {-1, low}} {
			for _, i := range set {
				middle, step := a.posterior.transforms[i].step(m.Theta[i])
				at[i] = middle + side.sign*step
			}
			a.posterior.LogDensityGrad(at, side.grad)
			a.gradients++
		}
		for _, i := range set {
			_, step := a.posterior.transforms[i].step(m.Theta[i])
			at[i] = m.Theta[i]
			curvature := -(high[i] - low[i]) / (2 * step)
			m.SD[i] = math.NaN()
			if m.AtBound[i] = a.posterior.transforms[i].stops(m.Theta[i], slopes[i], curvature); !m.AtBound[i] && curvature > 0 {
				m.SD[i] = 1 / math.Sqrt(curvature)
			}
			m.Level[i] = !m.AtBound[i] && math.IsNaN(m.SD[i])
		}
	}
}

// exceeds reports whether a parameter's standard deviation is so large that the parameter is undetermined. It is if it is larger than
// that of a uniform density over the range. It also is if it exceeds the standard deviation with all other parameters fixed, which is
// 1/√curvature, by so much that the Hessian is singular up to rounding.
func (t *transform) exceeds(sd, curvature float64) bool {
	return t.between && sd > (t.high-t.low)/math.Sqrt(12) || sd*math.Sqrt(curvature) > 1e4
}

// level is the largest change of a log density over one standard deviation for which the log density counts as constant.
const level = 0.01

// stops reports whether x is practically at a bound towards which the log density rises. slope and curvature are those of the log density
// at x; they give the scale on which the density changes.
func (t *transform) stops(x, slope, curvature float64) bool {
	distance := t.high - x
	if slope < 0 {
		distance = x - t.low
	}
	scale := math.Inf(1)
	if curvature > 0 {
		scale = 1 / math.Sqrt(curvature)
	}
	if t.between {
		scale = min(scale, t.high-t.low)
	}
	near := 0.01 * min(scale, max(1, math.Abs(x)))
	return distance <= near && math.Abs(slope)*scale >= level
}

// spread returns the standard deviations of the free parameters, or nil if the Hessian is not that of a maximum. If the Hessian is
// singular up to rounding, spread also returns the parameters that lie along the ridge, as indices into free.
func spread(columns [][]float64, free []int) (sd []float64, singular []int) {
	if len(free) == 0 {
		return nil, nil
	}
	hessian := mat.NewSymDense(len(free), nil)
	for k, i := range free {
		for l, j := range free[:k+1] {
			hessian.SetSym(k, l, -(columns[i][j]+columns[j][i])/2)
		}
	}
	var cholesky mat.Cholesky
	var inverse mat.SymDense
	if !cholesky.Factorize(hessian) || cholesky.InverseTo(&inverse) != nil {
		return nil, onRidge(hessian)
	}
	sd = make([]float64, len(free))
	for k := range free {
		sd[k] = math.Sqrt(inverse.At(k, k))
	}
	return sd, nil
}

// onRidge returns the indices of the parameters that an eigenvector with eigenvalue 0, up to rounding, contains. The Hessian is first
// scaled so that its diagonal is 1.
func onRidge(hessian *mat.SymDense) (list []int) {
	n := hessian.SymmetricDim()
	scaled := mat.NewSymDense(n, nil)
	for k := range n {
		for l := range k + 1 {
			scale := math.Sqrt(math.Abs(hessian.At(k, k) * hessian.At(l, l)))
			if math.IsNaN(scale) || math.IsInf(scale, 0) {
				return nil
			}
			if scale > 0 {
				scaled.SetSym(k, l, hessian.At(k, l)/scale)
			}
		}
	}
	var eigen mat.EigenSym
	var vectors mat.Dense
	if !eigen.Factorize(scaled, true) {
		return nil
	}
	eigen.VectorsTo(&vectors)
	for k := range n {
		for j, value := range eigen.Values(nil) {
			if math.Abs(value) < 1e-6 && math.Abs(vectors.At(k, j)) > 1e-3 {
				list = append(list, k)
				break
			}
		}
	}
	return list
}

// step returns the middle of a central difference at x, and half its width. Close to a bound the middle is a few steps away from it.
func (t *transform) step(x float64) (middle, step float64) {
	step = min(1e-5*max(1e-2, math.Abs(x)), (t.high-t.low)/8)
	return min(max(x, t.low+2*step), t.high-2*step), step
}

// curvature returns the derivative of the gradient along parameter i.
func (a *ascent) curvature(theta []float64, i int) []float64 {
	middle, step := a.posterior.transforms[i].step(theta[i])
	at, high, low := append([]float64(nil), theta...), make([]float64, len(theta)), make([]float64, len(theta))
	at[i] = middle + step
	a.posterior.LogDensityGrad(at, high)
	at[i] = middle - step
	a.posterior.LogDensityGrad(at, low)
	a.gradients += 2
	for j := range high {
		high[j] = (high[j] - low[j]) / (2 * step)
	}
	return high
}
