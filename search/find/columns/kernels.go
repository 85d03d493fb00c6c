package columns

import (
	"likc/compiler/expr"
	"likc/runtime/num/vec"
)

// kernels holds the vector kernels by operator; an operator without one is
// evaluated row by row with the table's Eval.
type kernels[F Float] struct {
	unary  map[expr.Op]func(dst, x []F)
	binary map[expr.Op]func(dst, x, y []F)
}

var double = kernels[float64]{
	unary: map[expr.Op]func(dst, x []float64){
		expr.Square: vec.Square, expr.Exp: vec.Exp, expr.Log: vec.Log, expr.Sqrt: vec.Sqrt, expr.Abs: vec.Abs,
		expr.Neg: vec.Neg, expr.Expm1: vec.Expm1, expr.Log1p: vec.Log1p, expr.Erf: vec.Erf,
		expr.Inv: func(dst, x []float64) { vec.ScalarDiv(dst, x, 1) }, expr.Softplus: softplus, expr.Sigmoid: sigmoid,
	},
	binary: map[expr.Op]func(dst, x, y []float64){
		expr.LogAddExp: logAddExp,
		expr.Add:       vec.Add, expr.Sub: vec.Sub, expr.Mul: vec.Mul, expr.Div: vec.Div, expr.Min: vec.Min, expr.Max: vec.Max,
	},
}

var single = kernels[float32]{
	unary: map[expr.Op]func(dst, x []float32){
		expr.Square: vec.Square32, expr.Exp: vec.Exp32, expr.Log: vec.Log32, expr.Sqrt: vec.Sqrt32,
		expr.Neg: func(dst, x []float32) { vec.MulScalar32(dst, x, -1) },
		expr.Inv: func(dst, x []float32) { vec.ScalarDiv32(dst, x, 1) },
	},
	binary: map[expr.Op]func(dst, x, y []float32){
		expr.Add: vec.Add32, expr.Sub: vec.Sub32, expr.Mul: vec.Mul32, expr.Div: vec.Div32,
	},
}

// routine computes one operator over a block; only one of its fields is set.
type routine[F Float] struct {
	unary  func(dst, x []F)
	binary func(dst, x, y []F)
	eval   func(x [3]float64) float64
}

// routines are all operators' by their number.
func routines[F Float]() []routine[F] {
	set, ok := any(&double).(*kernels[F])
	if !ok {
		set = any(&single).(*kernels[F])
	}
	list := make([]routine[F], len(expr.Ops()))
	for i, op := range expr.Ops() {
		list[i] = routine[F]{unary: set.unary[op], binary: set.binary[op]}
		if list[i].unary == nil && list[i].binary == nil {
			list[i].eval = op.Info().Eval
		}
	}
	return list
}
