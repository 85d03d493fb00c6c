package dictionary

import (
	"context"
	"math"

	"likc/runtime/num/gemm"
	"likc/runtime/num/statistic"
	"likc/runtime/num/vec"
	"likc/runtime/sys/workers"
)

// width is the number of terms in a block of the design: the kernels multiply this many columns at once.
const width = 32

// design holds the values of all terms at all rows. In each group they are centred under the teacher's density, and their mean
// square is 1.
type design struct {
	target  *target
	library *Library
	terms   []int     // for each column, the term of the library
	scale   []float64 // for each column, the number by which its values were divided
	size    []float64 // for each column, the nodes that the term adds to an expression
	blocks  []block
	threads int
}

// block holds the values of `width` terms, row-major. Columns beyond the last term are 0.
type block []float64

// These are limits on the values of terms.
const (
	leastSpread  = 1e-5 // root mean square before scaling; a term with a smaller one is nearly constant
	mostSpread   = 1e7  // largest value divided by the root mean square
	mostLeverage = 30   // the same limit for nodes where the teacher has mass; a term with larger values there extrapolates wildly
	coreShare    = 1e-4 // a node has mass if its share of the teacher's probability is larger than this
)

// newDesign evaluates the library's terms and keeps those that can be used.
func newDesign(ctx context.Context, t *target, l *Library, threads int) *design {
	d := &design{target: t, library: l, threads: threads}
	atoms := l.values(t)
	var trials [][]float64 // values of atoms at trials
	rows := 0
	if t.drawn != nil {
		trials, rows = l.evaluate(t.symbols, t.drawn.values), len(t.drawn.values)
	}
	scales := make([]float64, len(l.Terms))
	workers.Do(ctx, len(l.Terms), threads, func(_, i int) {
		x, y := make([]float64, len(t.share)), make([]float64, rows)
		l.product(x, atoms, l.Terms[i])
		l.product(y, trials, l.Terms[i])
		scales[i] = t.standardise(x, y, len(l.Terms[i]) > 1)
	})
	for i, s := range scales {
		if s > 0 {
			d.terms, d.scale, d.size = append(d.terms, i), append(d.scale, s), append(d.size, float64(l.size(l.Terms[i])))
		}
	}
	d.blocks = make([]block, (len(d.terms)+width-1)/width)
	workers.Do(ctx, len(d.blocks), threads, func(_, b int) {
		d.blocks[b] = make(block, len(t.share)*width)
		x, y := make([]float64, len(t.share)), make([]float64, rows)
		for j := range min(width, len(d.terms)-b*width) {
			l.product(x, atoms, l.Terms[d.terms[b*width+j]])
			l.product(y, trials, l.Terms[d.terms[b*width+j]])
			t.standardise(x, y, false)
			for r, v := range x {
				d.blocks[b][r*width+j] = v
			}
		}
	})
	return d
}

// product sets dst to the values of term t.
func (l *Library) product(dst []float64, atoms [][]float64, t Term) {
	if len(dst) == 0 {
		return
	}
	copy(dst, atoms[t[0]])
	for _, a := range t[1:] {
		vec.Mul(dst, dst, atoms[a])
	}
}

// standardise centres a term's values x at nodes in each group: their mean under the teacher becomes 0. It divides them by their root
// mean square and returns that divisor, or 0 for a term that cannot be used. y holds the values at trials, if only trials are known.
// lever says whether mostLeverage applies.
func (t *target) standardise(x, y []float64, lever bool) float64 {
	total, most, core := 0.0, 0.0, 0.0
	t.centre(x, y)
	for _, v := range y {
		total += v * v / float64(t.drawn.count)
		core = max(core, math.Abs(v))
	}
	for g := range t.groups {
		from, to := g*t.rows, (g+1)*t.rows
		values, share := x[from:to], t.share[from:to]
		for i, s := range share {
			if t.drawn == nil {
				total += s * values[i] * values[i]
			}
			if a := math.Abs(values[i]); t.drawn == nil && s > coreShare {
				core, most = max(core, a), max(most, a)
			} else {
				most = max(most, a)
			}
		}
	}
	most = max(most, core)
	scale := math.Sqrt(total / float64(t.groups))
	if !(scale >= leastSpread && most/scale <= mostSpread) || lever && core/scale > mostLeverage {
		return 0
	}
	vec.MulScalar(x, x, 1/scale)
	return scale
}

