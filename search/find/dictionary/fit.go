package dictionary

import (
	"math"
	"slices"

	"likc/compiler/expr"
	"likc/runtime/num/gemm"
	"likc/runtime/num/vec"

	"gonum.org/v1/gonum/mat"
)

// fit is a set of terms with the coefficients that minimise the mean divergence from the teacher.
type fit struct {
	design      *design
	columns     []int     // chosen columns of the design
	coefficient []float64 // for each column, the coefficient of its standardised values
	kl          []float64 // divergence of each group
	mean        float64   // mean of kl
	density     []float64 // for each row, the probability of the fitted density
	values      []float64 // [row][column]: the standardised values
	slope       []float64 // slope of the mean in each coefficient
	fisher      []float64 // second derivatives of the mean, row-major
	damping     float64   // of the next Newton step, see factor
}

// These are limits of a fit.
const (
	leastDamping = 1e-9 // least, first and largest damping of a Newton step: the diagonal of second derivatives grows by this share
	firstDamping = 1e-4
	mostDamping  = 1e8
	ridge        = 1e-9 // added to the diagonal of second derivatives
	converged    = 1e-5 // a fit ends if a further step would gain less than this share of the mean
	fullSteps    = 60   // the most Newton steps of a fit
)

// newFit returns a fit of some columns that starts from given coefficients.
func newFit(d *design, columns []int, start []float64) *fit {
	k := len(columns)
	values := make([]float64, len(d.target.share)*k)
	for i, j := range columns {
		d.column(values[i:], k, j)
	}
	return fitOf(d, columns, values, start)
}

// fitOf does what newFit does, with the given values of the columns in place of the design's: values is [row][column], row by
// row.
func fitOf(d *design, columns []int, values, start []float64) *fit {
	k := len(columns)
	f := &fit{design: d, columns: slices.Clone(columns), coefficient: slices.Clone(start), values: values, damping: firstDamping,
		slope: make([]float64, k), fisher: make([]float64, k*k)}
	f.kl, f.density, f.mean = f.evaluate(f.coefficient)
	return f
}

// evaluate returns, for coefficients c, each group's divergence, each row's density, and the mean divergence. The mean is +Inf if a
// sum is not finite.
func (f *fit) evaluate(c []float64) (kl, density []float64, mean float64) {
	t, k := f.design.target, len(c)
	density = make([]float64, len(t.share))
	for r := range density {
		x := t.logWeight[r]
		for i, v := range f.values[r*k : r*k+k] {
			x += v * c[i]
		}
		density[r] = x
	}
	kl = make([]float64, t.groups)
	for g := range kl {
		q := density[g*t.rows : (g+1)*t.rows]
		top := slices.Max(q)
		vec.AddScalar(q, q, -top)
		vec.Exp(q, q)
		z := 0.0
		for _, x := range q {
			z += x
		}
		vec.MulScalar(q, q, 1/z)
		kl[g] = t.entropy[g] + top + math.Log(z) // the terms are centred: their mean under the teacher is 0
		mean += kl[g]
	}
	if mean /= float64(t.groups); mean != mean {
		mean = math.Inf(1)
	}
	return kl, density, mean
}

// curve computes the slope and the second derivatives of the mean divergence: means over groups of E_q φ and Cov_q(φ, φ').
func (f *fit) curve() {
	t, k := f.design.target, len(f.columns)
	clear(f.slope)
	clear(f.fisher)
	mean, weighted, centred := make([]float64, k), make([]float64, k*t.rows), make([]float64, k*t.rows)
	for g := range t.groups {
		from, to := g*t.rows, (g+1)*t.rows
		values, q := f.values[from*k:to*k], f.density[from:to]
		clear(mean)
		gemm.AddRow(mean, q, values)
		for r, w := range q {
			for i, v := range values[r*k : r*k+k] {
				centred[r*k+i] = v - mean[i]
				weighted[i*t.rows+r] = w * (v - mean[i])
			}
		}
		gemm.AddRows(f.fisher, weighted, centred, t.rows, k)
		vec.Add(f.slope, f.slope, mean)
	}
	n := 1 / float64(t.groups)
	vec.MulScalar(f.slope, f.slope, n)
	vec.MulScalar(f.fisher, f.fisher, n)
}

// minimise makes at most `steps` Newton steps, damped by the method of Levenberg and Marquardt. It ends where a full step would gain
// almost nothing. A damped step that gains little does not end it.
func (f *fit) minimise(steps int) {
	for range steps {
		if math.IsInf(f.mean, 1) {
			return
		}
		f.curve()
		if s, ok := f.factor(0); ok {
			if gain := dot(s.solve(f.slope), f.slope) / 2; gain < f.design.target.leastGainOf(f.mean) {
				return
			}
		}
		if !f.step() {
			return
		}
	}
}

