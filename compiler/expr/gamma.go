package expr

import (
	"math"
	"math/cmplx"
)

// This file has log Γ and its derivative ψ for positive arguments, in other languages than Go and for complex arguments;
// local.go has them for Go. For x ≥ 10 both are Stirling's series, where the first omitted term is below 10⁻¹⁵. For smaller x
// they are reduced by the recurrences log Γ(x) = log Γ(x + 1) - log x and ψ(x) = ψ(x + 1) - 1/x ([dlmf], 5.5 and 5.11).

const cLGamma = `static inline double likc_lgamma(double x) { return x < 0 ? NAN : lgamma(x); }`

const cDigamma = `static inline double likc_digamma(double x) {
	if (x < 0) return NAN;
	double s = 0;
	for (; x < 10; x++) s -= 1 / x;
	double z = 1 / (x * x);
	return s + log(x) - 0.5 / x - z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760 - z / 12))))));
}`

const stanLGamma = `  // log gamma of positive numbers, NaN of negative ones, for which Stan has the log of the absolute value
  real likc_lgamma(real x) {
    return x < 0 ? not_a_number() : lgamma(x);
  }`

const rLGamma = `# log Γ of positive numbers, NaN of negative ones, for which R has the log of the absolute value
likc_lgamma <- function(x) {
  y <- suppressWarnings(lgamma(x))
  y[x < 0] <- NaN
  y
}`

const (
	juliaLGamma  = "using SpecialFunctions: loggamma"
	juliaDigamma = "using SpecialFunctions: digamma"
)

// leastLGamma is just below the smallest value of log Γ at positive arguments, -0.12148629… at 1.4616…
const leastLGamma = -0.1214862905358497

// complexLGamma returns log Γ(x) for x close to the positive real axis.
func complexLGamma(x complex128) complex128 {
	if !(real(x) > 0) {
		return cmplx.NaN()
	}
	product := complex(1, 0)
	for ; real(x) < 10; x++ {
		product *= x
	}
	z := 1 / (x * x)
	series := (1.0/12 - z*(1.0/360-z*(1.0/1260-z*(1.0/1680-z*(1.0/1188-z*(691.0/360360)))))) / x
	return (x-0.5)*cmplx.Log(x) - x + complex(0.5*math.Log(2*math.Pi), 0) + series - cmplx.Log(product)
}

// complexDigamma returns ψ(x) for x close to the positive real axis.
func complexDigamma(x complex128) complex128 {
	if !(real(x) > 0) {
		return cmplx.NaN()
	}
	s := complex(0, 0)
	for ; real(x) < 10; x++ {
		s -= 1 / x
	}
	z := 1 / (x * x)
	return s + cmplx.Log(x) - 0.5/x - z*(1.0/12-z*(1.0/120-z*(1.0/252-z*(1.0/240-z*(1.0/132-z*(691.0/32760-z/12))))))
}

// trigamma returns the derivative of ψ, written in other operators: ten steps of the recurrence ψ'(x) = ψ'(x + 1) + 1/x², and the
// series.
func trigamma(x *Expr) *Expr {
	sum := New(Inv, New(Square, x))
	for n := 1; n < 10; n++ {
		sum = New(Add, sum, New(Inv, New(Square, New(Add, x, Num(float64(n))))))
	}
	y := New(Add, x, Num(10))
	z := New(Inv, New(Square, y))
	series := Num(-691.0 / 2730)
	for _, c := range []float64{5.0 / 66, -1.0 / 30, 1.0 / 42, -1.0 / 30, 1.0 / 6} {
		series = New(Add, Num(c), New(Mul, z, series))
	}
	tail := New(Add, New(Div, Num(0.5), y), New(Mul, z, series)) // y ψ'(y) - 1
	return New(Add, sum, New(Div, New(Add, Num(1), tail), y))
}
