package integral

import (
	"math"

	"likc/compiler/expr"
	"likc/compiler/quadrature"
)

// evaluator evaluates an integral at values of the model's symbols.
type evaluator struct {
	of, ends *expr.Tape
	value    []float64 // the model's symbols, then the variable
	out, at  []float64
	size     int  // nodes of the integrand
	work     *int // nodes that may still be evaluated, in all integrals of the model
}

// newEvaluator compiles integral i, whose integrand and ends are the values of lets, for the symbols of the model's data.
func newEvaluator(symbols []string, i *Integral, lets []expr.Let, work *int) *evaluator {
	e := &evaluator{value: make([]float64, len(symbols)+1), size: len(expr.Order(lets[0].Value)), work: work}
	e.of = expr.NewTape(append(symbols[:len(symbols):len(symbols)], i.Variable), lets[0].Value)
	var ends []*expr.Expr
	for _, l := range lets[1:] {
		ends = append(ends, l.Value)
	}
	e.ends = expr.NewTape(symbols, ends...)
	return e
}

// set chooses the values of the symbols.
func (e *evaluator) set(values []float64) {
	copy(e.value, values)
	e.at, _ = e.ends.Eval(e.at[:0], values)
}

// pieces is the number of pieces.
func (e *evaluator) pieces() int { return len(e.at) - 1 }

// on is the integrand on a piece as a function of x from 0 to 1.
func (e *evaluator) on(k int) func(x float64) float64 {
	lo, hi := e.at[k], e.at[k+1]
	switch {
	case math.IsInf(hi, 1):
		return func(x float64) float64 { return e.f(lo+x/(1-x)) / (1 - x) / (1 - x) }
	case math.IsInf(lo, -1):
		return func(x float64) float64 { return e.f(hi-x/(1-x)) / (1 - x) / (1 - x) }
	}
	return func(x float64) float64 { return e.f(lo+x*(hi-lo)) * (hi - lo) }
}

func (e *evaluator) f(u float64) float64 {
	e.value[len(e.value)-1] = u
	*e.work -= e.size
	e.out, _ = e.of.Eval(e.out[:0], e.value)
	return e.out[0]
}

// fixed is the integral by a rule on each piece.
func (e *evaluator) fixed(r quadrature.Rule) float64 {
	total := 0.0
	for k := range e.pieces() {
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

// adaptive is the integral by adaptive quadrature; false where it does not settle.
func (e *evaluator) adaptive() (float64, bool) {
	first := make([][firstIntervals]float64, e.pieces())
	size := 0.0
	for k := range first {
		f := e.on(k)
		for i := range firstIntervals {
			first[k][i] = quadrature.Eight.On(f, float64(i)/firstIntervals, float64(i+1)/firstIntervals)
			size += math.Abs(first[k][i])
		}
	}
	total, left := 0.0, mostHalvings
	for k := range first {
		f := e.on(k)
		for i, whole := range first[k] {
			total += quadrature.Adaptive(f, float64(i)/firstIntervals, float64(i+1)/firstIntervals, whole, agreement*size, &left)
		}
	}
	return total, left >= 0
}
