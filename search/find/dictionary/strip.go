package dictionary

import (
	"math"

	"likc/compiler/expr"
	"likc/runtime/num/gauss"
)

// wholes returns log densities of simpler processes, each of which becomes the one long atom of a library. For a single start there is
// the strip: the density between two constant boundaries. For uniform starts there are the image, which is the density at a single
// boundary, and the strip averaged over some starts. All densities are averaged over the onsets. gap is the distance from the middle
// of the starts to the boundary, in Brownian coordinates.
func (p *process) wholes(gap *expr.Expr) (all []*expr.Expr) {
	if p.spread != nil {
		all = append(all, p.image(gap))
	}
	if strip := p.strip(); strip != nil && (p.spread == nil || p.sd == nil && p.pastOnsets == nil) {
		if p.sd != nil {
			strip = add(strip, p.varied(gap))
		}
		all = append(all, strip)
	}
	for i := range all {
		if p.pastOnsets != nil {
			all[i] = p.overOnsets(all[i])
		}
	}
	return all
}

// varied returns the log of the mean of exp(u·gap − u²τ/2), the factor of a constant drift u, over the normal distribution of
// u.
func (p *process) varied(gap *expr.Expr) *expr.Expr {
	exponent := add(sub(mul(p.mean, gap), mul(mul(expr.Num(0.5), expr.New(expr.Square, p.mean)), p.tau)), mul(expr.Num(0.5), expr.New(expr.Square, mul(p.sd, gap))))
	return sub(div(exponent, p.shrink), mul(expr.Num(0.5), expr.New(expr.Log, p.shrink)))
}

// leastSpreadOfStarts is the least half width of the starts, relative to the standard deviation of the evidence. Smaller widths
// are raised to it.
const leastSpreadOfStarts = 0.02

// image returns the image density of the process; see the function [image].
func (p *process) image(gap *expr.Expr) *expr.Expr {
	sd, expected, speed := expr.New(expr.Sqrt, p.time), gap, expr.Num(0)
	if p.sd != nil {
		sd = expr.New(expr.Sqrt, mul(p.time, p.shrink))
		expected, speed = sub(gap, mul(p.mean, p.time)), p.mean
	}
	e := image(expected, sd, mul(p.spread, p.half0), p.time, sub(speed, div(add(p.gamma, p.kappa), p.wide)))
	if !p.rate.IsNum(1) {
		e = add(e, expr.New(expr.Log, p.rate))
	}
	return e
}

// image returns the log of the flow of probability over a boundary, in closed form and averaged over uniform starts. It assumes
// that the boundary continues straight with its present slope, and that there is no other boundary [daniels1996]. gap is the
// distance from the expected evidence to the boundary, sd the standard deviation of the evidence, half the half width of the
// starts, and speed the speed of the evidence relative to the boundary. Let low and high be the distances of the boundary from
// both ends of the expected evidence, in units of sd. With a standard normal ε, it is
//
//	log P(low < ε < high) − log 2·half + log(speed + E[ε | low < ε < high]·sd/time)
//
// Reference: [daniels1996] H. E. Daniels, Approximating the first crossing-time density for a curved boundary, Bernoulli 2, 1996.
func image(gap, sd, half, time, speed *expr.Expr) *expr.Expr {
	of := func(op expr.Op, x ...*expr.Expr) *expr.Expr { return expr.New(op, x...) }
	num := expr.Num
	half = of(expr.Max, half, mul(num(leastSpreadOfStarts), sd))
	low, high := div(sub(gap, half), sd), div(add(gap, half), sd)
	above := of(expr.Less, num(0), gap) // chooses the tail of the normal distribution that loses no digits
	neg := func(x *expr.Expr) *expr.Expr { return of(expr.Neg, x) }
	near, far := of(expr.If, above, neg(low), high), of(expr.If, above, neg(high), low)
	atNear := of(expr.LogNormCDF, near)
	within := add(atNear, of(expr.Log1mExp, sub(of(expr.LogNormCDF, far), atNear)))
	normal := of(expr.Exp, sub(sub(mul(num(-0.5), of(expr.Square, near)), num(expr.Rounded(math.Log(2*math.Pi)/2, 9))), within))
	fall := of(expr.Expm1, mul(num(0.5), mul(sub(near, far), add(near, far))))
	mean := mul(mul(of(expr.If, above, num(-1), num(1)), normal), fall)
	flow := of(expr.Max, add(speed, div(mul(mean, sd), time)), num(1e-6))
	return add(sub(within, of(expr.Log, half)), of(expr.Log, flow))
}

// onsets is the number of points of the Gauss–Legendre rule by which a density is averaged over uniform onsets.
const onsets = 3

// overOnsets returns the log of the mean of a density over all onsets. Onsets after the response contribute 0.
func (p *process) overOnsets(e *expr.Expr) *expr.Expr {
	rule := gauss.New(onsets)
	var sum *expr.Expr
	for i, x := range rule.X {
		later := p.at(e, sub(p.since, mul(expr.Num(expr.Rounded(x, ruleDigits)), p.pastOnsets)))
		later = add(later, expr.Num(expr.Rounded(math.Log(rule.Weight[i]), ruleDigits)))
		if sum == nil {
			sum = later
		} else {
			sum = expr.New(expr.LogAddExp, sum, later)
		}
	}
	return add(sum, expr.New(expr.Log, div(p.pastOnsets, p.allOnsets)))
}

