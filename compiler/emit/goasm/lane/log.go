package lane

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// split holds a positive number x as 2^e·m with m ∈ [3/4, 3/2). On AVX2, x must be normal, and biased is e plus the bias of the
// format's exponent, as an integer.
type split struct{ e, m, biased reg.VecVirtual }

// split splits x, which must be positive.
func (l Lanes) split(x reg.VecVirtual) split {
	f := l.format()
	if l.isa == AVX512 {
		const interval34to32, absolute = 0b11, 0b01 << 2
		m := l.into(l.forElement(l.ctx.VGETMANTPD, l.ctx.VGETMANTPS), x, operand.Imm(absolute|interval34to32))
		exponent := l.forElement(l.ctx.VGETEXPPD, l.ctx.VGETEXPPS)
		return split{e: l.Sub(l.into(exponent, x), l.into(exponent, m)), m: m}
	}
	quarter := uint64(1) << (f.mantissa - 1)
	threeQuarters := uint64(f.bias)<<f.mantissa - quarter
	shifted := l.addInts(x, l.Bits(quarter))
	biased := l.shiftRight(shifted, f.mantissa)
	power := uint64(f.bias+int(f.mantissa)) << f.mantissa // 2^mantissa, the integer's carrier
	e := l.Sub(l.Or(biased, l.Bits(power)), l.Const(float64(uint64(1)<<f.mantissa)+float64(f.bias)))
	m := l.addInts(l.And(shifted, l.Bits(uint64(1)<<f.mantissa-1)), l.Bits(threeQuarters))
	return split{e, m, biased}
}

// logOf returns e·ln2 + log(1+f) + low, where low is a small correction. With s = f/(2+f) it computes
//
//	e·ln2hi + (f - (f²/2 - (s·(f²/2 + s²P(s²)) + e·ln2lo + low))).
//
// The largest terms, f and e·ln2hi, are added last, as in fdlibm's log.
func (l Lanes) logOf(e, f, low reg.VecVirtual) reg.VecVirtual {
	c := l.format()
	denominator := l.Add(f, l.Const(2))
	s := l.quotientNormal(f, denominator)
	square := l.Mul(s, s)
	halfSquare := l.Mul(l.Mul(f, l.Const(0.5)), f)
	sum := l.FMA(square, l.Polynomial(square, l.Mul(square, square), c.log), halfSquare)
	small := l.Mul(e, l.Const(c.ln2lo))
	if low != nil {
		small = l.Add(small, low)
	}
	inner := l.Sub(halfSquare, l.FMA(s, sum, small))
	return l.FMA(e, l.Const(c.ln2hi), l.Sub(f, inner))
}

// Log returns log(x): NaN below zero, -Inf at both zeros.
func (l Lanes) Log(x reg.VecVirtual) reg.VecVirtual {
	if l.isa == AVX512 { // VGETEXP gives the exponents of zeros and infinities too
		d := l.split(x)
		y := l.logOf(d.e, l.Sub(d.m, l.Const(1)), nil)
		return l.Select(x, Less, l.Const(0), l.nan(), y)
	}
	f := l.format()
	lifted := l.Mul(x, l.Const(float64(uint64(1)<<f.lift)))
	d := l.split(l.Select(x, Less, l.Const(f.smallest), lifted, x))
	dropped := l.Sub(d.e, l.Const(float64(f.lift)))
	e := l.Select(x, Less, l.Const(f.smallest), dropped, d.e)
	y := l.logOf(e, l.Sub(d.m, l.Const(1)), nil)
	y = l.Select(x, NotLess, l.infinity(+1), x, y)
	y = l.Select(x, Equal, l.Const(0), l.infinity(-1), y)
	return l.Select(x, Less, l.Const(0), l.nan(), y)
}

// Log1p returns log(1+x). It corrects for the rounding error of 1+x.
func (l Lanes) Log1p(x reg.VecVirtual) reg.VecVirtual {
	f := l.format()
	one := l.Set(1)
	u := l.Add(one, x)
	unit := l.Sub(u, x) // Knuth's two-sum: the rounding error of u = 1 + x
	lost := l.Add(l.Sub(x, l.Sub(u, unit)), l.Sub(one, unit))
	d := l.split(u)
	head := l.Sub(d.m, one)
	scaled := l.divideByPower(lost, d)
	fraction := l.Add(head, scaled)
	low := l.Sub(scaled, l.Sub(fraction, head))
	y := l.logOf(d.e, fraction, low)
	y = l.Select(x, NotLess, l.infinity(+1), x, y)
	y = l.Select(l.Abs(x), Less, l.Const(f.epsilon), x, y)
	y = l.Select(x, Equal, l.Const(-1), l.infinity(-1), y)
	return l.Select(x, Less, l.Const(-1), l.nan(), y)
}

// logOfSum returns log(x + low), where x is positive and low is its rounding error. low must be 0 unless x is in [1/2, 1]. On
// AVX2 x must be normal.
func (l Lanes) logOfSum(x, low reg.VecVirtual) reg.VecVirtual {
	d := l.split(x)
	head := l.Sub(d.m, l.Const(1))
	scaled := l.FNMA(low, d.e, low) // low·2^-e, for e is 0 or -1 where low is not 0
	fraction := l.Add(head, scaled)
	return l.logOf(d.e, fraction, l.Sub(scaled, l.Sub(fraction, head)))
}

// divideByPower returns x·2^-e, or zero where 2^(1-e) is subnormal.
func (l Lanes) divideByPower(x reg.VecVirtual, d split) reg.VecVirtual {
	if l.isa == AVX512 {
		return l.into(l.forElement(l.ctx.VSCALEFPD, l.ctx.VSCALEFPS), x, l.Neg(d.e))
	}
	f := l.format()
	twice := l.shiftLeft(l.subInts(l.Copy(l.Bits(uint64(2*f.bias+1))), d.biased), f.mantissa)
	return l.Mul(l.Mul(x, l.Const(0.5)), twice)
}

// Softplus returns log(1 + exp(x)): max(x, 0) + log1p(exp(-|x|)).
func (l Lanes) Softplus(x reg.VecVirtual) reg.VecVirtual {
	return l.Add(l.Select(x, Less, l.Const(0), l.Const(0), x), l.log1pExpNeg(x))
}

// LogAddExp returns log(exp(x) + exp(y)): max(x, y) + log1p(exp(-|x-y|)), where equal infinities have no difference.
func (l Lanes) LogAddExp(x, y reg.VecVirtual) reg.VecVirtual {
	larger := l.Select(x, Less, y, y, x)
	sum := l.Add(larger, l.log1pExpNeg(l.Sub(x, y)))
	return l.Select(x, Equal, y, l.Add(x, l.Const(math.Ln2)), sum)
}

// log1pExpNeg returns log1p(exp(-|x|)).
func (l Lanes) log1pExpNeg(x reg.VecVirtual) reg.VecVirtual { return l.Log1p(l.Exp(l.Neg(l.Abs(x)))) }
