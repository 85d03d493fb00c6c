package dictionary

import (
	"math"
	"slices"

	"likc/compiler/expr"
	"likc/runtime/num/gemm"
	"likc/runtime/num/vec"

	"gonum.org/v1/gonum/mat"
)

// fit is a set of terms with the coefficients that minimise the mean divergence.
type fit struct {
	design      *design
	columns     []int     // chosen columns of the design
	coefficient []float64 // by column, of standardised values
	kl          []float64 // by group
	mean        float64   // mean of kl
	density     []float64 // by row: share of the fitted density
	values      []float64 // by row and column
	slope       []float64 // slope of the mean in the coefficients
	fisher      []float64 // second derivatives, row-major
	damping     float64
}

// Limits of a fit.
const (
	leastDamping = 1e-9
	firstDamping = 1e-4
	mostDamping  = 1e8
	ridge        = 1e-9
	converged    = 1e-5 // the expected gain of a further step, as a share of the mean
	fullSteps    = 60
)

// newFit returns the fit of a set of columns, not yet fitted, from given coefficients.
func newFit(d *design, columns []int, start []float64) *fit {
	k, rows := len(columns), len(d.target.share)
	f := &fit{design: d, columns: slices.Clone(columns), coefficient: slices.Clone(start), values: make([]float64, rows*k), damping: firstDamping,
		slope: make([]float64, k), fisher: make([]float64, k*k)}
	for i, j := range columns {
		d.column(f.values[i:], k, j)
	}
	f.kl, f.density, f.mean = f.evaluate(f.coefficient)
	return f
}

// evaluate returns the divergence of each group, the density at each row and the mean divergence: +Inf where there is none.
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

// curve computes the slope and the second derivatives: means over groups of E_q φ and Cov_q(φ, φ').
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

// minimise takes at most so many Newton steps, damped as by Levenberg and Marquardt. It ends where a full step would gain next to nothing.
// A step that has to be damped is no sign of that.
func (f *fit) minimise(steps int) {
	for range steps {
		if math.IsInf(f.mean, 1) {
			return
		}
		f.curve()
		if s, ok := f.factor(0); ok {
			if gain := dot(s.solve(f.slope), f.slope) / 2; gain < converged*f.mean || gain < 1e-12 {
				return
			}
		}
		if !f.step() {
			return
		}
	}
}

// step takes one Newton step with the least damping that lowers the mean; false where none does.
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

// solver solves systems with the second derivatives of a fit, H = LLᵀ.
type solver struct {
	mat.Cholesky
	root  []float64 // L, row-major
	slope []float64 // L⁻¹ times the slope
}

// factor returns the solver with a damped diagonal; false where the matrix is not positive.
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

// solver returns the solver of the present fit, for score tests.
func (f *fit) solver() *solver {
	f.curve()
	for damping := 0.0; ; damping = max(10*damping, 1e-8) { // it ends: the diagonal is positive
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

// leastVariance is that of a term given those in the fit, below which it is one of them in other words.
const leastVariance = 1e-5

// gain is what the term in column j of a block's scores is expected to gain: by one Newton step in all coefficients, less that without
// the term. c is scratch.
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

// scoreWeights returns, for each group, a matrix of a row for the slope of the divergence and one for each term of the fit: what a term's
// values are multiplied by and summed for the score test.
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
			w[r-from] = f.density[r] - t.share[r]
			for i, v := range f.values[r*k : r*k+k] {
				w[(i+1)*t.rows+r-from] = f.density[r] * (v - mean[i])
			}
		}
	}
	return weights
}

// What rounding may add to the mean divergence: a share of it, but some part of what nodes alone put a density from itself.
const (
	roundingShare = 0.01
	leastMean     = 2e-4
)

// rounded returns the coefficients of the terms' own values with as few digits as may be: each in its direction alone adds an equal part of
// what rounding may add.
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

// size is the number of nodes of the expression.
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