// centre subtracts from the values x at nodes their mean under the teacher, in each group. If only trials of the teacher are known,
// it subtracts the mean of y, the values at trials, from both x and y.
func (t *target) centre(x, y []float64) {
	if t.drawn != nil {
		n := t.drawn.count
		for g := range t.groups {
			mean := statistic.Mean(y[g*n : (g+1)*n])
			vec.AddScalar(y[g*n:(g+1)*n], y[g*n:(g+1)*n], -mean)
			vec.AddScalar(x[g*t.rows:(g+1)*t.rows], x[g*t.rows:(g+1)*t.rows], -mean)
		}
		return
	}
	for g := range t.groups {
		values, share := x[g*t.rows:(g+1)*t.rows], t.share[g*t.rows:(g+1)*t.rows]
		mean := 0.0
		for i, s := range share {
			if s > 0 {
				mean += s * values[i]
			}
		}
		for i := range values {
			values[i] -= mean
		}
	}
}

// column writes the values of term j to every stride-th element of dst.
func (d *design) column(dst []float64, stride, j int) {
	b, k := d.blocks[j/width], j%width
	for r := range d.target.share {
		dst[r*stride] = b[r*width+k]
	}
}

// subset returns a design of the given columns, in their order.
func (d *design) subset(columns []int) *design {
	o := &design{target: d.target, library: d.library, threads: d.threads, blocks: make([]block, (len(columns)+width-1)/width)}
	for b := range o.blocks {
		o.blocks[b] = make(block, len(d.target.share)*width)
	}
	for i, j := range columns {
		o.terms, o.scale, o.size = append(o.terms, d.terms[j]), append(o.scale, d.scale[j]), append(o.size, d.size[j])
		d.column(o.blocks[i/width][i%width:], width, j)
	}
	return o
}

// gains returns for each term the expected decrease of a fit's mean divergence, in nats a trial, if the term is added. Terms of the
// fit get 0. Unless alone is set, their coefficients are expected to change with the new one.
func (d *design) gains(ctx context.Context, f *fit, alone bool) []float64 {
	weights := f.scoreWeights()
	solver := f.solver()
	out := make([]float64, len(d.terms))
	conditions := len(f.columns)
	if alone {
		conditions = 0
	}
	workers.Do(ctx, len(d.blocks), d.threads, func(_, b int) {
		s, c := d.scores(d.blocks[b], f, weights), make([]float64, conditions)
		for j := range min(width, len(d.terms)-b*width) {
			out[b*width+j] = solver.gain(s, j, c)
		}
	})
	for _, j := range f.columns {
		out[j] = 0
	}
	return out
}

// scores holds sums over groups for the score tests of a block's terms.
type scores struct {
	covariance []float64 // row-major: for each term, the slope of the divergence in its coefficient, then its covariance with each term of the fit
	variance   []float64 // for each term, its variance under the fit
}

// scores returns a block's sums for score tests. weights holds one matrix for each group, as fit.scoreWeights returns them.
func (d *design) scores(b block, f *fit, weights []float64) *scores {
	t, k := d.target, len(f.columns)+1
	s := &scores{covariance: make([]float64, k*width), variance: make([]float64, width)}
	squares, mean := make([]float64, t.rows*width), make([]float64, width)
	for g := range t.groups {
		from, to := g*t.rows, (g+1)*t.rows
		values, q := b[from*width:to*width], f.density[from:to]
		gemm.AddRows(s.covariance, weights[from*k:to*k], values, t.rows, width)
		clear(mean)
		gemm.AddRow(mean, q, values)
		vec.Square(squares, values)
		gemm.AddRow(s.variance, q, squares)
		for j, m := range mean {
			s.variance[j] -= m * m
		}
	}
	n := 1 / float64(t.groups)
	vec.MulScalar(s.covariance, s.covariance, n)
	vec.MulScalar(s.variance, s.variance, n)
	return s
}
