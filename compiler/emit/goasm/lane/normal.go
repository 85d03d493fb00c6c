package lane

import (
	"math"

	"github.com/mmcloughlin/avo/reg"
)

// mills holds the coefficients of (1+a)·R(a) as a polynomial in (a-6)/(a+6), for a ≥ 0; the relative error is 2^-52.9. R(a) =
// Φ(-a)/φ(a) is Mills' ratio.
var mills = []float64{
	0x1.22fb13a21237fp+0, -0x1.b47beaa8515efp-3, 0x1.98bff5cc29d36p-4, -0x1.6737bcc36ea2ap-7, -0x1.4b7469ddebd3bp-5,
	0x1.cfeba3e9eb24cp-5, -0x1.95e40ae1ce6e8p-5, 0x1.1003db6fcdbc6p-5, -0x1.21efd790d52e6p-6, 0x1.e240c5d487472p-8,
	-0x1.1d81d4e3f8c7ep-9, 0x1.3a10cbc3b6bf9p-12, 0x1.8d5c8866afae1p-14, -0x1.1511bf63fcae3p-14, 0x1.730fe131bb736p-17,
	0x1.2c12dc969a5f6p-18, -0x1.4fd9422d51ea0p-19, -0x1.ab70298e02116p-35, 0x1.602221c8fc04cp-22, -0x1.c3be778873d0dp-25,
	-0x1.3d201227ee506p-25, 0x1.4c4aa613a913dp-27, 0x1.f6b5e71ace367p-29, -0x1.d67cb9ec6083ep-31, -0x1.08950c781a7fbp-32,
}

// tails holds the numbers from which Φ, log Φ and φ/Φ are computed at a point x. They are computed without overflow and without
// cancellation.
type tails struct {
	x     reg.VecVirtual
	size  reg.VecVirtual // min(|x|, 1e300): beyond 1e300, x² is infinite in any case
	mills reg.VecVirtual // (1+size)·R(size)
	ratio reg.VecVirtual // R(size)/√(2π)
	bell  reg.VecVirtual // exp(-x²/2)
	tail  reg.VecVirtual // Φ(-|x|)
}

// tails computes the quantities from which Φ, log Φ and their derivatives at x are made.
func (l Lanes) tails(x reg.VecVirtual) tails {
	t := tails{x: x, size: l.clamp(l.Abs(x), 0, 1e300)}
	u := l.quotientNormal(l.Sub(t.size, l.Const(6)), l.Add(t.size, l.Const(6)))
	t.mills = l.Polynomial(u, l.Mul(u, u), mills)
	t.ratio = l.quotientNormal(l.Mul(t.mills, l.Const(1/math.Sqrt(2*math.Pi))), l.Add(t.size, l.Const(1)))
	t.bell = l.bell(l.clamp(t.size, 0, 40)) // exp(-800) is 0
	t.tail = l.Mul(t.bell, t.ratio)
	return t
}

// bell returns exp(-x²/2). For large x it corrects for the rounding error of x².
func (l Lanes) bell(x reg.VecVirtual) reg.VecVirtual {
	square := l.Mul(x, x)
	lost := l.FMA(x, x, l.Neg(square))
	y := l.Exp(l.Mul(square, l.Const(-0.5)))
	return l.FNMA(y, l.Mul(lost, l.Const(0.5)), y)
}

// below returns `yes` in the lanes where x < 0, and `no` in the other lanes.
func (l Lanes) below(t tails, yes, no reg.VecVirtual) reg.VecVirtual {
	return l.Select(t.x, Less, l.Const(0), yes, no)
}

// NormCDF returns Φ(x), the standard normal distribution function.
func (l Lanes) NormCDF(x reg.VecVirtual) reg.VecVirtual {
	t := l.tails(x)
	return l.below(t, t.tail, l.Sub(l.Set(1), t.tail))
}

// LogNormCDF returns log Φ(x).
func (l Lanes) LogNormCDF(x reg.VecVirtual) reg.VecVirtual { return l.logOfTails(l.tails(x)) }

// InverseMills returns φ(x)/Φ(x), the derivative of log Φ.
func (l Lanes) InverseMills(x reg.VecVirtual) reg.VecVirtual { return l.inverseOfTails(l.tails(x)) }

