package expr

import "math"

// Interval is a set of reals between two bounds. An infinite bound is never reached, whatever its Open flag says.
type Interval struct {
	Lo, Hi         float64
	OpenLo, OpenHi bool // the bound itself is excluded
}

// Reals is the interval of all real numbers: the range of a value about which nothing is known.
var Reals = Interval{Lo: math.Inf(-1), Hi: math.Inf(1)}

// Above returns the values greater than lo.
func Above(lo float64) Interval { return Interval{Lo: lo, Hi: math.Inf(1), OpenLo: true} }

// Below returns the values less than hi.
func Below(hi float64) Interval { return Interval{Lo: math.Inf(-1), Hi: hi, OpenHi: true} }

// Point returns the interval that holds only v.
func Point(v float64) Interval { return Interval{Lo: v, Hi: v} }

// Satisfies reports whether every value of the interval meets the requirement must.
func (x Interval) Satisfies(must Must) bool {
	switch must {
	case NonZero:
		return x.over(0) || x.under(0)
	case NonNegative:
		return x.Lo >= 0
	case Positive:
		return x.over(0)
	case AboveMinus1:
		return x.over(-1)
	case InUnit:
		return x.over(0) && x.under(1)
	case BelowZero:
		return x.under(0)
	}
	return false
}

// Holds reports whether the number v meets the requirement must. NaN meets none.
func (must Must) Holds(v float64) bool { return !math.IsNaN(v) && Point(v).Satisfies(must) }

// Intersect returns the interval of the values that are in x and in y. The result for disjoint intervals has no meaning: no
// value lies in both, so callers may ignore the case.
func (x Interval) Intersect(y Interval) Interval {
	if y.Lo > x.Lo || y.Lo == x.Lo && y.OpenLo {
		x.Lo, x.OpenLo = y.Lo, y.OpenLo
	}
	if y.Hi < x.Hi || y.Hi == x.Hi && y.OpenHi {
		x.Hi, x.OpenHi = y.Hi, y.OpenHi
	}
	return x
}

// over reports whether all numbers in x are greater than v, and under whether all are less.
func (x Interval) over(v float64) bool  { return x.Lo > v || x.Lo == v && x.OpenLo }
func (x Interval) under(v float64) bool { return x.Hi < v || x.Hi == v && x.OpenHi }

// Range returns an interval that contains all finite values of an operator for arguments in x. It is not always the narrowest
// one.
func (op Op) Range(x [3]Interval) Interval { return table[op].Range(x) }

// atMost, atLeast and between return the numbers up to hi, those from lo on, and those between lo and hi without the two.
func atMost(hi float64) Interval      { return Interval{Lo: math.Inf(-1), Hi: hi} }
func atLeast(lo float64) Interval     { return Interval{Lo: lo, Hi: math.Inf(1)} }
func between(lo, hi float64) Interval { return Interval{lo, hi, true, true} }

// hull returns the smallest interval that contains x and the number v.
func (x Interval) hull(v float64) Interval {
	if x.Lo >= v {
		x.Lo, x.OpenLo = v, false
	}
	if x.Hi <= v {
		x.Hi, x.OpenHi = v, false
	}
	return x
}

// union returns the smallest interval that contains x and y.
func (x Interval) union(y Interval) Interval {
	return Interval{
		Lo: minimum(x, y).Lo, OpenLo: minimum(x, y).OpenLo,
		Hi: -minimum(x.negative(), y.negative()).Lo, OpenHi: minimum(x.negative(), y.negative()).OpenLo,
	}
}

// negative returns the interval of -v for v in x.
func (x Interval) negative() Interval { return Interval{-x.Hi, -x.Lo, x.OpenHi, x.OpenLo} }

// plus returns the interval of the sums of a number in x and a number in y.
func (x Interval) plus(y Interval) Interval {
	return Interval{outward(x.Lo+y.Lo, -1), outward(x.Hi+y.Hi, 1), x.OpenLo || y.OpenLo, x.OpenHi || y.OpenHi}
}

