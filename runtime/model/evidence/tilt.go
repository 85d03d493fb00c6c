package evidence

import "likc/compiler/expr"

// tilt is the effect of a drift α that depends neither on the time nor on the evidence. The noise σ must not depend on the time. By
// Girsanov's theorem the log density of first passage is that without drift plus α(B - x0)/σ² - α²τ/(2σ²), where B is the boundary
// at τ and x0 is the start. Trials that differ in their drift alone therefore share one solution.
type tilt struct {
	terms  [2]*expr.Tape // for each boundary: the term that is added, and its derivative in the time
	slopes [2]*expr.Tape // for each boundary: the derivatives of the term in the parameters
}

// add returns a log density of choice k and its derivative in the time, with the drift. values are those of the symbols, the last
// of which is the time. It adds the derivatives in the parameters to grad. memory is reused.
func (t *tilt) add(k int, values, memory, grad []float64, log, byTime float64) (value, slope float64, reused []float64) {
	memory, _ = t.terms[k].Eval(memory[:0], values)
	log, byTime = log+memory[0], byTime+memory[1]
	if len(grad) > 0 {
		memory, _ = t.slopes[k].Eval(memory[:0], values)
		for p := range grad {
			grad[p] += memory[p]
		}
	}
	return log, byTime, memory
}