// at returns e, an expression of quantities, for another time since the onset.
func (p *process) at(e, time *expr.Expr) *expr.Expr {
	values := map[string]*expr.Expr{}
	for _, b := range p.bases {
		value := expr.Substitution(values).Map(b.Value)
		if expr.Var(mark + b.Name).Equal(p.tau) {
			value = time
		}
		values[mark+b.Name] = value
	}
	for _, fixed := range []*expr.Expr{p.pastOnsets, p.allOnsets} {
		delete(values, fixed.Name)
	}
	return expr.Substitution(values).Map(e)
}

// changeOver is the time of the clock at which the strip changes from a series of images to a series of waves, which decay
// exponentially in time. At that time both have errors of 1e-5.
const changeOver = 1

// strip returns the log density between two constant boundaries, in the process's clock, with the factors of Girsanov's change
// of measure. It is averaged over uniform starts. It is nil for a process whose factors are not finite at the start.
func (p *process) strip() *expr.Expr {
	if p.gamma0 == nil || p.kappa0 == nil {
		return nil
	}
	e := p.stripFrom(p.y, p.near)
	if p.spread != nil {
		e = nil
		rule := gauss.New(starts)
		for i, x := range rule.X {
			y := add(p.y, mul(expr.Num(expr.Rounded(2*x-1, ruleDigits)), p.spread))
			part := add(p.stripFrom(y, mul(expr.Num(0.5), add(expr.Num(1), y))), expr.Num(expr.Rounded(math.Log(rule.Weight[i]), ruleDigits)))
			if e == nil {
				e = part
			} else {
				e = expr.New(expr.LogAddExp, e, part)
			}
		}
	}
	grown := expr.New(expr.Log, div(p.wide, p.half0)) // the integral of κ over the clock
	if p.steady() {
		grown = mul(p.kappa0, p.clock)
	}
	return sumOf(e, []weighted{{-1, p.gamma}, {-0.5, p.kappa}, {-0.5, p.gammaGamma}, {0.5, grown}, {-2, expr.New(expr.Log, p.half)},
		{2, expr.New(expr.Log, p.now(p.noise))}})
}

// weighted is an expression with a constant factor.
type weighted struct {
	by float64
	of *expr.Expr
}

// sumOf returns e plus those parts that are not constant, each times its factor.
func sumOf(e *expr.Expr, parts []weighted) *expr.Expr {
	for _, part := range parts {
		if s := simple(part.of); s.Op != expr.Const {
			e = add(e, times(part.by, part.of))
		}
	}
	return e
}

// stripFrom returns the part of the strip that depends on the start. The start is at y between the boundaries -1 and 1; near is
// its distance from the other boundary, as a share of the boundaries' distance. Before changeOver it is a series of three
// images, after it one of three waves.
func (p *process) stripFrom(y, near *expr.Expr) *expr.Expr {
	rest := simple(sub(expr.Num(1), near))
	of := func(op expr.Op, x ...*expr.Expr) *expr.Expr { return expr.New(op, x...) }
	num, u := expr.Num, p.clock
	exp := func(x *expr.Expr) *expr.Expr { return of(expr.Exp, x) }
	images := add(sub(rest, mul(add(num(1), near), exp(div(mul(num(-8), near), u)))), mul(add(num(2), rest), exp(div(mul(num(-8), add(num(1), rest)), u))))
	early := sub(sub(of(expr.Log, of(expr.Max, images, num(1e-30))), div(mul(num(2), of(expr.Square, rest)), u)), mul(num(1.5), of(expr.Log, u)))
	wave := func(k float64) *expr.Expr {
		s := of(expr.Sin, mul(num(expr.Rounded(k*math.Pi, 9)), rest))
		if k == 1 {
			return s
		}
		return mul(mul(num(k), exp(mul(num(expr.Rounded(-(k*k-1)*math.Pi*math.Pi/8, 9)), u))), s)
	}
	// The early series lacks the factor 4^1.5/√(2π) and the late one the factor π: the late one gets the ratio of both.
	late := sub(of(expr.Log, of(expr.Max, add(add(wave(1), wave(2)), wave(3)), num(1e-30))), mul(num(expr.Rounded(math.Pi*math.Pi/8, 9)), u))
	constant := math.Log(math.Pi) - math.Log(8/math.Sqrt(2*math.Pi))
	late = add(late, num(expr.Rounded(constant, 9)))
	e := of(expr.If, of(expr.Less, u, num(changeOver)), early, late)
	if p.steady() {
		e = add(e, p.well(y))
	}
	return sumOf(e, []weighted{{1, mul(p.gamma0, y)}, {0.5, mul(p.kappa0, of(expr.Square, y))}})
}
