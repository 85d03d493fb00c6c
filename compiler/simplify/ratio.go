package simplify

import "math"

// ratio is the number n/d with d > 0. Numerator and denominator are kept separately if the quotient is not exact.
type ratio struct{ n, d float64 }

var one = ratio{1, 1}

// ratioOf returns n as a ratio.
func ratioOf(n float64) ratio { return ratio{n, 1} }

func (r ratio) value() float64      { return r.n / r.d }
func (r ratio) isZero() bool        { return r.n == 0 }
func (r ratio) isOne() bool         { return r.n == r.d }
func (r ratio) negative() bool      { return r.n < 0 }
func (r ratio) neg() ratio          { return ratio{0 - r.n, r.d} }
func (r ratio) abs() ratio          { return ratio{math.Abs(r.n), r.d} }
func (r ratio) times(s ratio) ratio { return ratio{r.n * s.n, r.d * s.d}.reduced() }

// usable reports whether n and d are exact: nothing overflowed or was rounded.
func (r ratio) usable() bool {
	ok := func(v float64) bool { return v < 1e300 && v > 1e-300 }
	return ok(r.d) && (r.n == 0 || ok(math.Abs(r.n)))
}

// inverse returns 1/r for a ratio that is not zero.
func (r ratio) inverse() ratio {
	if r.n < 0 {
		return ratio{-r.d, -r.n}.reduced()
	}
	return ratio{r.d, r.n}.reduced()
}

func (r ratio) plus(s ratio) ratio {
	if r.d == s.d {
		return ratio{r.n + s.n, r.d}.reduced()
	}
	return ratio{r.n*s.d + s.n*r.d, r.d * s.d}.reduced()
}

// power returns r^q for whole q.
func (r ratio) power(q float64) ratio {
	if q < 0 {
		r, q = r.inverse(), -q
	}
	return ratio{math.Pow(r.n, q), math.Pow(r.d, q)}.reduced()
}

// root returns r^q for r > 0 if that is exact.
func (r ratio) root(q float64) (ratio, bool) {
	t := ratio{math.Pow(r.n, q), math.Pow(r.d, q)}
	return t.reduced(), t.usable() && math.Pow(t.n, 1/q) == r.n && math.Pow(t.d, 1/q) == r.d &&
		t.n*1024 == math.Trunc(t.n*1024) && t.d*1024 == math.Trunc(t.d*1024)
}

// reduced returns the ratio as n/1 if the quotient is exact, else with the common divisor of whole numbers removed.
func (r ratio) reduced() ratio {
	if r.d == 1 {
		return r
	}
	if q := r.n / r.d; math.FMA(q, r.d, -r.n) == 0 {
		return ratio{q, 1}
	}
	if g := commonDivisor(r.n, r.d); g > 1 {
		return ratio{r.n / g, r.d / g}
	}
	return r
}

// commonDivisor returns the greatest common divisor of whole numbers below 2^53, by Euclid's algorithm, and 1 for other
// numbers.
func commonDivisor(a, b float64) float64 {
	a, b = math.Abs(a), math.Abs(b)
	if a != math.Trunc(a) || b != math.Trunc(b) || a >= 1<<53 || b >= 1<<53 {
		return 1
	}
	for b != 0 {
		a, b = b, math.Mod(a, b)
	}
	return a
}
