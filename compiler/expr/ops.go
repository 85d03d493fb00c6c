package expr

import (
	"math"
	"math/cmplx"
)

// The operators. Sum adds up an expression over the trials of a group; users never write it.
const (
	Const Op = iota
	Sym
	Sum
	Add
	Sub
	Mul
	Div
	Neg
	Square
	Pow
	Exp
	Log
	Sqrt
	Abs
	Inv
	FMA
	Log1p
	Expm1
	Erf
	Erfc
	NormCDF
	Tanh
	Sinh
	Cosh
	Sin
	Cos
	Atan
	Cbrt
	Sigmoid
	Logit
	Softplus
	LogAddExp
	Min
	Max
	Sign
	Less
	numOps
)

// table is the operator table: adding an operator is adding a row (and its constant above). It is filled by init because
// partial derivatives are themselves built from the table.
var table [numOps]Info

func init() {
	table = [numOps]Info{
		Const: {Name: "const", Notation: Leaf, Prec: precPrimary, Searchable: false},
		Sym:   {Name: "sym", Notation: Leaf, Prec: precPrimary, Searchable: true},
		Sum: {Name: "sum", Arity: 1, Prec: precPrimary, Internal: true,
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{Num(1)} }},
		Add: {Name: "add", Arity: 2, Notation: Infix, Text: "+", Prec: precSum, Commutative: true, Searchable: true,
			Eval:    func(x [3]float64) float64 { return x[0] + x[1] },
			Complex: func(x [3]complex128) complex128 { return x[0] + x[1] },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{Num(1), Num(1)} },
			Cost:    1, Go: Spelling{Binary, "+", ""}, C: Spelling{Binary, "+", ""}, Lane: "add"},
		Sub: {Name: "sub", Arity: 2, Notation: Infix, Text: "-", Prec: precSum, Searchable: true,
			Eval:    func(x [3]float64) float64 { return x[0] - x[1] },
			Complex: func(x [3]complex128) complex128 { return x[0] - x[1] },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{Num(1), Num(-1)} },
			Cost:    1, Go: Spelling{Binary, "-", ""}, C: Spelling{Binary, "-", ""}, Lane: "sub"},
		Mul: {Name: "mul", Arity: 2, Notation: Infix, Text: "*", Prec: precProduct, Commutative: true, Searchable: true,
			Eval:    func(x [3]float64) float64 { return x[0] * x[1] },
			Complex: func(x [3]complex128) complex128 { return x[0] * x[1] },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{x[1], x[0]} },
			Cost:    1, Go: Spelling{Binary, "*", ""}, C: Spelling{Binary, "*", ""}, Lane: "mul"},
		Div: {Name: "div", Arity: 2, Notation: Infix, Text: "/", Prec: precProduct, Searchable: true,
			Eval:    func(x [3]float64) float64 { return x[0] / x[1] },
			Complex: func(x [3]complex128) complex128 { return x[0] / x[1] },
			Partial: func(x []*Expr, y *Expr) []*Expr {
				return []*Expr{New(Inv, x[1]), New(Neg, New(Div, y, x[1]))}
			},
			Domain: []Condition{{1, NonZero}},
			Cost:   5, Go: Spelling{Binary, "/", ""}, C: Spelling{Binary, "/", ""}, Lane: "div"},
		Neg: {Name: "neg", Arity: 1, Notation: Prefix, Text: "-", Prec: precUnary,
			Eval:    func(x [3]float64) float64 { return -x[0] },
			Complex: func(x [3]complex128) complex128 { return -x[0] },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{Num(-1)} },
			Cost:    1, Go: Spelling{Unary, "-", ""}, C: Spelling{Unary, "-", ""}, Lane: "neg"},
		Square: {Name: "square", Arity: 1, Notation: Superscript, Text: "2", Prec: precPower, Searchable: true,
			Eval:    func(x [3]float64) float64 { return x[0] * x[0] },
			Complex: func(x [3]complex128) complex128 { return x[0] * x[0] },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{New(Mul, Num(2), x[0])} },
			Cost:    1, Go: Spelling{Self, "*", ""}, C: Spelling{Self, "*", ""}, Lane: "square"},
		Pow: {Name: "pow", Arity: 2, Notation: Superscript, Text: "^", Prec: precPower,
			Eval:    func(x [3]float64) float64 { return math.Pow(x[0], x[1]) },
			Complex: func(x [3]complex128) complex128 { return complexPow(x[0], x[1]) },
			Partial: powPartial,
			Cost:    60, Go: Spelling{Function, "Pow", ""}, C: Spelling{Function, "pow", ""}},
		Exp: {Name: "exp", Arity: 1, Prec: precPrimary, Searchable: true,
			Eval:    func(x [3]float64) float64 { return math.Exp(x[0]) },
			Complex: func(x [3]complex128) complex128 { return cmplx.Exp(x[0]) },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{y} },
			Cost:    20, Go: Spelling{Function, "Exp", ""}, C: Spelling{Function, "exp", ""}, Lane: "exp"},
		Log: {Name: "log", Arity: 1, Prec: precPrimary, Searchable: true,
			Eval:    func(x [3]float64) float64 { return math.Log(x[0]) },
			Complex: func(x [3]complex128) complex128 { return complexReal(x[0], x[0], cmplx.Log) },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{New(Inv, x[0])} },
			Domain:  []Condition{{0, Positive}},
			Cost:    20, Go: Spelling{Function, "Log", ""}, C: Spelling{Function, "log", ""}, Lane: "log"},
		Sqrt: {Name: "sqrt", Arity: 1, Prec: precPrimary, Searchable: true,
			Eval:    func(x [3]float64) float64 { return math.Sqrt(x[0]) },
			Complex: func(x [3]complex128) complex128 { return complexReal(x[0], x[0], cmplx.Sqrt) },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{New(Div, Num(0.5), y)} },
			Domain:  []Condition{{0, NonNegative}},
			Cost:    6, Go: Spelling{Function, "Sqrt", ""}, C: Spelling{Function, "sqrt", ""}, Lane: "sqrt"},
		Abs: {Name: "abs", Arity: 1, Prec: precPrimary,
			Eval:    func(x [3]float64) float64 { return math.Abs(x[0]) },
			Complex: func(x [3]complex128) complex128 { return branch(math.Signbit(real(x[0])), -x[0], x[0]) },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{New(Sign, x[0])} },
			Cost:    1, Go: Spelling{Function, "Abs", ""}, C: Spelling{Function, "fabs", ""}, Lane: "abs"},
		Inv: {Name: "inv", Arity: 1, Prec: precPrimary,
			Eval:    func(x [3]float64) float64 { return 1 / x[0] },
			Complex: func(x [3]complex128) complex128 { return 1 / x[0] },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{New(Neg, New(Square, y))} },
			Domain:  []Condition{{0, NonZero}},
			Cost:    5, Go: Spelling{Under, "/", ""}, C: Spelling{Under, "/", ""}, Lane: "inv"},
		FMA: {Name: "fma", Arity: 3, Prec: precPrimary,
			Eval:    func(x [3]float64) float64 { return math.FMA(x[0], x[1], x[2]) },
			Complex: func(x [3]complex128) complex128 { return x[0]*x[1] + x[2] },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{x[1], x[0], Num(1)} },
			Cost:    1, Go: Spelling{Function, "FMA", ""}, C: Spelling{Function, "fma", ""}, Lane: "fma"},
		Log1p: {Name: "log1p", Arity: 1, Prec: precPrimary,
			Eval:    func(x [3]float64) float64 { return math.Log1p(x[0]) },
			Complex: func(x [3]complex128) complex128 { return complexLog1p(x[0]) },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{New(Inv, New(Add, Num(1), x[0]))} },
			Domain:  []Condition{{0, AboveMinus1}},
			Cost:    25, Go: Spelling{Function, "Log1p", ""}, C: Spelling{Function, "log1p", ""}, Lane: "log1p"},
		Expm1: {Name: "expm1", Arity: 1, Prec: precPrimary,
			Eval:    func(x [3]float64) float64 { return math.Expm1(x[0]) },
			Complex: func(x [3]complex128) complex128 { return cmplx.Exp(x[0]/2) * 2 * cmplx.Sinh(x[0]/2) },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{New(Exp, x[0])} },
			Cost:    25, Go: Spelling{Function, "Expm1", ""}, C: Spelling{Function, "expm1", ""}, Lane: "expm1"},
		Erf: {Name: "erf", Arity: 1, Prec: precPrimary,
			Eval:    func(x [3]float64) float64 { return math.Erf(x[0]) },
			Complex: func(x [3]complex128) complex128 { return complexErf(x[0]) },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{gaussian(2/math.SqrtPi, -1, x[0])} },
			Cost:    40, Go: Spelling{Function, "Erf", ""}, C: Spelling{Function, "erf", ""}},
		Erfc: {Name: "erfc", Arity: 1, Prec: precPrimary,
			Eval:    func(x [3]float64) float64 { return math.Erfc(x[0]) },
			Complex: func(x [3]complex128) complex128 { return branch(real(x[0]) > 2, complexErfc(x[0]), 1-complexErf(x[0])) },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{gaussian(-2/math.SqrtPi, -1, x[0])} },
			Cost:    40, Go: Spelling{Function, "Erfc", ""}, C: Spelling{Function, "erfc", ""}},
		NormCDF: {Name: "normcdf", Arity: 1, Prec: precPrimary,
			Eval: func(x [3]float64) float64 { return 0.5 * math.Erfc(-x[0]/math.Sqrt2) },
			Complex: func(x [3]complex128) complex128 {
				return (1 + complexErf(x[0]/complex(math.Sqrt2, 0))) / 2
			},
			Partial: func(x []*Expr, y *Expr) []*Expr {
				return []*Expr{gaussian(1/(math.Sqrt2*math.SqrtPi), -0.5, x[0])}
			},
			Cost: 45, Go: Spelling{Local, "normcdf", goNormCDF}, C: Spelling{Local, "normcdf", cNormCDF}},
		Tanh: {Name: "tanh", Arity: 1, Prec: precPrimary,
			Eval:    func(x [3]float64) float64 { return math.Tanh(x[0]) },
			Complex: func(x [3]complex128) complex128 { return cmplx.Tanh(x[0]) },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{New(Sub, Num(1), New(Square, y))} },
			Cost:    30, Go: Spelling{Function, "Tanh", ""}, C: Spelling{Function, "tanh", ""}},
		Sinh: {Name: "sinh", Arity: 1, Prec: precPrimary,
			Eval:    func(x [3]float64) float64 { return math.Sinh(x[0]) },
			Complex: func(x [3]complex128) complex128 { return cmplx.Sinh(x[0]) },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{New(Cosh, x[0])} },
			Cost:    30, Go: Spelling{Function, "Sinh", ""}, C: Spelling{Function, "sinh", ""}},
		Cosh: {Name: "cosh", Arity: 1, Prec: precPrimary,
			Eval:    func(x [3]float64) float64 { return math.Cosh(x[0]) },
			Complex: func(x [3]complex128) complex128 { return cmplx.Cosh(x[0]) },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{New(Sinh, x[0])} },
			Cost:    30, Go: Spelling{Function, "Cosh", ""}, C: Spelling{Function, "cosh", ""}},
		Sin: {Name: "sin", Arity: 1, Prec: precPrimary,
			Eval:    func(x [3]float64) float64 { return math.Sin(x[0]) },
			Complex: func(x [3]complex128) complex128 { return cmplx.Sin(x[0]) },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{New(Cos, x[0])} },
			Cost:    20, Go: Spelling{Function, "Sin", ""}, C: Spelling{Function, "sin", ""}},
		Cos: {Name: "cos", Arity: 1, Prec: precPrimary,
			Eval:    func(x [3]float64) float64 { return math.Cos(x[0]) },
			Complex: func(x [3]complex128) complex128 { return cmplx.Cos(x[0]) },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{New(Neg, New(Sin, x[0]))} },
			Cost:    20, Go: Spelling{Function, "Cos", ""}, C: Spelling{Function, "cos", ""}},
		Atan: {Name: "atan", Arity: 1, Prec: precPrimary,
			Eval:    func(x [3]float64) float64 { return math.Atan(x[0]) },
			Complex: func(x [3]complex128) complex128 { return complexAtan(x[0]) },
			Partial: func(x []*Expr, y *Expr) []*Expr {
				return []*Expr{New(Inv, New(Add, Num(1), New(Square, x[0])))}
			},
			Cost: 25, Go: Spelling{Function, "Atan", ""}, C: Spelling{Function, "atan", ""}},
		Cbrt: {Name: "cbrt", Arity: 1, Prec: precPrimary,
			Eval: func(x [3]float64) float64 { return math.Cbrt(x[0]) },
			Complex: func(x [3]complex128) complex128 {
				return branch(real(x[0]) < 0, -cmplx.Pow(-x[0], 1.0/3), cmplx.Pow(x[0], 1.0/3))
			},
			Partial: func(x []*Expr, y *Expr) []*Expr {
				return []*Expr{New(Div, Num(1.0/3), New(Square, y))}
			},
			Cost: 25, Go: Spelling{Function, "Cbrt", ""}, C: Spelling{Function, "cbrt", ""}},
		Sigmoid: {Name: "sigmoid", Arity: 1, Prec: precPrimary,
			Eval:    func(x [3]float64) float64 { return 1 / (1 + math.Exp(-x[0])) },
			Complex: func(x [3]complex128) complex128 { return 1 / (1 + cmplx.Exp(-x[0])) },
			Partial: func(x []*Expr, y *Expr) []*Expr {
				return []*Expr{New(Mul, y, New(Sub, Num(1), y))}
			},
			Cost: 26, Go: Spelling{Local, "sigmoid", goSigmoid}, C: Spelling{Local, "sigmoid", cSigmoid}},
		Logit: {Name: "logit", Arity: 1, Prec: precPrimary,
			Eval: func(x [3]float64) float64 { return math.Log(x[0]) - math.Log1p(-x[0]) },
			Complex: func(x [3]complex128) complex128 {
				if real(x[0]) < 0 || real(x[0]) > 1 {
					return cmplx.NaN()
				}
				return cmplx.Log(x[0]) - cmplx.Log(1-x[0])
			},
			Partial: func(x []*Expr, y *Expr) []*Expr {
				return []*Expr{New(Inv, New(Mul, x[0], New(Sub, Num(1), x[0])))}
			},
			Domain: []Condition{{0, InUnit}},
			Cost:   50, Go: Spelling{Local, "logit", goLogit}, C: Spelling{Local, "logit", cLogit}},
		Softplus: {Name: "softplus", Arity: 1, Prec: precPrimary,
			Eval: func(x [3]float64) float64 { return softplus(x[0]) },
			Complex: func(x [3]complex128) complex128 {
				return branch(real(x[0]) > 0, x[0]+complexLog1p(cmplx.Exp(-x[0])), complexLog1p(cmplx.Exp(x[0])))
			},
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{New(Sigmoid, x[0])} },
			Cost:    45, Go: Spelling{Local, "softplus", goSoftplus}, C: Spelling{Local, "softplus", cSoftplus}},
		LogAddExp: {Name: "logaddexp", Arity: 2, Prec: precPrimary, Commutative: true,
			Eval: func(x [3]float64) float64 { return logAddExp(x[0], x[1]) },
			Complex: func(x [3]complex128) complex128 {
				return branch(real(x[0]) > real(x[1]), x[0]+complexLog1p(cmplx.Exp(x[1]-x[0])), x[1]+complexLog1p(cmplx.Exp(x[0]-x[1])))
			},
			Partial: func(x []*Expr, y *Expr) []*Expr {
				return []*Expr{New(Exp, New(Sub, x[0], y)), New(Exp, New(Sub, x[1], y))}
			},
			Cost: 48, Go: Spelling{Local, "logaddexp", goLogAddExp}, C: Spelling{Local, "logaddexp", cLogAddExp}},
		Min: {Name: "min", Arity: 2, Prec: precPrimary, Commutative: true,
			Eval:    func(x [3]float64) float64 { return math.Min(x[0], x[1]) },
			Complex: func(x [3]complex128) complex128 { return branch(real(x[0]) < real(x[1]), x[0], x[1]) },
			Partial: func(x []*Expr, y *Expr) []*Expr {
				first := New(Less, x[0], x[1])
				return []*Expr{first, New(Sub, Num(1), first)}
			},
			Cost: 2, Go: Spelling{Function, "Min", ""}, C: Spelling{Local, "likc_min", cMin}},
		Max: {Name: "max", Arity: 2, Prec: precPrimary, Commutative: true,
			Eval:    func(x [3]float64) float64 { return math.Max(x[0], x[1]) },
			Complex: func(x [3]complex128) complex128 { return branch(real(x[0]) < real(x[1]), x[1], x[0]) },
			Partial: func(x []*Expr, y *Expr) []*Expr {
				second := New(Less, x[0], x[1])
				return []*Expr{New(Sub, Num(1), second), second}
			},
			Cost: 2, Go: Spelling{Function, "Max", ""}, C: Spelling{Local, "likc_max", cMax}},
		Sign: {Name: "sign", Arity: 1, Prec: precPrimary,
			Eval: func(x [3]float64) float64 { return sign(x[0]) },
			Complex: func(x [3]complex128) complex128 {
				return complex(sign(real(x[0])), 0)
			},
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{nil} },
			Cost:    2, Go: Spelling{Local, "sign", goSign}, C: Spelling{Local, "likc_sign", cSign}},
		Less: {Name: "less", Arity: 2, Prec: precPrimary,
			Eval: func(x [3]float64) float64 { return less(x[0], x[1]) },
			Complex: func(x [3]complex128) complex128 {
				return complex(less(real(x[0]), real(x[1])), 0)
			},
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{nil, nil} },
			Cost:    2, Go: Spelling{Local, "less", goLess}, C: Spelling{Local, "likc_less", cLess}},
	}
	index()
}

// powPartial: x^n with constant n needs no logarithm, so it is differentiable at negative x too.
func powPartial(x []*Expr, y *Expr) []*Expr {
	if x[1].Op == Const {
		n := x[1].Value
		return []*Expr{New(Mul, Num(n), New(Pow, x[0], Num(n-1))), nil}
	}
	base := New(Mul, x[1], New(Pow, x[0], New(Sub, x[1], Num(1))))
	return []*Expr{base, New(Mul, y, New(Log, x[0]))}
}

// gaussian is c·exp(k·x²).
func gaussian(c, k float64, x *Expr) *Expr {
	return New(Mul, Num(c), New(Exp, New(Mul, Num(k), New(Square, x))))
}
