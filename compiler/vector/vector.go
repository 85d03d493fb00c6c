// Package vector has a table of kernels: functions that compute an operator for many rows of data at a time. An operator
// without a kernel is computed row by row, with Eval of its [expr.Info].
package vector

import (
	"math"

	"likc/compiler/expr"
	"likc/runtime/num/vec"
)

// Kernel computes an operator. Only the function with the operator's number of operands is set; the others are nil. All are nil
// if the operator has no kernel. dst and the operands have the same length, and dst may be one of the operands.
type Kernel[F float32 | float64] struct {
	Unary   func(dst, x []F)
	Binary  func(dst, x, y []F)
	Ternary func(dst, x, y, z []F)
}

// Double holds the kernels in double precision, by operator. It is an array and no map, because a look-up in a map would take
// as long as a kernel on a short block.
var Double = [math.MaxUint8 + 1]Kernel[float64]{
	expr.Square: {Unary: vec.Square}, expr.Sqrt: {Unary: vec.Sqrt}, expr.Abs: {Unary: vec.Abs}, expr.Neg: {Unary: vec.Neg},
	expr.Inv: {Unary: func(dst, x []float64) { vec.ScalarDiv(dst, x, 1) }},
	expr.Exp: {Unary: vec.Exp}, expr.Log: {Unary: vec.Log}, expr.Expm1: {Unary: vec.Expm1}, expr.Log1p: {Unary: vec.Log1p},
	expr.Log1mExp: {Unary: vec.Log1mExp}, expr.Softplus: {Unary: softplus}, expr.Sigmoid: {Unary: sigmoid},
	expr.Sin: {Unary: vec.Sin}, expr.Cos: {Unary: vec.Cos},
	expr.Erf: {Unary: vec.Erf}, expr.NormCDF: {Unary: vec.NormCDF}, expr.LogNormCDF: {Unary: vec.LogNormCDF}, expr.InverseMills: {Unary: vec.InverseMills},

	expr.Add: {Binary: vec.Add}, expr.Sub: {Binary: vec.Sub}, expr.Mul: {Binary: vec.Mul}, expr.Div: {Binary: vec.Div},
	expr.Pow: {Binary: vec.Pow}, expr.Min: {Binary: vec.Min}, expr.Max: {Binary: vec.Max}, expr.LogAddExp: {Binary: vec.LogAddExp},
	expr.Less: {Binary: vec.Less}, expr.LessEqual: {Binary: vec.LessEqual},

	expr.If: {Ternary: vec.Choose}, expr.FMA: {Ternary: vec.FMA},
}

// Single are the kernels in single precision, by operator.
var Single = [math.MaxUint8 + 1]Kernel[float32]{
	expr.Square: {Unary: vec.Square32}, expr.Sqrt: {Unary: vec.Sqrt32}, expr.Exp: {Unary: vec.Exp32}, expr.Log: {Unary: vec.Log32},
	expr.Neg: {Unary: func(dst, x []float32) { vec.MulScalar32(dst, x, -1) }},
	expr.Inv: {Unary: func(dst, x []float32) { vec.ScalarDiv32(dst, x, 1) }},

	expr.Add: {Binary: vec.Add32}, expr.Sub: {Binary: vec.Sub32}, expr.Mul: {Binary: vec.Mul32}, expr.Div: {Binary: vec.Div32},
}
