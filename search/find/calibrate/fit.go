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

// example is what the polynomials learn at one point.
type example struct {
	theta, shift []float64
	root         []float64 // a root of the precision, row by row: it takes the error of a shift to standard deviations
}

// examplesOf leaves out points without a maximum.
func examplesOf(points []*point, trials float64) (all []example) {
	for _, p := range points {
		if root, ok := p.precision(trials); ok && p.found {
			all = append(all, example{theta: p.theta, shift: shiftOf(p), root: root})
		}
	}
	return all
}

// distance is the error of shifts in standard deviations, as Mahalanobis measured it.
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
	products [][]int // degrees by input

	outputs      int
	used         []bool    // for each output and product, whether the polynomials have the term
	coefficients []float64 // for each output and product, the coefficient; 0 if it is not used
	effect       []float64 // for each output and product, how far a unit of the coefficient moves shifts: in standard deviations, in quadratic mean
}

// newLearner has all products up to a degree.
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

// terms sets x to the values of the products at an example.
func (l *learner) terms(x, theta []float64) {
	values := make([][]float64, len(l.inputs))
	for i, in := range l.inputs {
		values[i] = []float64{1, in.of(theta)}
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

// predict is the polynomials' shift.
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
	rounds = 4    // fits with the weights of the round before
	shards = 8    // parts of the examples: sums over each are added up in order, whatever the number of threads
	ridge  = 1e-9 // an addition to the sums' diagonal, for terms that examples hardly tell apart
)

// shard is sums over some of the examples: of derivatives times derivatives, and times shifts, in standard deviations.
type shard struct {
	square blas64.Symmetric
	times  []float64
}

// learn fits the coefficients of the terms that are used. The loss is √(1 + d²) for an error of d standard deviations, so that the few
// points where estimates are very precise do not outweigh all others; it is least after some rounds of weighted least squares.
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

// sums adds up over examples, which count by the errors of the round before if there was one.
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

// solve sets the coefficients from the sums, and how much each matters.
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
		return // too few examples: the coefficients stay as they are
	}
	for k, term := range terms {
		l.coefficients[term] = found.AtVec(k)
	}
}

// least is the effect of a term that is worth its place, in standard deviations of an estimate in quadratic mean over the examples. Digits
// that matter less are rounded away.
const least = 0.008

// prune leaves out terms without an effect; the other coefficients have to be fitted again.
func (l *learner) prune() {
	for k := range l.used {
		if l.used[k] = math.Abs(l.coefficients[k])*l.effect[k] > least; !l.used[k] {
			l.coefficients[k] = 0
		}
	}
}

// round rounds coefficients to the decimal places that matter.
func (l *learner) round() {
	for k, c := range l.coefficients {
		if l.used[k] {
			scale := math.Pow(10, max(0, math.Ceil(math.Log10(l.effect[k]/least))))
			l.coefficients[k] = math.Round(c*scale) / scale
		}
	}
}

// errors are the distances of all examples, over the root of the number of values: 1 is an error as large as that of an estimate.
func (l *learner) errors(examples []example) (all []float64) {
	x := make([]float64, len(l.products))
	for i := range examples {
		e := &examples[i]
		l.terms(x, e.theta)
		all = append(all, e.distance(l.predict(x))/math.Sqrt(float64(l.outputs)))
	}
	return all
}

// binding writes the polynomials as a model has them.
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
