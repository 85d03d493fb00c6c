package posterior

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// laplace returns the standard deviations of the normal density that has the posterior's curvature at theta: the roots of
// the inverse negative Hessian's diagonal, the Hessian by central differences of the gradient. Parameters at a bound of
// their range are held there.
func (a *ascent) laplace(theta []float64) (sd []float64, atBound []bool) {
	n := len(theta)
	columns, slopes := make([][]float64, n), make([]float64, n)
	for i := range n {
		columns[i] = a.curvature(theta, i)
	}
	a.posterior.LogDensityGrad(theta, slopes)
	sd, atBound = make([]float64, n), make([]bool, n)
	var free []int
	for i := range n {
		sd[i] = math.NaN()
		if atBound[i] = a.posterior.transforms[i].stops(theta[i], slopes[i], -columns[i][i]); !atBound[i] {
			free = append(free, i)
		}
	}
	for k, v := range spread(columns, free) {
		if i := free[k]; math.Abs(slopes[i])*v < level {
			sd[i] = v
		}
	}
	return sd, atBound
}

// level is the rise over one standard deviation up to which a log density counts as level.
const level = 0.01

// stops reports whether x is as good as at a bound towards which the log density rises, by its slope there and its
// curvature against the scale on which it bends.
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

// spread returns the standard deviations of the free parameters, or nothing if there is no maximum in them.
func spread(columns [][]float64, free []int) []float64 {
	if len(free) == 0 {
		return nil
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
		return nil
	}
	sd := make([]float64, len(free))
	for k := range free {
		sd[k] = math.Sqrt(inverse.At(k, k))
	}
	return sd
}

// curvature is the derivative of the gradient along parameter i; close to a bound, that a few steps away from it.
func (a *ascent) curvature(theta []float64, i int) []float64 {
	t := a.posterior.transforms[i]
	step := min(1e-5*max(1e-2, math.Abs(theta[i])), (t.high-t.low)/8)
	middle := min(max(theta[i], t.low+2*step), t.high-2*step)
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
