package integral

import (
	"math"

	"likc/compiler/expr"
	"likc/runtime/num/gauss"
)

// evaluator evaluates an integral at values of the model's symbols.
type evaluator struct {
	pieces []*expr.Tape // the pieces as functions of the model's symbols and of the share
	sizes  []int        // nodes of the pieces
	value  []float64    // the model's symbols, then share
	out    []float64
	work   *int // nodes that may still be evaluated, in all integrals of the model
}

// share is the symbol of the variable of pieces.
const share = "share of a piece"

// newEvaluator compiles an integral, whose pieces are the values of lets, for the symbols of the model's data.
func newEvaluator(symbols []string, lets []expr.Let, work *int) *evaluator {
	e := &evaluator{value: make([]float64, len(symbols)+1), work: work}
	for _, l := range lets {
		e.pieces = append(e.pieces, expr.NewTape(append(symbols[:len(symbols):len(symbols)], share), l.Value))
		e.sizes = append(e.sizes, len(expr.Order(l.Value)))
	}
	return e
}

// set chooses the values of the symbols.
func (e *evaluator) set(values []float64) { copy(e.value, values) }

// on returns the integrand on piece k as a function of x, which goes from 0 to 1.
func (e *evaluator) on(k int) func(x float64) float64 {
	return func(x float64) float64 {
		e.value[len(e.value)-1] = x
		*e.work -= e.sizes[k]
		e.out, _ = e.pieces[k].Eval(e.out[:0], e.value)
		return e.out[0]
	}
}

// fixed returns the integral by a rule on each piece.
func (e *evaluator) fixed(r gauss.Rule) float64 {
	total := 0.0
	for k := range e.pieces {
		total += r.On(e.on(k), 0, 1)
	}
	return total
}

// Adaptive quadrature begins with this many intervals a piece, refines each to a share of the integral's magnitude, and gives up after so many
// halvings of an integral.
const (
	firstIntervals = 12
	agreement      = 1e-10
	mostHalvings   = 1000
)

// adaptive returns the integral by adaptive quadrature; false where it does not settle.
func (e *evaluator) adaptive() (float64, bool) {
	first := make([][firstIntervals]float64, len(e.pieces))
	size := 0.0
	for k := range first {
		f := e.on(k)
		for i := range firstIntervals {
			first[k][i] = gauss.Eight.On(f, float64(i)/firstIntervals, float64(i+1)/firstIntervals)
			size += math.Abs(first[k][i])
		}
	}
	total, left := 0.0, mostHalvings
	for k := range first {
		f := e.on(k)
		for i, whole := range first[k] {
			total += gauss.Adaptive(f, float64(i)/firstIntervals, float64(i+1)/firstIntervals, whole, agreement*size, &left)
		}
	}
	return total, left >= 0
}
