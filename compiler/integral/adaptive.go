package integral

import (
	"math"

	"likc/compiler/expr"
	"likc/runtime/num/gauss"
)

// evaluator evaluates an integral at values of the model's symbols.
type evaluator struct {
	pieces []*expr.Tape // the integrand on each piece of the interval, as a function of the model's symbols and of share
	sizes  []int        // for each piece, the number of nodes of its expression
	value  []float64    // the values of the model's symbols, then of share
	out    []float64    // memory for the integrand's value
	work   *int         // the number of nodes that may still be evaluated, for all integrals of the model together
}

// share is the symbol of the position on a piece: 0 at its beginning, 1 at its end.
const share = "share of a piece"

// newEvaluator returns an evaluator of the integral whose pieces are the values of lets.
func newEvaluator(symbols []string, lets []expr.Let, work *int) *evaluator {
	e := &evaluator{value: make([]float64, len(symbols)+1), work: work}
	for _, l := range lets {
		e.pieces = append(e.pieces, expr.NewTape(append(symbols[:len(symbols):len(symbols)], share), l.Value))
		e.sizes = append(e.sizes, len(expr.Order(l.Value)))
	}
	return e
}

// set sets the values of the model's symbols.
func (e *evaluator) set(values []float64) { copy(e.value, values) }

// integrand returns the integrand on piece k as a function of the position x from 0 to 1.
func (e *evaluator) integrand(k int) func(x float64) float64 {
	return func(x float64) float64 {
		e.value[len(e.value)-1] = x
		*e.work -= e.sizes[k]
		e.out, _ = e.pieces[k].Eval(e.out[:0], e.value)
		return e.out[0]
	}
}

// fixed returns the integral, computed by the rule r on each piece.
func (e *evaluator) fixed(r gauss.Rule) float64 {
	total := 0.0
	for k := range e.pieces {
		total += r.On(e.integrand(k), 0, 1)
	}
	return total
}

// Settings of adaptive quadrature: the number of intervals of a piece at the beginning, the error to which each interval is
// refined as a share of the integral's magnitude, and the largest number of halvings in an integral.
const (
	firstIntervals = 12
	agreement      = 1e-10
	mostHalvings   = 1000
)

// adaptive returns the integral, computed by adaptive quadrature. It returns false if that does not converge.
func (e *evaluator) adaptive() (float64, bool) {
	first := make([][firstIntervals]float64, len(e.pieces))
	size := 0.0
	for k := range first {
		f := e.integrand(k)
		for i := range firstIntervals {
			first[k][i] = gauss.Eight.On(f, float64(i)/firstIntervals, float64(i+1)/firstIntervals)
			size += math.Abs(first[k][i])
		}
	}
	total, left := 0.0, mostHalvings
	for k := range first {
		f := e.integrand(k)
		for i, whole := range first[k] {
			total += gauss.Adaptive(f, float64(i)/firstIntervals, float64(i+1)/firstIntervals, whole, agreement*size, &left)
		}
	}
	return total, left >= 0
}
