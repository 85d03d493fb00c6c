package vector

import (
	"math"

	"likc/runtime/num/vec"
)

// run is the number of rows that a composite kernel computes at a time. It keeps intermediate values on the stack, because dst
// may be one of its operands.
const run = 128

// softplus sets dst to log(1 + exp(x)), as max(x, 0) + log1p(exp(-|x|)).
func softplus(dst, x []float64) {
	var buffer [run]float64
	for from := 0; from < len(dst); from += run {
		to := min(from+run, len(dst))
		b, d := buffer[:to-from], dst[from:to]
		copy(b, x[from:to])
		for i, v := range b {
			d[i] = math.Max(v, 0)
		}
		logOnePlusExp(b)
		vec.Add(d, d, b)
	}
}

// logOnePlusExp replaces x by log1p(exp(-|x|)).
func logOnePlusExp(x []float64) {
	vec.Abs(x, x)
	vec.Neg(x, x)
	vec.Exp(x, x)
	vec.Log1p(x, x)
}

// sigmoid sets dst to 1/(1 + exp(-x)).
func sigmoid(dst, x []float64) {
	vec.Neg(dst, x)
	vec.Exp(dst, dst)
	vec.AddScalar(dst, dst, 1)
	vec.ScalarDiv(dst, dst, 1)
}
