package lane

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Pow returns x^y, as exp(y·log|x|) with the sign of x where y is odd, for lanes of float64. A product y·log|x| rounded to one number would
// cost as many units in the last place as its size, up to 700; so the logarithm and the product are sums of two numbers.
func (l Lanes) Pow(x, y reg.VecVirtual) reg.VecVirtual {
	high, low := l.logInTwo(x)
	finite := l.clamp(y, -math.MaxFloat64, math.MaxFloat64) // 0·∞ is NaN, but 1^∞ is 1
	product := l.Mul(finite, high)
	lost := l.FMA(finite, low, l.FMA(finite, high, l.Neg(product)))
	lost = l.Select(l.Abs(product), Less, l.Const(800), lost, l.Set(0)) // elsewhere exp is 0 or +Inf, and lost may be NaN
	f := l.format()
	z := l.signed(x, finite, l.expOf(l.reduceSum(l.clamp(product, f.underflow, f.overflow), lost)))
	z = l.Select(y, Equal, l.Const(0), l.Const(1), z)
	return l.Select(x, Equal, l.Const(1), l.Const(1), z)
}

// signed returns x^y from |x|^y: with the sign of x where y is odd, and NaN where x is a negative number and y is not whole.
func (l Lanes) signed(x, y, z reg.VecVirtual) reg.VecVirtual {
	half := l.Mul(y, l.Const(0.5))
	odd := l.Xor(z, l.And(x, l.Bits(l.signBit())))
	whole := l.Select(l.round(half), Equal, half, z, odd)
	broken := l.Select(x, Less, l.Const(0), l.nan(), z)
	broken = l.Select(x, Equal, l.infinity(-1), z, broken)
	return l.Select(l.round(y), Equal, y, whole, broken)
}

// round returns the nearest whole number.
func (l Lanes) round(x reg.VecVirtual) reg.VecVirtual {
	const nearest, silent = 0b000, 0b1000
	if l.isa == AVX512 {
		return l.into(l.forElement(l.ctx.VRNDSCALEPD, l.ctx.VRNDSCALEPS), x, operand.Imm(nearest|silent))
	}
	dst := l.Vec()
	if l.element == Float32 {
		l.ctx.VROUNDPS(operand.Imm(nearest|silent), x, dst)
	} else {
		l.ctx.VROUNDPD(operand.Imm(nearest|silent), x, dst)
	}
	return dst
}

// logInTwo returns log|x| as the sum of two numbers with a relative error of 2^-55. At 0 and ±Inf, the first number is infinite.
func (l Lanes) logInTwo(x reg.VecVirtual) (high, low reg.VecVirtual) {
	f := l.format()
	if l.isa == AVX512 {
		d := l.split(l.Abs(x))
		high, low = l.logInTwoOf(d.e, l.Sub(d.m, l.Const(1)))
	} else { // AVX2 splits only normal numbers
		size := l.Abs(x)
		d := l.split(l.Select(size, Less, l.Const(f.smallest), l.Mul(size, l.Const(float64(uint64(1)<<f.lift))), size))
		e := l.Select(size, Less, l.Const(f.smallest), l.Sub(d.e, l.Const(float64(f.lift))), d.e)
		high, low = l.logInTwoOf(e, l.Sub(d.m, l.Const(1)))
	}
	size := l.Abs(x) // again, so that it need not stay in a register
	high = l.Select(size, NotLess, l.infinity(+1), size, high)
	return l.Select(size, Equal, l.Const(0), l.infinity(-1), high), low
}

// logInTwoOf returns e·ln2 + log(1+f) as the sum of two numbers. It adds the same terms as logOf, and keeps the rounding errors of the largest.
func (l Lanes) logInTwoOf(e, f reg.VecVirtual) (high, low reg.VecVirtual) {
	c := l.format()
	s := l.quotientNormal(f, l.Add(f, l.Const(2)))
	square := l.Mul(s, s)
	halfSquare := l.Mul(l.Mul(f, l.Const(0.5)), f)
	sum := l.FMA(square, l.Polynomial(square, l.Mul(square, square), c.log), halfSquare)
	lost := l.FMA(l.Mul(f, l.Const(0.5)), f, l.Neg(halfSquare))
	small := l.FMA(s, sum, l.FMA(e, l.Const(c.ln2lo), l.Neg(lost)))
	power := l.Mul(e, l.Const(c.ln2hi)) // exact
	head := l.Add(power, f)
	rest := l.Sub(head, halfSquare)
	small = l.Add(small, l.Sub(f, l.Sub(head, power)))
	small = l.Add(small, l.Sub(l.Sub(head, rest), halfSquare))
	high = l.Add(rest, small)
	return high, l.Sub(small, l.Sub(high, rest))
}
