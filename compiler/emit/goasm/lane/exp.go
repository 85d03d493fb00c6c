package lane

import (
	"math"

	"github.com/mmcloughlin/avo/reg"
)

// reduced holds a number x as n·ln2 + r, with |r| ≤ ln2/2 and an integer n: the range reduction of Cody and Waite.
type reduced struct {
	n    reg.VecVirtual // n as a floating-point number
	bits reg.VecVirtual // n as an integer in the low bits
	head reg.VecVirtual // x - n·ln2hi, exact
	r    reg.VecVirtual
	even reg.VecVirtual // r²
	q    reg.VecVirtual // (exp(r) - 1 - r)/r²
}

// reduce returns the range reduction of x, with the polynomial of exp in it.
func (l Lanes) reduce(x reg.VecVirtual) reduced { return l.reduceSum(x, nil) }

// reduceSum returns the range reduction of x + low, where low is a small correction or nil.
func (l Lanes) reduceSum(x, low reg.VecVirtual) reduced {
	f := l.format()
	var d reduced
	d.bits = l.FMA(x, l.Const(math.Log2E), l.Const(f.integer))
	d.n = l.Sub(d.bits, l.Const(f.integer))
	d.head = l.FNMA(d.n, l.Const(f.ln2hi), x)
	d.r = l.FNMA(d.n, l.Const(f.ln2lo), d.head)
	if low != nil {
		d.r = l.Add(d.r, low)
	}
	d.even = l.Mul(d.r, d.r)
	d.q = l.Polynomial(d.r, d.even, f.exp)
	return d
}

// clamp returns x limited to two finite bounds, and NaN where x is NaN.
func (l Lanes) clamp(x reg.VecVirtual, low, high float64) reg.VecVirtual {
	x = l.into(l.forElement(l.ctx.VMINPD, l.ctx.VMINPS), l.Set(high), x)
	return l.into(l.forElement(l.ctx.VMAXPD, l.ctx.VMAXPS), l.Set(low), x)
}

// Exp returns exp(x), subnormal results included.
func (l Lanes) Exp(x reg.VecVirtual) reg.VecVirtual {
	f := l.format()
	return l.expOf(l.reduce(l.clamp(x, f.underflow, f.overflow)))
}

// expOf returns exp(x) for a reduced x.
func (l Lanes) expOf(d reduced) reg.VecVirtual {
	f := l.format()
	y := l.Add(l.FMA(d.even, d.q, d.r), l.Const(1))
	if l.isa == AVX512 {
		return l.into(l.forElement(l.ctx.VSCALEFPD, l.ctx.VSCALEFPS), y, d.n)
	}
	// 2^n is multiplied in as two factors, because 2^n itself may overflow or underflow.
	half := l.FMA(d.n, l.Const(0.5), l.Const(f.integer))
	rest := l.Add(l.Sub(d.n, l.Sub(half, l.Const(f.integer))), l.Const(f.integer))
	return l.Mul(l.Mul(y, l.powerOfTwo(half, 0)), l.powerOfTwo(rest, 0))
}

// Expm1 returns exp(x) - 1, as twice 2^(n-1)·(exp(r) - 1 - r) + (2^(n-1)·r + (2^(n-1) - 1/2)), whose brackets are exact
// wherever digits cancel.
func (l Lanes) Expm1(x reg.VecVirtual) reg.VecVirtual {
	f := l.format()
	d := l.reduce(l.clamp(x, f.saturatedLess, f.overflow))
	return l.Select(l.Abs(x), Less, l.Const(f.epsilon), x, l.expm1Of(d))
}

// expm1Of returns exp(x) - 1 for a reduced x; 2^(n-1) must be a normal number.
func (l Lanes) expm1Of(d reduced) reg.VecVirtual {
	f := l.format()
	low := l.FNMA(d.n, l.Const(f.ln2lo), l.Sub(d.head, d.r)) // the rounding error of r
	rest := l.FMA(d.even, d.q, low)
	var power reg.VecVirtual
	if l.isa == AVX512 {
		power = l.into(l.forElement(l.ctx.VSCALEFPD, l.ctx.VSCALEFPS), l.Set(0.5), d.n)
	} else {
		power = l.powerOfTwo(d.bits, -1)
	}
	y := l.FMA(power, rest, l.FMA(power, d.r, l.Sub(power, l.Const(0.5))))
	return l.Add(y, y)
}
