package expr

import (
	"math"
	"math/cmplx"
)

// The operators. Sum adds up an expression over the trials of a group, and NodeSum over the nodes of a table; users never write them.
const (
	Const Op = iota
	Sym
	Sum
	NodeSum
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
	LogNormCDF
	InverseMills
	Log1mExp
	LessEqual
	And
	Or
	If
	LGamma
	Digamma
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
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{Num(1)} },
			Range:   func(x [3]Interval) Interval { return x[0].hull(0) }}, // 0 is the sum over no trials
		NodeSum: {Name: "nodesum", Arity: 1, Prec: precPrimary, Internal: true,
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{Num(1)} },
			Range:   func(x [3]Interval) Interval { return x[0].hull(0) }},
		Add: {Name: "add", Doc: "sum", Arity: 2, Notation: Infix, Text: "+", Prec: precSum, Commutative: true, Searchable: true,
			Eval:    func(x [3]float64) float64 { return x[0] + x[1] },
			Complex: func(x [3]complex128) complex128 { return x[0] + x[1] },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{Num(1), Num(1)} },
			Cost:    1,
			Range:   func(x [3]Interval) Interval { return x[0].plus(x[1]) }, Shape: sumShape,
			Spell: everywhere(infix("+")),
			Lane:  Lane{Name: "add", Arithmetic: 1, MemoryLast: true}},
		Sub: {Name: "sub", Doc: "difference", Arity: 2, Notation: Infix, Text: "-", Prec: precSum, Searchable: true,
			Eval:    func(x [3]float64) float64 { return x[0] - x[1] },
			Complex: func(x [3]complex128) complex128 { return x[0] - x[1] },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{Num(1), Num(-1)} },
			Cost:    1,
			Range:   func(x [3]Interval) Interval { return x[0].plus(x[1].negative()) }, Shape: sumShape,
			Spell: everywhere(infix("-")),
			Lane:  Lane{Name: "sub", Arithmetic: 1, MemoryLast: true}},
		Mul: {Name: "mul", Doc: "product", Arity: 2, Notation: Infix, Text: "*", Prec: precProduct, Commutative: true, Searchable: true,
			Eval:    func(x [3]float64) float64 { return x[0] * x[1] },
			Complex: func(x [3]complex128) complex128 { return x[0] * x[1] },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{x[1], x[0]} },
			Cost:    1,
			Range:   func(x [3]Interval) Interval { return x[0].times(x[1]) }, Shape: productShape, KeepsPositive: true,
			Spell: everywhere(infix("*")).but(LaTeX, infix(`\cdot`)),
			Lane:  Lane{Name: "mul", Arithmetic: 1, MemoryLast: true}},
		Div: {Name: "div", Doc: "quotient", Arity: 2, Notation: Infix, Text: "/", Prec: precProduct, Searchable: true,
			Eval:    func(x [3]float64) float64 { return x[0] / x[1] },
			Complex: func(x [3]complex128) complex128 { return x[0] / x[1] },
			Partial: func(x []*Expr, y *Expr) []*Expr {
				return []*Expr{New(Inv, x[1]), New(Neg, New(Div, y, x[1]))}
			},
			Domain: []Condition{{1, NonZero}},
			Cost:   5,
			Range:  func(x [3]Interval) Interval { return x[0].times(x[1].inverse()) }, Shape: quotientShape,
			Spell: everywhere(infix("/")).but(LaTeX, form(`\frac{$1}{$2}`)),
			Lane:  Lane{Name: "div", Divider: divider, MemoryLast: true}},
		Neg: {Name: "neg", Doc: "negative", Arity: 1, Notation: Prefix, Text: "-", Prec: precUnary,
			Eval:    func(x [3]float64) float64 { return -x[0] },
			Complex: func(x [3]complex128) complex128 { return -x[0] },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{Num(-1)} },
			Cost:    1,
			Range:   func(x [3]Interval) Interval { return x[0].negative() }, Shape: sameShape,
			Spell: everywhere(Spelling{Kind: Unary, Text: "-"}),
			Lane:  Lane{Name: "neg", Arithmetic: 1}},
		Square: {Name: "square", Doc: "square", Arity: 1, Notation: Superscript, Text: "2", Prec: precPower, Searchable: true,
			Eval:    func(x [3]float64) float64 { return x[0] * x[0] },
			Complex: func(x [3]complex128) complex128 { return x[0] * x[0] },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{New(Mul, Num(2), x[0])} },
			Cost:    1,
			Range:   func(x [3]Interval) Interval { m := x[0].magnitude(); return m.times(m) }, Shape: squareShape, KeepsPositive: true,
			Spell: Spellings{Go: Spelling{Kind: Self, Text: "*"}, C: Spelling{Kind: Self, Text: "*"}, Python: call("xp.square"), Stan: call("square"),
				R: form("@1^2"), Julia: form("@1^2"),
				JavaScript: js("square"), Rust: rust("square"), LaTeX: form("{@1}^{2}")},
			Lane: Lane{Name: "square", Arithmetic: 1}},
		Pow: {Name: "pow", Doc: "power; for x < 0 defined only where y is whole", Arity: 2, Notation: Superscript, Text: "^", Prec: precPower,
			Eval:    func(x [3]float64) float64 { return math.Pow(x[0], x[1]) },
			Complex: func(x [3]complex128) complex128 { return complexPow(x[0], x[1]) },
			Partial: powPartial,
			Cost:    60,
			Range:   func(x [3]Interval) Interval { return x[0].power(x[1]) },
			Spell: Spellings{Go: call("Pow"), C: call("pow"), Python: form("(@1 ** @2)"), Stan: call("pow"),
				R: form("@1^@2"), Julia: form("@1^@2"),
				JavaScript: js("power"), Rust: call("f64::powf"), LaTeX: form("{@1}^{$2}")},
			Lane: Lane{Name: "pow", Arithmetic: 70, LosesNaN: true}},
		Exp: {Name: "exp", Doc: "e to the power x", Arity: 1, Prec: precPrimary, Searchable: true,
			Eval:    func(x [3]float64) float64 { return math.Exp(x[0]) },
			Complex: func(x [3]complex128) complex128 { return cmplx.Exp(x[0]) },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{y} },
			Cost:    20,
			Range:   func(x [3]Interval) Interval { return x[0].rising(math.Exp).Intersect(Above(0)) }, Shape: expShape,
			Spell: Spellings{Go: call("Exp"), C: call("exp"), Python: call("xp.exp"), Stan: call("exp"),
				R: call("exp"), Julia: call("exp"),
				JavaScript: call("Math.exp"), Rust: call("f64::exp"), LaTeX: call(`\exp`)},
			Lane: Lane{Name: "exp", Arithmetic: 20}},
		Log: {Name: "log", Doc: "natural logarithm", Arity: 1, Prec: precPrimary, Searchable: true,
			Eval:    func(x [3]float64) float64 { return math.Log(x[0]) },
			Complex: func(x [3]complex128) complex128 { return complexReal(x[0], x[0], cmplx.Log) },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{New(Inv, x[0])} },
			Domain:  []Condition{{0, Positive}},
			Cost:    20,
			Range:   func(x [3]Interval) Interval { return x[0].Intersect(Above(0)).rising(math.Log) }, Shape: rootShape,
			Spell: Spellings{Go: call("Log"), C: call("log"), Python: call("xp.log"), Stan: call("log"),
				R: call("log"), Julia: call("log"),
				JavaScript: call("Math.log"), Rust: call("f64::ln"), LaTeX: call(`\log`)},
			Lane: Lane{Name: "log", Arithmetic: 28}},
		Sqrt: {Name: "sqrt", Doc: "square root", Arity: 1, Prec: precPrimary, Searchable: true,
			Eval:    func(x [3]float64) float64 { return math.Sqrt(x[0]) },
			Complex: func(x [3]complex128) complex128 { return complexReal(x[0], x[0], cmplx.Sqrt) },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{New(Div, Num(0.5), y)} },
			Domain:  []Condition{{0, NonNegative}},
			Cost:    6,
			Range:   func(x [3]Interval) Interval { return x[0].Intersect(atLeast(0)).rising(math.Sqrt) }, Shape: rootShape, KeepsPositive: true,
			Spell: Spellings{Go: call("Sqrt"), C: call("sqrt"), Python: call("xp.sqrt"), Stan: call("sqrt"),
				R: call("sqrt"), Julia: call("sqrt"),
				JavaScript: call("Math.sqrt"), Rust: call("f64::sqrt"), LaTeX: form(`\sqrt{$1}`)},
			Lane: Lane{Name: "sqrt", Divider: 20, MemoryLast: true}},
		Abs: {Name: "abs", Doc: "absolute value", Arity: 1, Prec: precPrimary,
			Eval:    func(x [3]float64) float64 { return math.Abs(x[0]) },
			Complex: func(x [3]complex128) complex128 { return branch(math.Signbit(real(x[0])), -x[0], x[0]) },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{New(Sign, x[0])} },
			Cost:    1,
			Range:   func(x [3]Interval) Interval { return x[0].magnitude() },
			Spell: Spellings{Go: call("Abs"), C: call("fabs"), Python: call("xp.abs"), Stan: call("abs"),
				R: call("abs"), Julia: call("abs"),
				JavaScript: call("Math.abs"), Rust: call("f64::abs"), LaTeX: form(`\left|$1\right|`)},
			Lane: Lane{Name: "abs", Arithmetic: 1}},
		Inv: {Name: "inv", Doc: "1/x", Arity: 1, Prec: precPrimary,
			Eval:    func(x [3]float64) float64 { return 1 / x[0] },
			Complex: func(x [3]complex128) complex128 { return 1 / x[0] },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{New(Neg, New(Square, y))} },
			Domain:  []Condition{{0, NonZero}},
			Cost:    5,
			Range:   func(x [3]Interval) Interval { return x[0].inverse() }, Shape: rootShape, KeepsPositive: true,
			Spell: Spellings{Go: Spelling{Kind: Under, Text: "/"}, C: Spelling{Kind: Under, Text: "/"}, Python: form("(1 / @1)"), Stan: call("inv"),
				R: form("(1 / @1)"), Julia: call("inv"),
				JavaScript: form("(1 / @1)"), Rust: form("(1.0 / @1)"), LaTeX: form(`\left(\frac{1}{$1}\right)`)},
			Lane: Lane{Name: "inv", Divider: divider, MemoryLast: true}},
		FMA: {Name: "fma", Doc: "x*y + z, rounded once", Arity: 3, Prec: precPrimary,
			Eval:    func(x [3]float64) float64 { return math.FMA(x[0], x[1], x[2]) },
			Complex: func(x [3]complex128) complex128 { return x[0]*x[1] + x[2] },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{x[1], x[0], Num(1)} },
			Cost:    1,
			Range:   func(x [3]Interval) Interval { return x[0].times(x[1]).plus(x[2]) },
			Spell: Spellings{Go: call("FMA"), C: call("fma"), Python: form("(@1 * @2 + @3)"), Stan: call("fma"),
				R: form("(@1 * @2 + @3)"), Julia: call("fma"),
				JavaScript: form("(@1 * @2 + @3)"), Rust: call("f64::mul_add"), LaTeX: form(`\left(@1 \cdot @2 + @3\right)`)},
			Lane: Lane{Name: "fma", Arithmetic: 1, MemoryLast: true}},
		Log1p: {Name: "log1p", Doc: "log(1 + x), exact near 0", Arity: 1, Prec: precPrimary,
			Eval:    func(x [3]float64) float64 { return math.Log1p(x[0]) },
			Complex: func(x [3]complex128) complex128 { return complexLog1p(x[0]) },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{New(Inv, New(Add, Num(1), x[0]))} },
			Domain:  []Condition{{0, AboveMinus1}},
			Cost:    25,
			Range:   func(x [3]Interval) Interval { return x[0].Intersect(Above(-1)).rising(math.Log1p) },
			Spell: Spellings{Go: call("Log1p"), C: call("log1p"), Python: call("xp.log1p"), Stan: call("log1p"),
				R: call("log1p"), Julia: call("log1p"),
				JavaScript: call("Math.log1p"), Rust: call("f64::ln_1p"), LaTeX: form(`\log\left(1 + $1\right)`)},
			Lane: Lane{Name: "log1p", Arithmetic: 45}},
		Expm1: {Name: "expm1", Doc: "exp(x) - 1, exact near 0", Arity: 1, Prec: precPrimary,
			Eval:    func(x [3]float64) float64 { return math.Expm1(x[0]) },
			Complex: func(x [3]complex128) complex128 { return complexExpm1(x[0]) },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{New(Exp, x[0])} },
			Cost:    25,
			Range:   func(x [3]Interval) Interval { return x[0].rising(math.Expm1).Intersect(Above(-1)) },
			Spell: Spellings{Go: call("Expm1"), C: call("expm1"), Python: call("xp.expm1"), Stan: call("expm1"),
				R: call("expm1"), Julia: call("expm1"),
				JavaScript: call("Math.expm1"), Rust: call("f64::exp_m1"), LaTeX: form(`\left(\exp\left($1\right) - 1\right)`)},
			Lane: Lane{Name: "expm1", Arithmetic: 28}},
		Erf: {Name: "erf", Doc: "error function", Arity: 1, Prec: precPrimary,
			Eval:    func(x [3]float64) float64 { return math.Erf(x[0]) },
			Complex: func(x [3]complex128) complex128 { return complexErf(x[0]) },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{gaussian(2/math.SqrtPi, -1, x[0])} },
			Cost:    40,
			Range:   func(x [3]Interval) Interval { return x[0].rising(math.Erf).Intersect(between(-1, 1)) },
			Spell: Spellings{Go: call("Erf"), C: call("erf"), Python: python("_erf(xp, $1)", "_erf", "_special"), Stan: call("erf"),
				R: form("(2 * pnorm(@1 * sqrt(2)) - 1)"), Julia: Spelling{Function, "erf", juliaErf},
				JavaScript: js("erf", "erfcTail", "erfNear", "erfMiddle", "erfParts"), Rust: rust("erf"), LaTeX: call(`\operatorname{erf}`)},
			Lane: Lane{Name: "erf", Arithmetic: 60, Divider: divider}},
		Erfc: {Name: "erfc", Doc: "1 - erf(x), exact for large x", Arity: 1, Prec: precPrimary,
			Eval:    func(x [3]float64) float64 { return math.Erfc(x[0]) },
			Complex: func(x [3]complex128) complex128 { return branch(real(x[0]) > 2, complexErfc(x[0]), 1-complexErf(x[0])) },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{gaussian(-2/math.SqrtPi, -1, x[0])} },
			Cost:    40,
			Range:   func(x [3]Interval) Interval { return between(0, 2) },
			Spell: Spellings{Go: call("Erfc"), C: call("erfc"), Python: python("_erfc(xp, $1)", "_erfc", "_special"), Stan: call("erfc"),
				R: form("(2 * pnorm(-@1 * sqrt(2)))"), Julia: Spelling{Function, "erfc", juliaErfc},
				JavaScript: js("erfc", "erfcTail", "erfNear", "erfMiddle", "erfParts"), Rust: rust("erfc"), LaTeX: call(`\operatorname{erfc}`)},
			Lane: Lane{Name: "erfc", Arithmetic: 60, Divider: divider}},
		NormCDF: {Name: "normcdf", Doc: "standard normal distribution function", Arity: 1, Prec: precPrimary,
			Eval: func(x [3]float64) float64 { return normcdf(x[0]) },
			Complex: func(x [3]complex128) complex128 {
				return (1 + complexErf(x[0]/complex(math.Sqrt2, 0))) / 2
			},
			Partial: func(x []*Expr, y *Expr) []*Expr {
				return []*Expr{gaussian(1/(math.Sqrt2*math.SqrtPi), -0.5, x[0])}
			},
			Cost:  45,
			Range: func(x [3]Interval) Interval { return between(0, 1) },
			Spell: Spellings{Go: local("normcdf"), C: Spelling{Local, "normcdf", cNormCDF}, Python: python("(0.5 * _erfc(xp, -@1 / math.sqrt(2.0)))", "_erfc", "_special"), Stan: call("Phi"),
				R: call("pnorm"), Julia: Spelling{Form, "(erfc(-@1 / sqrt(2.0)) / 2)", juliaErfc},
				JavaScript: js("erfc", "erfcTail", "erfNear", "erfMiddle", "erfParts").as("(0.5 * erfc(-@1 / Math.SQRT2))"), Rust: rust("erfc").as("(0.5 * erfc(-@1 / std::f64::consts::SQRT_2))"), LaTeX: call(`\Phi`)},
			Lane: Lane{Name: "normcdf", Arithmetic: 65}},
		Tanh: {Name: "tanh", Doc: "hyperbolic tangent", Arity: 1, Prec: precPrimary,
			Eval:    func(x [3]float64) float64 { return math.Tanh(x[0]) },
			Complex: func(x [3]complex128) complex128 { return cmplx.Tanh(x[0]) },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{New(Sub, Num(1), New(Square, y))} },
			Cost:    30,
			Range:   func(x [3]Interval) Interval { return x[0].rising(math.Tanh).Intersect(between(-1, 1)) },
			Spell: Spellings{Go: call("Tanh"), C: call("tanh"), Python: call("xp.tanh"), Stan: call("tanh"),
				R: call("tanh"), Julia: call("tanh"),
				JavaScript: call("Math.tanh"), Rust: call("f64::tanh"), LaTeX: call(`\tanh`)},
			Lane: Lane{Name: "tanh", Arithmetic: 32, Divider: divider}},
		Sinh: {Name: "sinh", Doc: "hyperbolic sine", Arity: 1, Prec: precPrimary,
			Eval:    func(x [3]float64) float64 { return math.Sinh(x[0]) },
			Complex: func(x [3]complex128) complex128 { return cmplx.Sinh(x[0]) },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{New(Cosh, x[0])} },
			Cost:    30,
			Range:   func(x [3]Interval) Interval { return x[0].rising(math.Sinh) },
			Spell: Spellings{Go: call("Sinh"), C: call("sinh"), Python: call("xp.sinh"), Stan: call("sinh"),
				R: call("sinh"), Julia: call("sinh"),
				JavaScript: call("Math.sinh"), Rust: call("f64::sinh"), LaTeX: call(`\sinh`)}},
		Cosh: {Name: "cosh", Doc: "hyperbolic cosine", Arity: 1, Prec: precPrimary,
			Eval:    func(x [3]float64) float64 { return math.Cosh(x[0]) },
			Complex: func(x [3]complex128) complex128 { return cmplx.Cosh(x[0]) },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{New(Sinh, x[0])} },
			Cost:    30,
			Range:   func(x [3]Interval) Interval { return atLeast(1) },
			Spell: Spellings{Go: call("Cosh"), C: call("cosh"), Python: call("xp.cosh"), Stan: call("cosh"),
				R: call("cosh"), Julia: call("cosh"),
				JavaScript: call("Math.cosh"), Rust: call("f64::cosh"), LaTeX: call(`\cosh`)}},
		Sin: {Name: "sin", Doc: "sine of x radians", Arity: 1, Prec: precPrimary,
			Eval:    func(x [3]float64) float64 { return math.Sin(x[0]) },
			Complex: func(x [3]complex128) complex128 { return cmplx.Sin(x[0]) },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{New(Cos, x[0])} },
			Cost:    20,
			Range:   func(x [3]Interval) Interval { return Interval{Lo: -1, Hi: 1} },
			Spell: Spellings{Go: call("Sin"), C: call("sin"), Python: call("xp.sin"), Stan: call("sin"),
				R: call("sin"), Julia: call("sin"),
				JavaScript: call("Math.sin"), Rust: call("f64::sin"), LaTeX: call(`\sin`)},
			Lane: Lane{Name: "sin", Arithmetic: 40}},
		Cos: {Name: "cos", Doc: "cosine of x radians", Arity: 1, Prec: precPrimary,
			Eval:    func(x [3]float64) float64 { return math.Cos(x[0]) },
			Complex: func(x [3]complex128) complex128 { return cmplx.Cos(x[0]) },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{New(Neg, New(Sin, x[0]))} },
			Cost:    20,
			Range:   func(x [3]Interval) Interval { return Interval{Lo: -1, Hi: 1} },
			Spell: Spellings{Go: call("Cos"), C: call("cos"), Python: call("xp.cos"), Stan: call("cos"),
				R: call("cos"), Julia: call("cos"),
				JavaScript: call("Math.cos"), Rust: call("f64::cos"), LaTeX: call(`\cos`)},
			Lane: Lane{Name: "cos", Arithmetic: 40}},
		Atan: {Name: "atan", Doc: "inverse tangent, in radians", Arity: 1, Prec: precPrimary,
			Eval:    func(x [3]float64) float64 { return math.Atan(x[0]) },
			Complex: func(x [3]complex128) complex128 { return complexAtan(x[0]) },
			Partial: func(x []*Expr, y *Expr) []*Expr {
				return []*Expr{New(Inv, New(Add, Num(1), New(Square, x[0])))}
			},
			Cost:  25,
			Range: func(x [3]Interval) Interval { return x[0].rising(math.Atan) },
			Spell: Spellings{Go: call("Atan"), C: call("atan"), Python: call("xp.arctan"), Stan: call("atan"),
				R: call("atan"), Julia: call("atan"),
				JavaScript: call("Math.atan"), Rust: call("f64::atan"), LaTeX: call(`\arctan`)}},
		Cbrt: {Name: "cbrt", Doc: "cube root", Arity: 1, Prec: precPrimary,
			Eval: func(x [3]float64) float64 { return math.Cbrt(x[0]) },
			Complex: func(x [3]complex128) complex128 {
				return branch(real(x[0]) < 0, -cmplx.Pow(-x[0], 1.0/3), cmplx.Pow(x[0], 1.0/3))
			},
			Partial: func(x []*Expr, y *Expr) []*Expr {
				return []*Expr{New(Div, Num(1.0/3), New(Square, y))}
			},
			Cost:  25,
			Range: func(x [3]Interval) Interval { return x[0].rising(math.Cbrt) },
			Spell: Spellings{Go: call("Cbrt"), C: call("cbrt"), Python: python("_cbrt(xp, $1)", "_cbrt"), Stan: call("cbrt"),
				R: form("(sign($1) * abs($1)^(1 / 3))"), Julia: call("cbrt"),
				JavaScript: call("Math.cbrt"), Rust: call("f64::cbrt"), LaTeX: form(`\sqrt[3]{$1}`)}},
		Sigmoid: {Name: "sigmoid", Doc: "1/(1 + exp(-x))", Arity: 1, Prec: precPrimary,
			Eval:    func(x [3]float64) float64 { return sigmoid(x[0]) },
			Complex: func(x [3]complex128) complex128 { return 1 / (1 + cmplx.Exp(-x[0])) },
			Partial: func(x []*Expr, y *Expr) []*Expr {
				return []*Expr{New(Mul, y, New(Sub, Num(1), y))}
			},
			Cost:  26,
			Range: func(x [3]Interval) Interval { return between(0, 1) },
			Spell: Spellings{Go: local("sigmoid"), C: Spelling{Local, "sigmoid", cSigmoid}, Python: python("_sigmoid(xp, $1)", "_sigmoid", "_special"), Stan: call("inv_logit"),
				R: call("plogis"), Julia: form("(1 / (1 + exp(-@1)))"),
				JavaScript: form("(1 / (1 + Math.exp(-@1)))"), Rust: form("(1.0 / (1.0 + f64::exp(-@1)))"), LaTeX: call(`\operatorname{sigmoid}`)},
			Lane: Lane{Name: "sigmoid", Arithmetic: 23, Divider: divider}},
		Logit: {Name: "logit", Doc: "log(x/(1 - x))", Arity: 1, Prec: precPrimary,
			Eval: func(x [3]float64) float64 { return logit(x[0]) },
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
			Cost:   50,
			Range:  func(x [3]Interval) Interval { return Reals },
			Spell: Spellings{Go: local("logit"), C: Spelling{Local, "logit", cLogit}, Python: form("(xp.log($1) - xp.log1p(-@1))"), Stan: call("logit"),
				R: call("qlogis"), Julia: form("(log($1) - log1p(-@1))"),
				JavaScript: form("(Math.log($1) - Math.log1p(-@1))"), Rust: form("(f64::ln($1) - f64::ln_1p(-@1))"), LaTeX: call(`\operatorname{logit}`)},
			Lane: Lane{Name: "logit", Arithmetic: 74}},
		Softplus: {Name: "softplus", Doc: "log(1 + exp(x)), without overflow", Arity: 1, Prec: precPrimary,
			Eval: func(x [3]float64) float64 { return softplus(x[0]) },
			Complex: func(x [3]complex128) complex128 {
				return branch(real(x[0]) > 0, x[0]+complexLog1p(cmplx.Exp(-x[0])), complexLog1p(cmplx.Exp(x[0])))
			},
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{New(Sigmoid, x[0])} },
			Cost:    45,
			Range:   func(x [3]Interval) Interval { return Above(0) },
			Spell: Spellings{Go: local("softplus"), C: Spelling{Local, "softplus", cSoftplus}, Python: form("xp.logaddexp(_array(xp, 0.0), $1)"), Stan: call("log1p_exp"),
				R: form("(pmax($1, 0) + log1p(exp(-abs($1))))"), Julia: form("(max($1, 0.0) + log1p(exp(-abs($1))))"),
				JavaScript: form("(Math.max($1, 0) + Math.log1p(Math.exp(-Math.abs($1))))"), Rust: rust("largest").as("(largest($1, 0.0) + f64::ln_1p(f64::exp(-f64::abs($1))))"), LaTeX: form(`\log\left(1 + \exp\left($1\right)\right)`)},
			Lane: Lane{Name: "softplus", Arithmetic: 68}},
		LogAddExp: {Name: "logaddexp", Doc: "log(exp(x) + exp(y)), without overflow", Arity: 2, Prec: precPrimary, Commutative: true,
			Eval: func(x [3]float64) float64 { return logaddexp(x[0], x[1]) },
			Complex: func(x [3]complex128) complex128 {
				return branch(real(x[0]) > real(x[1]), x[0]+complexLog1p(cmplx.Exp(x[1]-x[0])), x[1]+complexLog1p(cmplx.Exp(x[0]-x[1])))
			},
			Partial: func(x []*Expr, y *Expr) []*Expr {
				return []*Expr{New(Exp, New(Sub, x[0], y)), New(Exp, New(Sub, x[1], y))}
			},
			Cost:  48,
			Range: func(x [3]Interval) Interval { return Interval{Lo: math.Max(x[0].Lo, x[1].Lo), Hi: math.Inf(1)} },
			Spell: Spellings{Go: local("logaddexp"), C: Spelling{Local, "logaddexp", cLogAddExp}, Python: form("xp.logaddexp(_array(xp, $1), _array(xp, $2))"), Stan: call("log_sum_exp"),
				R: form("(pmax($1, $2) + log1p(exp(-abs(@1 - @2))))"), Julia: form("(max($1, $2) + log1p(exp(-abs(@1 - @2))))"),
				JavaScript: js("logaddexp"), Rust: rust("logaddexp", "largest"), LaTeX: form(`\log\left(\exp\left($1\right) + \exp\left($2\right)\right)`)},
			Lane: Lane{Name: "logaddexp", Arithmetic: 70}},
		Min: {Name: "min", Doc: "the smaller one", Arity: 2, Prec: precPrimary, Commutative: true,
			Eval:    func(x [3]float64) float64 { return math.Min(x[0], x[1]) },
			Complex: func(x [3]complex128) complex128 { return branch(real(x[0]) < real(x[1]), x[0], x[1]) },
			Partial: func(x []*Expr, y *Expr) []*Expr {
				first := New(Less, x[0], x[1])
				return []*Expr{first, New(Sub, Num(1), first)}
			},
			Cost:  2,
			Range: func(x [3]Interval) Interval { return minimum(x[0], x[1]) },
			Spell: Spellings{Go: call("Min"), C: Spelling{Local, "likc_min", cMin}, Python: form("xp.minimum(_array(xp, $1), _array(xp, $2))"), Stan: call("fmin"),
				R: call("pmin"), Julia: call("min"),
				JavaScript: call("Math.min"), Rust: rust("smallest"), LaTeX: call(`\min`)},
			Lane: Lane{Name: "min", Arithmetic: 10, LosesNaN: true}},
		Max: {Name: "max", Doc: "the larger one", Arity: 2, Prec: precPrimary, Commutative: true,
			Eval:    func(x [3]float64) float64 { return math.Max(x[0], x[1]) },
			Complex: func(x [3]complex128) complex128 { return branch(real(x[0]) < real(x[1]), x[1], x[0]) },
			Partial: func(x []*Expr, y *Expr) []*Expr {
				second := New(Less, x[0], x[1])
				return []*Expr{New(Sub, Num(1), second), second}
			},
			Cost:  2,
			Range: func(x [3]Interval) Interval { return minimum(x[0].negative(), x[1].negative()).negative() },
			Spell: Spellings{Go: call("Max"), C: Spelling{Local, "likc_max", cMax}, Python: form("xp.maximum(_array(xp, $1), _array(xp, $2))"), Stan: call("fmax"),
				R: call("pmax"), Julia: call("max"),
				JavaScript: call("Math.max"), Rust: rust("largest"), LaTeX: call(`\max`)},
			Lane: Lane{Name: "max", Arithmetic: 10, LosesNaN: true}},
		Sign: {Name: "sign", Doc: "-1, 0 or 1", Arity: 1, Prec: precPrimary,
			Eval: func(x [3]float64) float64 { return sign(x[0]) },
			Complex: func(x [3]complex128) complex128 {
				return complex(sign(real(x[0])), 0)
			},
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{nil} },
			Cost:    2,
			Range:   func(x [3]Interval) Interval { return x[0].signs() },
			Spell: Spellings{Go: local("sign"), C: Spelling{Local, "likc_sign", cSign}, Python: call("xp.sign"), Stan: form("(@1 > 0 ? 1.0 : (@1 < 0 ? -1.0 : 0.0))"),
				R: call("sign"), Julia: call("sign"),
				JavaScript: call("Math.sign"), Rust: rust("sign"), LaTeX: call(`\operatorname{sign}`)},
			Lane: Lane{Name: "sign", Arithmetic: 1}},
		Less: {Name: "less", Doc: "1 where x is smaller, else 0", Arity: 2, Notation: Infix, Text: "<", Prec: precCompare, Blind: true,
			Eval: func(x [3]float64) float64 { return less(x[0], x[1]) },
			Complex: func(x [3]complex128) complex128 {
				return complex(less(real(x[0]), real(x[1])), 0)
			},
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{nil, nil} },
			Cost:    2,
			Range:   func(x [3]Interval) Interval { return Interval{Lo: 0, Hi: 1} },
			Spell: Spellings{Go: local("less"), C: Spelling{Local, "likc_less", cLess}, Python: condition("$1 < $2"), Stan: condition("$1 < $2"),
				R: condition("$1 < $2"), Julia: condition("$1 < $2"),
				JavaScript: condition("$1 < $2"), Rust: condition("$1 < $2"), LaTeX: condition("$1 < $2")},
			Lane: Lane{Name: "less", Arithmetic: 1, LosesNaN: true}},
		LogNormCDF: {Name: "log_normcdf", Doc: "log(normcdf(x)), without underflow", Arity: 1, Prec: precPrimary,
			Eval:    func(x [3]float64) float64 { return lognormcdf(x[0]) },
			Complex: func(x [3]complex128) complex128 { return complexLogNormCDF(x[0]) },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{New(InverseMills, x[0])} },
			Cost:    65,
			Range:   func(x [3]Interval) Interval { return x[0].rising(lognormcdf).Intersect(atMost(0)) },
			Spell: Spellings{Go: local("lognormcdf"), C: Spelling{Local, "likc_lognormcdf", cLogNormCDF}, Python: python("_log_normcdf(xp, $1)", "_log_normcdf", "_special"), Stan: Spelling{Function, "likc_log_normcdf", stanLogNormCDF},
				R: form("pnorm($1, log.p = TRUE)"), Julia: Spelling{Form, "(logerfc(-@1 / sqrt(2.0)) - log(2.0))", juliaLogErfc},
				JavaScript: js("logNormCDF", "tail", "product", "erfc", "erfcTail", "erfNear", "erfMiddle", "erfParts"), Rust: rust("log_normcdf", "tail", "erfc"), LaTeX: call(`\log\Phi`)},
			Lane: Lane{Name: "lognormcdf", Arithmetic: 100}},
		InverseMills: {Name: "inverse_mills", Doc: "standard normal density over normcdf(x), without underflow", Arity: 1, Prec: precPrimary,
			Eval:    func(x [3]float64) float64 { return inversemills(x[0]) },
			Complex: func(x [3]complex128) complex128 { return complexInverseMills(x[0]) },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{New(Neg, New(Mul, y, New(Add, y, x[0])))} },
			Cost:    65,
			Range:   func(x [3]Interval) Interval { return atLeast(0) },
			Spell: Spellings{Go: local("inversemills"), C: Spelling{Local, "likc_inversemills", cInverseMills}, Python: python("_inverse_mills(xp, $1)", "_inverse_mills", "_special", "_choose"), Stan: Spelling{Form, "exp(-0.5 * square($1) - 0.9189385332046728 - likc_log_normcdf($1))", stanLogNormCDF},
				R: form("exp(dnorm($1, log = TRUE) - pnorm($1, log.p = TRUE))"), Julia: Spelling{Form, "(sqrt(2.0 / pi) / erfcx(-@1 / sqrt(2.0)))", juliaErfcx},
				JavaScript: js("inverseMills", "tail", "product", "erfc", "erfcTail", "erfNear", "erfMiddle", "erfParts"), Rust: rust("inverse_mills", "tail", "erfc"), LaTeX: form(`\frac{\varphi\left($1\right)}{\Phi\left($1\right)}`)},
			Lane: Lane{Name: "inverse_mills", Arithmetic: 75}},
		Log1mExp: {Name: "log1mexp", Doc: "log(1 - exp(x)), exact near 0", Arity: 1, Prec: precPrimary,
			Eval:    func(x [3]float64) float64 { return log1mexp(x[0]) },
			Complex: func(x [3]complex128) complex128 { return complexLog1mExp(x[0]) },
			Partial: func(x []*Expr, y *Expr) []*Expr {
				return []*Expr{New(Neg, New(Inv, New(Expm1, New(Neg, x[0]))))} // correct where exp overflows: 1/Inf is 0
			},
			Domain: []Condition{{0, BelowZero}},
			Cost:   45,
			Range:  func(x [3]Interval) Interval { return atMost(0) },
			Spell: Spellings{Go: local("log1mexp"), C: Spelling{Local, "likc_log1mexp", cLog1mExp}, Python: python("_log1mexp(xp, $1)", "_log1mexp", "_choose"), Stan: call("log1m_exp"),
				R: Spelling{Form, "likc_log1mexp($1)", rLog1mExp}, Julia: Spelling{Form, "likc_log1mexp($1)", juliaLog1mExp},
				JavaScript: js("log1mexp"), Rust: rust("log1mexp"), LaTeX: form(`\log\left(1 - \exp\left($1\right)\right)`)},
			Lane: Lane{Name: "log1mexp", Arithmetic: 75}},
		LessEqual: {Name: "lesseq", Doc: "1 where x is smaller or equal, else 0", Arity: 2, Notation: Infix, Text: "<=", Prec: precCompare, Blind: true,
			Eval:    func(x [3]float64) float64 { return lesseq(x[0], x[1]) },
			Complex: func(x [3]complex128) complex128 { return complex(lesseq(real(x[0]), real(x[1])), 0) },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{nil, nil} },
			Cost:    2,
			Range:   func(x [3]Interval) Interval { return Interval{Lo: 0, Hi: 1} },
			Spell: Spellings{Go: local("lesseq"), C: Spelling{Local, "likc_lesseq", cLessEqual}, Python: condition("$1 <= $2"), Stan: condition("$1 <= $2"),
				R: condition("$1 <= $2"), Julia: condition("$1 <= $2"),
				JavaScript: condition("$1 <= $2"), Rust: condition("$1 <= $2"), LaTeX: condition(`$1 \le $2`)},
			Lane: Lane{Name: "lesseq", Arithmetic: 1, LosesNaN: true}},
		And: {Name: "and", Doc: "1 where both conditions hold, else 0", Arity: 2, Notation: Infix, Text: "and", Prec: precAnd, Commutative: true, Blind: true,
			Eval:    func(x [3]float64) float64 { return and(x[0], x[1]) },
			Complex: func(x [3]complex128) complex128 { return complex(and(real(x[0]), real(x[1])), 0) },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{nil, nil} },
			Cost:    2,
			Range:   func(x [3]Interval) Interval { return Interval{Lo: 0, Hi: 1} },
			Spell: Spellings{Go: local("and"), C: Spelling{Local, "likc_and", cAnd}, Python: condition("(?1) & (?2)"), Stan: condition("(?1) && (?2)"),
				R: condition("(?1) & (?2)"), Julia: condition("(?1) && (?2)"),
				JavaScript: condition("(?1) && (?2)"), Rust: condition("(?1) && (?2)"), LaTeX: condition(`\left(?1\right) \wedge \left(?2\right)`)},
			Lane: Lane{Name: "and", Arithmetic: 2, LosesNaN: true}},
		Or: {Name: "or", Doc: "1 where at least one condition holds, else 0", Arity: 2, Notation: Infix, Text: "or", Prec: precOr, Commutative: true, Blind: true,
			Eval:    func(x [3]float64) float64 { return or(x[0], x[1]) },
			Complex: func(x [3]complex128) complex128 { return complex(or(real(x[0]), real(x[1])), 0) },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{nil, nil} },
			Cost:    2,
			Range:   func(x [3]Interval) Interval { return Interval{Lo: 0, Hi: 1} },
			Spell: Spellings{Go: local("or"), C: Spelling{Local, "likc_or", cOr}, Python: condition("(?1) | (?2)"), Stan: condition("(?1) || (?2)"),
				R: condition("(?1) | (?2)"), Julia: condition("(?1) || (?2)"),
				JavaScript: condition("(?1) || (?2)"), Rust: condition("(?1) || (?2)"), LaTeX: condition(`\left(?1\right) \vee \left(?2\right)`)},
			Lane: Lane{Name: "or", Arithmetic: 2, LosesNaN: true}},
		// Package diff does not use these partial derivatives. The derivative of the branch that is not taken may be NaN, and zero
		// times NaN would be NaN, so diff writes an if between the derivatives of the branches.
		If: {Name: "if", Doc: "y where the condition x holds, else z", Arity: 3, Prec: precPrimary, Blind: true,
			Eval:    func(x [3]float64) float64 { return choose(x[0], x[1], x[2]) },
			Complex: func(x [3]complex128) complex128 { return branch(real(x[0]) != 0, x[1], x[2]) },
			Partial: func(x []*Expr, y *Expr) []*Expr {
				return []*Expr{nil, New(If, x[0], Num(1), Num(0)), New(If, x[0], Num(0), Num(1))}
			},
			Cost:  2,
			Range: func(x [3]Interval) Interval { return x[1].union(x[2]) },
			Spell: Spellings{Go: local("choose"), C: Spelling{Local, "likc_if", cChoose}, Python: python("_choose(xp, ?1, lambda #: $2, lambda #: $3, #)", "_choose"), Stan: form("(?1 ? $2 : $3)"),
				R: Spelling{Form, "likc_if(?1, $2, $3)", rChoose}, Julia: form("(?1 ? $2 : $3)"),
				JavaScript: form("(?1 ? $2 : $3)"), Rust: form("(if ?1 { $2 } else { $3 })"), LaTeX: form(`\left\{\begin{array}{ll} $2 & \text{if } ?1 \\ $3 & \text{otherwise} \end{array}\right.`)},
			Lane: Lane{Name: "if", Arithmetic: 1, MemoryLast: true, LosesNaN: true}},
		LGamma: {Name: "lgamma", Doc: "logarithm of the gamma function", Arity: 1, Prec: precPrimary,
			Eval:    func(x [3]float64) float64 { return lgamma(x[0]) },
			Complex: func(x [3]complex128) complex128 { return complexLGamma(x[0]) },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{New(Digamma, x[0])} },
			Domain:  []Condition{{0, Positive}},
			Cost:    80,
			Range:   func(x [3]Interval) Interval { return atLeast(leastLGamma) },
			Spell: Spellings{Go: local("lgamma"), C: Spelling{Local, "likc_lgamma", cLGamma}, Python: python("_lgamma(xp, $1)", "_lgamma", "_special", "_choose"), Stan: Spelling{Function, "likc_lgamma", stanLGamma},
				R: Spelling{Form, "likc_lgamma($1)", rLGamma}, Julia: Spelling{Function, "loggamma", juliaLGamma},
				JavaScript: js("lgamma", "lgammaNear"), Rust: rust("lgamma"), LaTeX: call(`\log\Gamma`)}},
		Digamma: {Name: "digamma", Doc: "derivative of lgamma(x)", Arity: 1, Prec: precPrimary,
			Eval:    func(x [3]float64) float64 { return digamma(x[0]) },
			Complex: func(x [3]complex128) complex128 { return complexDigamma(x[0]) },
			Partial: func(x []*Expr, y *Expr) []*Expr { return []*Expr{trigamma(x[0])} },
			Domain:  []Condition{{0, Positive}},
			Cost:    80,
			Range:   func(x [3]Interval) Interval { return x[0].Intersect(Above(0)).rising(digamma) },
			Spell: Spellings{Go: local("digamma"), C: Spelling{Local, "likc_digamma", cDigamma}, Python: python("_digamma(xp, $1)", "_digamma", "_special", "_choose"), Stan: call("digamma"),
				R: call("digamma"), Julia: Spelling{Function, "digamma", juliaDigamma},
				JavaScript: js("digamma"), Rust: rust("digamma"), LaTeX: call(`\psi`)}},
	}
	index()
}

// powPartial returns the derivatives of x^y in x and y. For a constant y there is no logarithm, so that x may be negative. At x
// = 0 the derivatives are set to 0, even where none exists: in x for y below 1, and in y.
func powPartial(x []*Expr, y *Expr) []*Expr {
	unless0 := func(d *Expr) *Expr { return New(If, New(Less, Num(0), New(Abs, x[0])), d, Num(0)) }
	if x[1].Op == Const {
		n := x[1].Value
		d := New(Mul, Num(n), New(Pow, x[0], Num(n-1)))
		if n > 0 && n < 1 {
			d = unless0(d)
		}
		return []*Expr{d, nil}
	}
	base := New(Mul, x[1], New(Pow, x[0], New(Sub, x[1], Num(1))))
	return []*Expr{unless0(base), unless0(New(Mul, y, New(Log, x[0])))}
}

// gaussian returns c·exp(k·x²).
func gaussian(c, k float64, x *Expr) *Expr {
	return New(Mul, Num(c), New(Exp, New(Mul, Num(k), New(Square, x))))
}
