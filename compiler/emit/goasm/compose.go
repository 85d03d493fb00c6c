package goasm

import (
	"github.com/mmcloughlin/avo/operand"

	"likc/compiler/emit/goasm/lane"
)

// The functions of this file compute operators that package lane does not have, by operators that it has. Their results at NaN
// and infinities are those of the operator table of package expr.

// isTrue returns 1 where the condition x holds, else 0.
func isTrue(l lane.Lanes, x operand.Op) vector {
	return l.Select(x, lane.Equal, l.Const(0), l.Const(0), l.Set(1))
}

// sign returns -1, 1, or x itself where it is zero or NaN.
func sign(l lane.Lanes, x vector) vector {
	y := l.Select(x, lane.Less, l.Const(0), l.Const(-1), x)
	return l.Select(l.Set(0), lane.Less, x, l.Const(1), y)
}

func sigmoid(l lane.Lanes, x vector) vector {
	return l.Div(l.Set(1), l.Add(l.Exp(l.Neg(x)), l.Const(1)))
}

func logit(l lane.Lanes, x vector) vector { return l.Sub(l.Log(x), l.Log1p(l.Neg(x))) }

// tanh returns tanh(x): -e/(e+2) with e = expm1(-2|x|), and the sign of x.
func tanh(l lane.Lanes, x vector) vector {
	e := l.Expm1(l.Mul(l.Abs(x), l.Const(-2)))
	size := l.Div(l.Neg(e), l.Add(e, l.Const(2)))
	return l.Or(size, l.And(x, l.Bits(1<<63)))
}
