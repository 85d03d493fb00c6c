package expr

import "math"

// This file has the operators that package math does not have. Emitted Go files contain copies of these functions.
//
// Conditions are numbers: 1 where they hold and 0 where they do not. A comparison with NaN does not hold.
//
// Φ(-|x|) is erfc(u)/2 at u = |x|/√2. Rounding u would cause a relative error of x²·2⁻⁵³, so the result is corrected by the rounding error of
// u times the derivative of erfc. Below -37, where Φ comes close to underflow, Mills' ratio is computed by its asymptotic series ([dlmf],
// 7.12.1), whose first omitted term is below 2⁻⁵⁴. The inverse of Mills' ratio at -x is the derivative of log Φ at x. For log(1 - exp(x))
// there are two forms, each used where it loses no digits [maechler2012].

// normcdf is the standard normal distribution function.
func normcdf(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

// sigmoid is the logistic function.
func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// logit is the inverse of the logistic function.
func logit(x float64) float64 { return math.Log(x) - math.Log1p(-x) }

// softplus is log(1 + exp(x)) without overflow.
func softplus(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// logaddexp is log(exp(x) + exp(y)) without overflow.
func logaddexp(x, y float64) float64 {
	if x == y {
		return x + math.Ln2
	}
	return math.Max(x, y) + math.Log1p(math.Exp(-math.Abs(x-y)))
}

// sign is -1, 0 or 1.
func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x
}

// less is 1 where x < y, else 0.
func less(x, y float64) float64 {
	if x < y {
		return 1
	}
	return 0
}

// lesseq is 1 where x <= y, else 0.
func lesseq(x, y float64) float64 {
	if x <= y {
		return 1
	}
	return 0
}

// and is 1 where both conditions hold, else 0.
func and(x, y float64) float64 {
	if x != 0 && y != 0 {
		return 1
	}
	return 0
}

// or is 1 where one of two conditions holds, else 0.
func or(x, y float64) float64 {
	if x != 0 || y != 0 {
		return 1
	}
	return 0
}

// choose is y where the condition x holds, else z.
func choose(x, y, z float64) float64 {
	if x != 0 {
		return y
	}
	return z
}

// lognormcdf is the logarithm of the standard normal distribution function, without underflow.
func lognormcdf(x float64) float64 {
	switch {
	case x < -37:
		z := 1 / (x * x)
		s := -z * (1 - z*(3-z*(15-z*(105-z*(945-z*10395)))))
		return -0.5*x*x - math.Log(-x) - 0.91893853320467274178 + math.Log1p(s)
	case x < 39:
		a := math.Abs(x)
		u := a * 0.7071067811865476
		e := math.FMA(a, 0.7071067811865476, -u) - 4.833646656726457e-17*a // what rounding took from u
		tail := 0.5*math.Erfc(u) - e*math.Exp(-u*u)/1.77245385090551602730
		if x < 0 {
			return math.Log(tail)
		}
		return math.Log1p(-tail)
	case x > 0:
		return 0
	}
	return x
}

// inversemills is the standard normal density over its distribution function, without underflow.
func inversemills(x float64) float64 {
	switch {
	case x < -37:
		z := 1 / (x * x)
		return -x / (1 - z*(1-z*(3-z*(15-z*(105-z*(945-z*10395))))))
	case x < 39:
		a := math.Abs(x)
		u := a * 0.7071067811865476
		e := math.FMA(a, 0.7071067811865476, -u) - 4.833646656726457e-17*a // what rounding took from u
		cdf := 0.5*math.Erfc(u) - e*math.Exp(-u*u)/1.77245385090551602730
		if x > 0 {
			cdf = 1 - cdf
		}
		h := x * x
		return math.Exp(-0.5*h) * (1 - 0.5*math.FMA(x, x, -h)) / (2.50662827463100050242 * cdf)
	case x > 0:
		return 0
	}
	return x
}

// log1mexp is log(1 - exp(x)) for x < 0.
func log1mexp(x float64) float64 {
	if x > -math.Ln2 {
		return math.Log(-math.Expm1(x))
	}
	return math.Log1p(-math.Exp(x))
}

// lgamma is the logarithm of the gamma function of x > 0.
func lgamma(x float64) float64 {
	if x < 0 {
		return math.NaN()
	}
	y, _ := math.Lgamma(x)
	return y
}

// digamma is the derivative of lgamma, for x > 0: a recurrence up to 10 and Stirling's series from there.
func digamma(x float64) float64 {
	if x < 0 {
		return math.NaN()
	}
	s := 0.0
	for ; x < 10; x++ {
		s -= 1 / x
	}
	z := 1 / (x * x)
	return s + math.Log(x) - 0.5/x - z*(1.0/12-z*(1.0/120-z*(1.0/252-z*(1.0/240-z*(1.0/132-z*(691.0/32760-z/12))))))
}
