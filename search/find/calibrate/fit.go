package calibrate

import (
	"context"
	"math"
	"slices"

	"likc/compiler/expr"
	"likc/runtime/sys/workers"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// example is one point to which the polynomials are fitted, or on which they are tested.
type example struct {
	theta, shift []float64
	root         []float64 // a matrix, row by row, that multiplies the error of a shift to give the error in standard deviations of an estimate
}

// examplesOf returns the points that have a maximum as examples.
func examplesOf(points []*point, trials float64) (all []example) {
	for _, p := range points {
		if root, ok := p.precision(trials); ok && p.found {
			all = append(all, example{theta: p.theta, shift: shiftOf(p), root: root})
		}
	}
	return all
}

// distance returns the error of a predicted shift in standard deviations: its Mahalanobis distance from the example's shift.
func (e *example) distance(shift []float64) float64 {
	square, n := 0.0, len(shift)
	for a := range n {
		miss := 0.0
		for b := range n {
			miss += e.root[a*n+b] * (shift[b] - e.shift[b])
		}
		square += miss * miss
	}
	return math.Sqrt(square)
}

// learner fits a polynomial to each shift: a linear combination of products of Chebyshev polynomials of the inputs.
type learner struct {
	inputs   []coordinate
	products [][]int // the terms: for each, the degree of the Chebyshev polynomial in each input

	outputs      int
	used         []bool    // [output][product]: whether the polynomial of that output has the term
	coefficients []float64 // [output][product]: the coefficient; 0 for a term that is not used
	effect       []float64 // [output][product]: how far one unit of the coefficient moves the shift, in standard deviations (quadratic mean)
}

// newLearner returns a learner with all products of Chebyshev polynomials up to a total degree.
func newLearner(inputs []coordinate, degree, outputs int) *learner {
	l := &learner{inputs: inputs, outputs: outputs}
	var grow func(degrees []int, left int)
	grow = func(degrees []int, left int) {
		if len(degrees) == len(inputs) {
			l.products = append(l.products, slices.Clone(degrees))
			return
		}
		for d := range left + 1 {
			grow(append(degrees, d), left-d)
		}
	}
	grow(nil, degree)
	n := outputs * len(l.products)
	l.used, l.coefficients, l.effect = make([]bool, n), make([]float64, n), make([]float64, n)
	for k := range l.used {
		l.used[k] = true
	}
	return l
}

// terms sets x to the values of the products at the parameters theta.
func (l *learner) terms(x, theta []float64) {
	values := make([][]float64, len(l.inputs))
	for i, in := range l.inputs {
		values[i] = []float64{1, in.valueAt(theta)}
	}
	for k, degrees := range l.products {
		x[k] = 1
		for i, d := range degrees {
			v := values[i]
			for n := len(v); n <= d; n++ {
				v = append(v, 2*v[1]*v[n-1]-v[n-2])
			}
			values[i] = v
			x[k] *= v[d]
		}
	}
}

// predict returns the shift that the polynomials predict for given values of the products.
func (l *learner) predict(x []float64) []float64 {
	shift := make([]float64, l.outputs)
	for j := range shift {
		for k, v := range x {
			shift[j] += l.coefficients[j*len(x)+k] * v
		}
	}
	return shift
}

const (
	rounds = 4    // number of fits; each weights the examples by their errors in the previous fit
	shards = 8    // number of parts into which examples are divided; their sums are added in order, so that the result does not depend on the number of threads
	ridge  = 1e-9 // a number added to the diagonal, because the examples hardly distinguish some terms
)

// shard holds the sums of weighted least squares over some of the examples, in standard deviations: products of derivatives with
// each other, and of derivatives with shifts.
type shard struct {
	square blas64.Symmetric
	times  []float64
}

// learn fits the coefficients of the terms in use. An error of d standard deviations has the loss √(1 + d²), so that the few points
// with very precise estimates do not outweigh all others. Several rounds of weighted least squares minimise that loss.
func (l *learner) learn(ctx context.Context, examples []example, threads int) error {
	var terms []int
	for k, used := range l.used {
		if used {
			terms = append(terms, k)
		}
	}
	for round := range rounds {
		sums := make([]shard, shards)
		workers.Do(ctx, shards, workers.Threads(shards, threads), func(_, i int) {
			n := len(examples)
			sums[i] = l.sums(examples[i*n/shards:(i+1)*n/shards], terms, round > 0)
		})
		if err := ctx.Err(); err != nil {
			return err
		}
		l.solve(sums, terms, len(examples))
	}
	return nil
}

// sums returns the sums over some examples. If weighted is set, each example's weight depends on its error in the previous fit.
func (l *learner) sums(examples []example, terms []int, weighted bool) shard {
	n, p := l.outputs, len(l.products)
	s := shard{blas64.Symmetric{N: len(terms), Stride: len(terms), Data: make([]float64, len(terms)*len(terms)), Uplo: blas.Upper}, make([]float64, len(terms))}
	rows := blas64.General{Rows: n, Cols: len(terms), Stride: len(terms), Data: make([]float64, n*len(terms))}
	x := make([]float64, p)
	for i := range examples {
		e, weight := &examples[i], 1.0
		if l.terms(x, e.theta); weighted {
			weight = 1 / math.Sqrt(math.Hypot(1, e.distance(l.predict(x))))
		}
		for a := range n {
			want, row := 0.0, rows.Data[a*len(terms):(a+1)*len(terms)]
			for b := range n {
				want += weight * e.root[a*n+b] * e.shift[b]
			}
			for k, term := range terms {
				row[k] = weight * e.root[a*n+term/p] * x[term%p]
				s.times[k] += want * row[k]
			}
		}
		blas64.Syrk(blas.Trans, 1, rows, 1, s.square)
	}
	return s
}

// solve sets the coefficients, and the effect of each, from the shards' sums.
func (l *learner) solve(sums []shard, terms []int, examples int) {
	n := len(terms)
	square, times := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	all := square.RawSymmetric().Data
	for _, s := range sums {
		for k, x := range s.square.Data {
			all[k] += x
		}
		for k, x := range s.times {
			times.SetVec(k, times.AtVec(k)+x)
		}
	}
	for k, term := range terms {
		l.effect[term] = math.Sqrt(square.At(k, k) / float64(examples))
		square.SetSym(k, k, square.At(k, k)*(1+ridge)+ridge)
	}
	var ch mat.Cholesky
	var found mat.VecDense
	if !ch.Factorize(square) || ch.SolveVecTo(&found, times) != nil {
		return // there are too few examples: the coefficients do not change
	}
	for k, term := range terms {
		l.coefficients[term] = found.AtVec(k)
	}
}

// least is the smallest effect of a term that remains, in standard deviations of an estimate (quadratic mean over the examples).
// Coefficients are rounded to digits that have at least this effect.
const least = 0.008

// prune drops the terms without an effect. The other coefficients have to be fitted again.
func (l *learner) prune() {
	for k := range l.used {
		if l.used[k] = math.Abs(l.coefficients[k])*l.effect[k] > least; !l.used[k] {
			l.coefficients[k] = 0
		}
	}
}

// round rounds coefficients to the decimal places that have an effect.
func (l *learner) round() {
	for k, c := range l.coefficients {
		if l.used[k] {
			scale := math.Pow(10, max(0, math.Ceil(math.Log10(l.effect[k]/least))))
			l.coefficients[k] = math.Round(c*scale) / scale
		}
	}
}

// errors returns the distance of each example, divided by the root of the number of shifts. A value of 1 means that the error is
// as large as that of an estimate.
func (l *learner) errors(examples []example) (all []float64) {
	x := make([]float64, len(l.products))
	for i := range examples {
		e := &examples[i]
		l.terms(x, e.theta)
		all = append(all, e.distance(l.predict(x))/math.Sqrt(float64(l.outputs)))
	}
	return all
}

// binding returns the polynomials as the binding function of a model.
func (l *learner) binding(m *expr.Model) *expr.Binding {
	b := &expr.Binding{}
	for _, in := range l.inputs {
		b.Inputs = append(b.Inputs, in.expr)
	}
	for j := range l.outputs {
		var terms []expr.BindingTerm
		for k, degrees := range l.products {
			if c := l.coefficients[j*len(l.products)+k]; c != 0 {
				terms = append(terms, expr.BindingTerm{Coefficient: c, Degrees: degrees})
			}
		}
		switch {
		case len(terms) == 0:
		case j < len(m.Params):
			b.Shifts = append(b.Shifts, expr.BindingShift{Param: m.Params[j].Name, Terms: terms})
		default:
			b.Tilt = terms
		}
	}
	return b
}