// step makes one Newton step with the least damping that lowers the mean; it returns false if none does.
func (f *fit) step() bool {
	next := make([]float64, len(f.columns))
	for ; f.damping < mostDamping; f.damping = max(10*f.damping, 1e-6) {
		s, ok := f.factor(f.damping)
		if !ok {
			continue
		}
		copy(next, f.coefficient)
		for i, x := range s.solve(f.slope) {
			next[i] -= x
		}
		if kl, density, mean := f.evaluate(next); mean < f.mean {
			f.coefficient, f.kl, f.density, f.mean = next, kl, density, mean
			f.damping = max(f.damping/10, leastDamping)
			return true
		}
	}
	f.damping = firstDamping
	return false
}

// solver solves linear systems with the matrix H of second derivatives of a fit, H = LLᵀ.
type solver struct {
	mat.Cholesky
	root  []float64 // L, row-major
	slope []float64 // L⁻¹ times the slope
}

// factor returns the solver for the second derivatives with a damped diagonal. It returns false if this matrix is not positive definite.
func (f *fit) factor(damping float64) (*solver, bool) {
	k := len(f.columns)
	m := mat.NewSymDense(k, nil)
	for i := range k {
		for j := range i {
			m.SetSym(i, j, (f.fisher[i*k+j]+f.fisher[j*k+i])/2)
		}
		m.SetSym(i, i, f.fisher[i*k+i]*(1+damping)+ridge)
	}
	s := &solver{}
	return s, s.Factorize(m)
}

// solve returns H⁻¹b.
func (s *solver) solve(b []float64) []float64 {
	var x mat.VecDense
	if err := s.SolveVecTo(&x, mat.NewVecDense(len(b), b)); err != nil && x.Len() == 0 {
		return make([]float64, len(b))
	}
	return x.RawVector().Data
}

// whiten replaces b by L⁻¹b.
func (s *solver) whiten(b []float64) []float64 {
	k := len(b)
	for i := range b {
		row := s.root[i*k : i*k+k]
		b[i] = (b[i] - dot(row[:i], b[:i])) / row[i]
	}
	return b
}

// solver returns the solver for the fit's present coefficients, for score tests.
func (f *fit) solver() *solver {
	f.curve()
	for damping := 0.0; ; damping = max(10*damping, 1e-8) { // this loop ends because the diagonal is positive
		s, ok := f.factor(damping)
		if !ok {
			continue
		}
		var l mat.TriDense
		s.LTo(&l)
		s.root = l.RawTriangular().Data
		s.slope = s.whiten(slices.Clone(f.slope))
		return s
	}
}

// leastVariance is the least variance of a usable term given the terms of the fit. A term with less is nearly a combination of
// those.
const leastVariance = 1e-5

// gain returns the expected decrease of the divergence if the term in column j of a block is added: that of one Newton step in all
// coefficients, minus that of a step without the term. c is working memory.
func (s *solver) gain(of *scores, j int, c []float64) float64 {
	for i := range c {
		c[i] = of.covariance[(i+1)*width+j]
	}
	s.whiten(c)
	v, g := of.variance[j]-dot(c, c), of.covariance[j]-dot(c, s.slope)
	if !(v > leastVariance) {
		return 0
	}
	return g * g / (2 * v)
}

// scoreWeights returns a matrix for each group. Its rows multiply the values of a term in the score test: one row for the slope of
// the divergence, and one for each term of the fit.
func (f *fit) scoreWeights() []float64 {
	t, k := f.design.target, len(f.columns)
	weights := make([]float64, (k+1)*len(t.share))
	mean := make([]float64, k)
	for g := range t.groups {
		from, to := g*t.rows, (g+1)*t.rows
		w := weights[from*(k+1) : to*(k+1)]
		clear(mean)
		gemm.AddRow(mean, f.density[from:to], f.values[from*k:to*k])
		for r := from; r < to; r++ {
			if w[r-from] = f.density[r]; t.drawn == nil {
				w[r-from] -= t.share[r]
			}
			for i, v := range f.values[r*k : r*k+k] {
				w[(i+1)*t.rows+r-from] = f.density[r] * (v - mean[i])
			}
		}
	}
	return weights
}

// Rounding the coefficients may raise the mean divergence by the share roundingShare of it. A mean below leastMean counts as leastMean,
// because the limited number of nodes causes a divergence of about that size.
const (
	roundingShare = 0.01
	leastMean     = 2e-4 // nats a trial
)

// rounded returns the coefficients of the unscaled terms with as few digits as possible. The allowed increase of the divergence is
// divided equally among the coefficients, and each is rounded as far as its part allows.
func (f *fit) rounded() []float64 {
	f.curve()
	k := len(f.columns)
	by := make([]float64, k)
	for i, j := range f.columns {
		scale := f.design.scale[j]
		near := math.Sqrt(2*roundingShare*max(f.mean, leastMean)/(float64(k)*f.fisher[i*k+i])) / scale
		exact := f.coefficient[i] / scale
		by[i] = exact
		for digits := 1; digits < 12; digits++ {
			if short := expr.Rounded(exact, digits); math.Abs(short-exact) <= near {
				by[i] = short
				break
			}
		}
	}
	return by
}

// size returns the number of nodes of the expression.
func (f *fit) size() float64 {
	n := -1.0
	for _, j := range f.columns {
		n += f.design.size[j]
	}
	return n
}

func dot(x, y []float64) (sum float64) {
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}
