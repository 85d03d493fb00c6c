package dictionary

import (
	"context"
	"math"

	"likc/runtime/num/gemm"
	"likc/runtime/num/vec"
	"likc/runtime/sys/workers"
)

// width is the number of terms in a block of the design: the kernels multiply so many columns at once.
const width = 32

// design holds the values of all terms at all rows, centred under the teacher in each group, with a mean square of 1.
type design struct {
	target  *target
	library *Library
	terms   []int     // terms of the library that can be used, by column
	scale   []float64 // by column: what values were divided by
	size    []float64 // by column: nodes that the term adds
	blocks  []block
	threads int
}

// block is the values of width terms: row-major. Columns beyond the last term are 0.
type block []float64

// What terms may be.
const (
	leastSpread  = 1e-5 // root of the mean square before scaling: a smaller one is a constant in disguise
	mostSpread   = 1e7  // the largest value over that
	mostLeverage = 30   // the same where the teacher has mass: a larger one extrapolates wildly
	coreShare    = 1e-4 // share of a node where the teacher has mass
)

// newDesign evaluates the library and leaves out what it cannot use.
func newDesign(ctx context.Context, t *target, l *Library, threads int) *design {
	d := &design{target: t, library: l, threads: threads}
	atoms := l.values(t)
	scales := make([]float64, len(l.Terms))
	workers.Do(ctx, len(l.Terms), threads, func(_, i int) {
		x := make([]float64, len(t.share))
		l.product(x, atoms, l.Terms[i])
		scales[i] = t.standardise(x, len(l.Terms[i]) > 1)
	})
	for i, s := range scales {
		if s > 0 {
			d.terms, d.scale, d.size = append(d.terms, i), append(d.scale, s), append(d.size, float64(l.size(l.Terms[i])))
		}
	}
	d.blocks = make([]block, (len(d.terms)+width-1)/width)
	workers.Do(ctx, len(d.blocks), threads, func(_, b int) {
		d.blocks[b] = make(block, len(t.share)*width)
		x := make([]float64, len(t.share))
		for j := range min(width, len(d.terms)-b*width) {
			l.product(x, atoms, l.Terms[d.terms[b*width+j]])
			t.standardise(x, false)
			for r, v := range x {
				d.blocks[b][r*width+j] = v
			}
		}
	})
	return d
}

// product sets dst to a term's values.
func (l *Library) product(dst []float64, atoms [][]float64, t Term) {
	copy(dst, atoms[t[0]])
	for _, a := range t[1:] {
		vec.Mul(dst, dst, atoms[a])
	}
}

// standardise centres values under the teacher in each group and divides them by the root of their mean square, which it returns; 0 for
// values that no term may have.
func (t *target) standardise(x []float64, lever bool) float64 {
	total, most, core := 0.0, 0.0, 0.0
	for g := range t.groups {
		from, to := g*t.rows, (g+1)*t.rows
		values, share := x[from:to], t.share[from:to]
		mean := 0.0
		for i, s := range share {
			if s > 0 {
				mean += s * values[i]
			}
		}
		for i, s := range share {
			values[i] -= mean
			total += s * values[i] * values[i]
			if a := math.Abs(values[i]); s > coreShare {
				core, most = max(core, a), max(most, a)
			} else {
				most = max(most, a)
			}
		}
	}
	scale := math.Sqrt(total / float64(t.groups))
	if !(scale >= leastSpread && most/scale <= mostSpread) || lever && core/scale > mostLeverage {
		return 0
	}
	vec.MulScalar(x, x, 1/scale)
	return scale
}

// column writes the values of a term to every stride-th place of dst.
func (d *design) column(dst []float64, stride, j int) {
	b, k := d.blocks[j/width], j%width
	for r := range d.target.share {
		dst[r*stride] = b[r*width+k]
	}
}

// subset is a design of some columns, in their order.
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

// gains returns by how much each term is expected to lower the mean divergence of a fit, in nats a trial: 0 for those in it.
func (d *design) gains(ctx context.Context, f *fit) []float64 {
	weights := f.scoreWeights()
	solver := f.solver()
	out := make([]float64, len(d.terms))
	workers.Do(ctx, len(d.blocks), d.threads, func(_, b int) {
		s, c := d.scores(d.blocks[b], f, weights), make([]float64, len(f.columns))
		for j := range min(width, len(d.terms)-b*width) {
			out[b*width+j] = solver.gain(s, j, c)
		}
	})
	for _, j := range f.columns {
		out[j] = 0
	}
	return out
}

// scores are what the score test of a block's terms needs: sums over groups, by term.
type scores struct {
	covariance []float64 // row-major: the slope of the divergence in each term's coefficient, then its covariance with each term of the fit
	variance   []float64
}

// scores sums over the rows of a block. weights are by group, as fit.scoreWeights makes them.
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
