package goasm

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"likc/compiler/emit/goasm/lane"
)

type vector = reg.VecVirtual

// operation writes an operator. All arguments are registers, except that the last may be memory where the operator table
// says so.
type operation func(l lane.Lanes, x []operand.Op) vector

// operations maps names of lane operations, as the operator table has them, to the functions that write them.
var operations = map[string]operation{
	"add":    func(l lane.Lanes, x []operand.Op) vector { return l.Add(x[0], x[1]) },
	"sub":    func(l lane.Lanes, x []operand.Op) vector { return l.Sub(x[0], x[1]) },
	"mul":    func(l lane.Lanes, x []operand.Op) vector { return l.Mul(x[0], x[1]) },
	"div":    func(l lane.Lanes, x []operand.Op) vector { return l.Div(x[0], x[1]) },
	"fma":    func(l lane.Lanes, x []operand.Op) vector { return l.FMA(x[0], x[1], x[2]) },
	"neg":    func(l lane.Lanes, x []operand.Op) vector { return l.Neg(x[0]) },
	"square": func(l lane.Lanes, x []operand.Op) vector { return l.Mul(x[0], x[0]) },
	"sqrt":   func(l lane.Lanes, x []operand.Op) vector { return l.Sqrt(x[0]) },
	"abs":    func(l lane.Lanes, x []operand.Op) vector { return l.Abs(x[0]) },
	"inv":    func(l lane.Lanes, x []operand.Op) vector { return l.Div(l.Set(1), x[0]) },
	"exp":    unary(lane.Lanes.Exp),
	"log":    unary(lane.Lanes.Log),
	"pow":    func(l lane.Lanes, x []operand.Op) vector { return l.Pow(x[0].(vector), x[1].(vector)) },
	"expm1":  unary(lane.Lanes.Expm1),
	"log1p":  unary(lane.Lanes.Log1p),
	"sin":    unary(lane.Lanes.Sin),
	"cos":    unary(lane.Lanes.Cos),

	"erf": unary(lane.Lanes.Erf),
	"min": func(l lane.Lanes, x []operand.Op) vector { return l.Min(x[0].(vector), x[1].(vector)) },
	"max": func(l lane.Lanes, x []operand.Op) vector { return l.Max(x[0].(vector), x[1].(vector)) },
	"less": func(l lane.Lanes, x []operand.Op) vector {
		return l.Select(x[0], lane.Less, x[1], l.Const(1), l.Set(0))
	},
	"lesseq": func(l lane.Lanes, x []operand.Op) vector {
		return l.Select(x[0], lane.LessEqual, x[1], l.Const(1), l.Set(0))
	},
	"and": func(l lane.Lanes, x []operand.Op) vector {
		return l.Select(x[0], lane.Equal, l.Const(0), l.Const(0), isTrue(l, x[1]))
	},
	"or": func(l lane.Lanes, x []operand.Op) vector {
		return l.Select(x[0], lane.Equal, l.Const(0), isTrue(l, x[1]), l.Set(1))
	},
	"if": func(l lane.Lanes, x []operand.Op) vector { return l.Select(x[0], lane.Equal, l.Const(0), x[2], x[1]) },

	"erfc":          unary(lane.Lanes.Erfc),
	"normcdf":       unary(lane.Lanes.NormCDF),
	"lognormcdf":    unary(lane.Lanes.LogNormCDF),
	"inverse_mills": unary(lane.Lanes.InverseMills),
	"log1mexp":      unary(lane.Lanes.Log1mExp),

	"sign":      unary(sign),
	"sigmoid":   unary(sigmoid),
	"logit":     unary(logit),
	"softplus":  unary(lane.Lanes.Softplus),
	"logaddexp": func(l lane.Lanes, x []operand.Op) vector { return l.LogAddExp(x[0].(vector), x[1].(vector)) },
	"tanh":      unary(tanh),
}

func unary(f func(lane.Lanes, vector) vector) operation {
	return func(l lane.Lanes, x []operand.Op) vector { return f(l, x[0].(vector)) }
}

// estimated maps divisions to functions that write them with an estimated reciprocal, so that they do not wait for the
// processor's divider. Errors are at most 1.5 ulp where the divisor and its reciprocal are normal, and two bits larger where
// the reciprocal is subnormal. Elsewhere the result is NaN.
var estimated = map[string]operation{
	"inv": unary(lane.Lanes.ReciprocalNormal),
	"div": func(l lane.Lanes, x []operand.Op) vector {
		return l.Mul(l.ReciprocalNormal(x[1].(vector)), x[0])
	},
}

// estimateLoad is the time for which an estimated division keeps the arithmetic units busy, in the unit of the operator table's
// Lane. With this value and the table's cost of a division, a body of divisions estimates half of them. On Zen 4 this is 1.7
// times as fast as without estimates, and 1.2 times as fast as estimating all.
const estimateLoad = 5