// LogNormCDFAndInverseMills returns log Φ(x) and its derivative, with fewer instructions than two calls.
func (l Lanes) LogNormCDFAndInverseMills(x reg.VecVirtual) (logCDF, inverse reg.VecVirtual) {
	t := l.tails(x)
	return l.logOfTails(t), l.inverseOfTails(t)
}

// logOfTails returns log Φ(x): log(R/√(2π)) - x²/2 for x < 0, and log(1 - tail) for x ≥ 0.
func (l Lanes) logOfTails(t tails) reg.VecVirtual {
	one := l.Set(1)
	rest := l.Sub(one, t.tail)
	lost := l.Sub(l.Sub(one, rest), t.tail)
	y := l.logOfSum(l.below(t, t.ratio, rest), l.below(t, l.Sub(one, one), lost))
	return l.below(t, l.FNMA(l.Mul(t.size, l.Const(0.5)), t.size, y), y)
}

// inverseOfTails returns φ(x)/Φ(x): (1+|x|) / ((1+|x|)·R) for x < 0, and φ / (1 - tail) for x ≥ 0.
func (l Lanes) inverseOfTails(t tails) reg.VecVirtual {
	over := l.below(t, l.Add(l.Abs(t.x), l.Const(1)), l.Mul(t.bell, l.Const(1/math.Sqrt(2*math.Pi))))
	return l.quotientNormal(over, l.below(t, t.mills, l.Sub(l.Set(1), t.tail)))
}

// Erfc returns 1 - erf(x), which is 2·Φ(-√2·x).
func (l Lanes) Erfc(x reg.VecVirtual) reg.VecVirtual {
	size := l.clamp(l.Abs(x), 0, 1e300)
	a := l.Mul(size, l.Const(math.Sqrt2))
	u := l.quotientNormal(l.Sub(a, l.Const(6)), l.Add(a, l.Const(6)))
	scaled := l.Mul(l.Polynomial(u, l.Mul(u, u), mills), l.Const(math.Sqrt2/math.SqrtPi))
	near := l.clamp(size, 0, 28) // exp(-784) is 0
	square := l.Mul(near, near)
	bell := l.Exp(l.Neg(square))
	bell = l.FNMA(bell, l.FMA(near, near, l.Neg(square)), bell)
	y := l.Mul(bell, l.quotientNormal(scaled, l.Add(a, l.Const(1))))
	return l.Select(x, Less, l.Const(0), l.Sub(l.Set(2), y), y)
}

// Log1mExp returns log(1 - exp(x)) for x < 0, -Inf at 0 and NaN above: log(-expm1(x)) where x > -log 2, and log1p(-exp(x))
// elsewhere [maechler2012].
func (l Lanes) Log1mExp(x reg.VecVirtual) reg.VecVirtual {
	f := l.format()
	d := l.reduce(l.clamp(x, f.underflow, f.overflow))
	exp, one := l.expOf(d), l.Set(1)
	rest := l.Sub(one, exp)
	lost := l.Sub(l.Sub(one, rest), exp)
	lost = l.Select(x, Greater, l.Const(-math.Ln2), l.Sub(one, one), lost)
	near := l.Neg(l.Select(l.Abs(x), Less, l.Const(f.epsilon), x, l.expm1Of(d)))
	y := l.logOfAny(l.Select(x, Greater, l.Const(-math.Ln2), near, rest), lost)
	y = l.Select(x, Equal, l.Const(0), l.infinity(-1), y)
	return l.Select(x, Greater, l.Const(0), l.nan(), y)
}

// logOfAny returns log(x + low) as logOfSum does, but x may be subnormal.
func (l Lanes) logOfAny(x, low reg.VecVirtual) reg.VecVirtual {
	if l.isa == AVX512 {
		return l.logOfSum(x, low)
	}
	f := l.format()
	lifted := l.Select(x, Less, l.Const(f.smallest), l.Mul(x, l.Const(float64(uint64(1)<<f.lift))), x)
	y := l.logOfSum(lifted, low)
	return l.Select(x, Less, l.Const(f.smallest), l.Sub(y, l.Const(float64(f.lift)*math.Ln2)), y)
}