// times returns the interval of the products: its ends are the smallest and the largest product of two bounds.
func (x Interval) times(y Interval) Interval {
	p := corner(x.Lo, y.Lo, x.OpenLo, y.OpenLo)
	for _, q := range [3]Interval{
		corner(x.Lo, y.Hi, x.OpenLo, y.OpenHi), corner(x.Hi, y.Lo, x.OpenHi, y.OpenLo), corner(x.Hi, y.Hi, x.OpenHi, y.OpenHi),
	} {
		if q.Lo < p.Lo || q.Lo == p.Lo && !q.OpenLo {
			p.Lo, p.OpenLo = q.Lo, q.OpenLo
		}
		if q.Hi > p.Hi || q.Hi == p.Hi && !q.OpenHi {
			p.Hi, p.OpenHi = q.Hi, q.OpenHi
		}
	}
	return p
}

// corner returns the product of two bounds; zero times an infinite bound is zero, as the bound is never reached.
func corner(a, b float64, openA, openB bool) Interval {
	if a == 0 || b == 0 {
		open := !(a == 0 && !openA || b == 0 && !openB)
		return Interval{0, 0, open, open}
	}
	return Interval{outward(a*b, -1), outward(a*b, 1), openA || openB, openA || openB}
}

// inverse returns the interval of 1/v for v in x.
func (x Interval) inverse() Interval {
	switch {
	case x.Lo >= 0:
		return Interval{outward(1/x.Hi, -1), outward(1/math.Abs(x.Lo), 1), x.OpenHi || math.IsInf(x.Hi, 1), x.OpenLo}
	case x.Hi <= 0:
		return x.negative().inverse().negative()
	}
	return Reals
}

// magnitude returns the interval of |v| for v in x.
func (x Interval) magnitude() Interval {
	switch {
	case x.Lo >= 0:
		return x
	case x.Hi <= 0:
		return x.negative()
	case -x.Lo > x.Hi:
		return Interval{Lo: 0, Hi: -x.Lo, OpenHi: x.OpenLo}
	case -x.Lo == x.Hi:
		return Interval{Lo: 0, Hi: x.Hi, OpenHi: x.OpenLo && x.OpenHi}
	}
	return Interval{Lo: 0, Hi: x.Hi, OpenHi: x.OpenHi}
}

// power returns an interval that contains x^y. The interval is wide: it only shows the sign.
func (x Interval) power(y Interval) Interval {
	n := y.Lo
	constant, whole := y.Lo == y.Hi, n == math.Trunc(n)
	switch {
	case x.over(0), constant && n < 0 && (!whole || math.Mod(n, 2) == 0 || x.Lo >= 0):
		return Above(0)
	case constant && whole && math.Mod(n, 2) == 0 && x.Satisfies(NonZero):
		return Above(0)
	case x.Lo >= 0, constant && (!whole || math.Mod(n, 2) == 0):
		return atLeast(0)
	case constant && x.under(0):
		return Below(0)
	}
	return Reals
}

// rising returns the interval of the values of an increasing function f.
func (x Interval) rising(f func(float64) float64) Interval {
	return Interval{outward(f(x.Lo), -1), outward(f(x.Hi), 1), x.OpenLo, x.OpenHi}
}

// signs returns an interval with the signs of the numbers in x.
func (x Interval) signs() Interval {
	switch {
	case x.over(0):
		return Point(1)
	case x.under(0):
		return Point(-1)
	}
	return Interval{Lo: -1, Hi: 1}
}

// minimum returns the interval of min(a, b) for a in x and b in y.
func minimum(x, y Interval) Interval {
	if y.Lo < x.Lo || y.Lo == x.Lo && !y.OpenLo {
		x.Lo, x.OpenLo = y.Lo, y.OpenLo
	}
	if y.Hi < x.Hi || y.Hi == x.Hi && y.OpenHi {
		x.Hi, x.OpenHi = y.Hi, y.OpenHi
	}
	return x
}

// outward moves a rounded bound away from the interval's inside, because rounding may have moved it inwards. Small whole
// numbers are taken to be exact and do not move.
func outward(v, side float64) float64 {
	switch {
	case math.IsNaN(v):
		return math.Inf(int(side))
	case v == math.Trunc(v) && math.Abs(v) < 1<<40 || math.IsInf(v, 0):
		return v
	}
	w := math.Nextafter(v, math.Inf(int(side)))
	return math.Nextafter(w, math.Inf(int(side)))
}
