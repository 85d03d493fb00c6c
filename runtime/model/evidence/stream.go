package evidence

import "likc/compiler/expr"

// The functions of time that define a stream: its drift, noise and boundaries.
const (
	fnAlpha      = iota // α, where the drift is α + βx
	fnBeta              // β
	fnNoise             // σ²
	fnUpper             // the upper boundary
	fnUpperSlope        // derivative of the upper boundary in time
	fnLower             // the lower boundary
	fnLowerSlope        // derivative of the lower boundary in time
	functions           // the number of functions
)

// stream is one accumulator, prepared for evaluation.
type stream struct {
	params []int            // the indexes of the parameters on which it depends, in whose order derivatives are
	values *tape            // the functions of time, then conditions on time
	slopes *tape            // the functions of time, then their derivatives, which slope lists
	slope  [functions][]int // for each function and parameter, the root of the derivative; -1 for 0
	start  law              // the distribution of the starting point
	jumps  *tape            // times at which functions of time may jump
	zero   [functions]bool  // for each function, whether it is always 0

	twoSided bool // whether there is a lower boundary: that of the process, or the image of the upper one
	mirrored bool // whether the lower boundary is the image of the upper one in a barrier that reflects evidence
}

// law is the distribution of a start or an onset. A tape computes its values, such as the ends of a uniform law, from the
// parameters.
type law struct {
	kind expr.LawKind
	n    int   // number of values
	tape *tape // the values, then for each value its derivatives in parameters
}

// at returns the values of the law, and the derivatives of each in the parameters.
func (l *law) at(m *tapeMemory, mem *arena, dim int, symbols []float64) (values []float64, slopes []float64) {
	l.tape.run(m, mem, nil, symbols)
	values, slopes = mem.take(l.n), mem.take(l.n*dim)
	for k := range values {
		values[k] = l.tape.numberOf(m, k)
	}
	for k := range slopes {
		slopes[k] = l.tape.numberOf(m, l.n+k)
	}
	return values, slopes
}
