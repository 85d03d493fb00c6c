package expr

import (
	"math"
	"math/cmplx"
)

// This file defines operators in C, Python and Julia where the languages' libraries lack them, and operators of complex
// arguments.

const (
	cNormCDF   = `static inline double normcdf(double x) { return 0.5 * erfc(-x / 1.41421356237309504880); }`
	cSigmoid   = `static inline double sigmoid(double x) { return 1 / (1 + exp(-x)); }`
	cLogit     = `static inline double logit(double x) { return log(x) - log1p(-x); }`
	cSoftplus  = `static inline double softplus(double x) { return (x > 0 ? x : 0) + log1p(exp(-fabs(x))); }`
	cLogAddExp = `static inline double logaddexp(double x, double y) {
	if (x == y) return x + 0.69314718055994530942;
	return (x > y ? x : y) + log1p(exp(-fabs(x - y)));
}`
	juliaErf  = "using SpecialFunctions: erf"
	juliaErfc = "using SpecialFunctions: erfc"

	cMin  = `static inline double likc_min(double x, double y) { return x != x || x < y ? x : y; }`
	cMax  = `static inline double likc_max(double x, double y) { return x != x || x > y ? x : y; }`
	cSign = `static inline double likc_sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }`
	cLess = `static inline double likc_less(double x, double y) { return x < y ? 1 : 0; }`

	cLessEqual = `static inline double likc_lesseq(double x, double y) { return x <= y ? 1 : 0; }`
	cAnd       = `static inline double likc_and(double x, double y) { return x != 0 && y != 0 ? 1 : 0; }`
	cOr        = `static inline double likc_or(double x, double y) { return x != 0 || y != 0 ? 1 : 0; }`
	cChoose    = `static inline double likc_if(double x, double y, double z) { return x != 0 ? y : z; }`

	rChoose = `# x where a condition holds, else y, for each trial; a comparison with NaN does not hold
likc_if <- function(condition, x, y) {
  holds <- rep_len(condition, max(length(condition), length(x), length(y)))
  ifelse(holds & !is.na(holds), x, y)
}`
)

// branch returns y where the condition holds, else n.
func branch(cond bool, y, n complex128) complex128 {
	if cond {
		return y
	}
	return n
}

// complexReal returns f(x), or NaN if the real part of at is negative: then f is undefined as a real function.
func complexReal(at, x complex128, f func(complex128) complex128) complex128 {
	if real(at) < 0 {
		return cmplx.NaN()
	}
	return f(x)
}

// complexPow returns x^y on the branch of the real power: with a base whose real part is negative, the exponent must be whole.
func complexPow(x, y complex128) complex128 {
	n := real(y)
	switch {
	case imag(y) == 0 && n == math.Trunc(n) && math.Abs(n) <= 64:
		return wholePow(x, int(n))
	case real(x) < 0 && imag(y) == 0 && n == math.Trunc(n):
		return branch(math.Mod(n, 2) != 0, -cmplx.Pow(-x, y), cmplx.Pow(-x, y))
	case real(x) < 0:
		return cmplx.NaN()
	}
	return cmplx.Pow(x, y)
}

// wholePow returns x^n by repeated squaring.
func wholePow(x complex128, n int) complex128 {
	if n < 0 {
		return 1 / wholePow(x, -n)
	}
	y := complex(1, 0)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			y *= x
		}
		x *= x
	}
	return y
}

// complexExpm1 returns exp(x) - 1, accurately for small x too.
func complexExpm1(x complex128) complex128 {
	if real(x) < -1 {
		return cmplx.Exp(x) - 1
	}
	return cmplx.Exp(x/2) * 2 * cmplx.Sinh(x/2)
}

// complexLog1p returns log(1 + x), accurately for small x too [kahan1987].
func complexLog1p(x complex128) complex128 {
	if real(x) < -1 {
		return cmplx.NaN()
	}
	re := real(x)
	return complex(0.5*math.Log1p(re*(2+re)+imag(x)*imag(x)), math.Atan2(imag(x), 1+re))
}

// complexAtan returns atan(z) with a correct small imaginary part, which cmplx.Atan loses [kahan1987].
func complexAtan(z complex128) complex128 {
	x, y := real(z), imag(z)
	return complex(math.Atan2(2*x, 1-x*x-y*y)/2, math.Log1p(4*y/(x*x+(1-y)*(1-y)))/4)
}

// complexErf returns erf(x): by its Maclaurin series near 0, and by 1 - erfc(x) elsewhere.
func complexErf(x complex128) complex128 {
	switch {
	case real(x) > 2:
		return 1 - complexErfc(x)
	case real(x) < -2:
		return complexErfc(-x) - 1
	}
	term, sum := x, x
	for n := 1; n < 400; n++ {
		term *= -x * x / complex(float64(n), 0)
		add := term / complex(float64(2*n+1), 0)
		sum += add
		if cmplx.Abs(add) <= 1e-18*cmplx.Abs(sum) {
			break
		}
	}
	return sum * complex(2/math.SqrtPi, 0)
}

// complexErfc returns erfc(x) by its continued fraction ([dlmf], 7.9.1). The real part of x must be above 2.
func complexErfc(x complex128) complex128 {
	if real(x) > 27 {
		return 0
	}
	return cmplx.Exp(-x*x) * complexErfcx(x)
}

// complexErfcx returns exp(x²)·erfc(x). The real part of x must be above 2.
func complexErfcx(x complex128) complex128 {
	f := x
	for n := 150; n >= 1; n-- {
		f = x + complex(float64(n)/2, 0)/f
	}
	return 1 / (complex(math.Sqrt(math.Pi), 0) * f)
}
