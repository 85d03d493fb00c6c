package expr

import (
	"math"
	"math/cmplx"
)

// This file has log Φ(x), its derivative and log(1 - exp(x)), in other languages than Go and for complex arguments; local.go
// has them for Go.

const cLogNormCDF = `static inline double likc_lognormcdf(double x) {
	if (x < -37) {
		double z = 1 / (x * x), s = -z * (1 - z * (3 - z * (15 - z * (105 - z * (945 - z * 10395)))));
		return -0.5 * x * x - log(-x) - 0.91893853320467274178 + log1p(s);
	}
	if (x < 39) {
		double a = fabs(x), u = a * 0.7071067811865476;
		double e = fma(a, 0.7071067811865476, -u) - 4.833646656726457e-17 * a;
		double tail = 0.5 * erfc(u) - e * exp(-u * u) / 1.77245385090551602730;
		return x < 0 ? log(tail) : log1p(-tail);
	}
	return x > 0 ? 0 : x;
}`

const cInverseMills = `static inline double likc_inversemills(double x) {
	if (x < -37) {
		double z = 1 / (x * x);
		return -x / (1 - z * (1 - z * (3 - z * (15 - z * (105 - z * (945 - z * 10395))))));
	}
	if (x < 39) {
		double a = fabs(x), u = a * 0.7071067811865476;
		double e = fma(a, 0.7071067811865476, -u) - 4.833646656726457e-17 * a;
		double cdf = 0.5 * erfc(u) - e * exp(-u * u) / 1.77245385090551602730, h = x * x;
		if (x > 0) cdf = 1 - cdf;
		return exp(-0.5 * h) * (1 - 0.5 * fma(x, x, -h)) / (2.50662827463100050242 * cdf);
	}
	return x > 0 ? 0 : x;
}`

const cLog1mExp = `static inline double likc_log1mexp(double x) {
	return x > -0.69314718055994530942 ? log(-expm1(x)) : log1p(-exp(x));
}`

// Definitions for Stan and other languages whose libraries lack a function.
const (
	stanLogNormCDF = `  // The logarithm of the standard normal distribution function, without underflow.
  real likc_log_normcdf(real x) {
    if (x < -37) {
      real z = inv_square(x);
      return -0.5 * square(x) - log(-x) - 0.9189385332046728 + log1m(z * (1 - z * (3 - z * (15 - z * (105 - z * (945 - z * 10395))))));
    }
    return x < 0 ? log(0.5 * erfc(-x / sqrt(2.0))) : log1m(0.5 * erfc(x / sqrt(2.0)));
  }`
	rLog1mExp = `# log(1 - exp(x)) for x < 0
likc_log1mexp <- function(x) ifelse(x > -log(2), log(-expm1(x)), log1p(-exp(x)))`

	juliaLogErfc  = "using SpecialFunctions: logerfc"
	juliaErfcx    = "using SpecialFunctions: erfcx"
	juliaLog1mExp = `# log(1 - exp(x)) for x < 0
likc_log1mexp(x) = x > -log(2.0) ? log(-expm1(x)) : log1p(-exp(x))`
)

// complexNormCDF returns Φ(x), without cancellation in the lower tail.
func complexNormCDF(x complex128) complex128 {
	u := -x / complex(math.Sqrt2, 0)
	return branch(real(u) > 2, complexErfc(u), 1-complexErf(u)) / 2
}

// complexLogNormCDF returns log Φ(x), without underflow in the lower tail; in the upper tail it is not rounded to 0.
func complexLogNormCDF(x complex128) complex128 {
	switch u := -x / complex(math.Sqrt2, 0); {
	case real(u) > 2:
		return -x*x/2 + cmplx.Log(complexErfcx(u)/2)
	case real(u) < -2:
		return complexLog1p(-complexErfc(-u) / 2)
	}
	return cmplx.Log(complexNormCDF(x))
}

// complexInverseMills returns φ(x)/Φ(x), without underflow in the lower tail.
func complexInverseMills(x complex128) complex128 {
	if u := -x / complex(math.Sqrt2, 0); real(u) > 2 {
		return complex(math.Sqrt(2/math.Pi), 0) / complexErfcx(u)
	}
	return cmplx.Exp(-x*x/2) / complex(math.Sqrt(2*math.Pi), 0) / complexNormCDF(x)
}

// complexLog1mExp returns log(1 - exp(x)), without cancellation for small x.
func complexLog1mExp(x complex128) complex128 {
	switch {
	case !(real(x) < 0):
		return cmplx.NaN()
	case real(x) > -math.Ln2:
		return cmplx.Log(-2 * cmplx.Exp(x/2) * cmplx.Sinh(x/2))
	}
	return complexLog1p(-cmplx.Exp(x))
}
