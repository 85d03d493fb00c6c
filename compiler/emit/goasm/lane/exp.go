package lane

import (
	"math"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

// reduced is x = n·ln2 + r, |r| ≤ ln2/2, after Cody & Waite.
type reduced struct {
	n    reg.VecVirtual // as a number
	bits reg.VecVirtual // as an integer in the low bits
	head reg.VecVirtual // x - n·ln2hi, exact
	r    reg.VecVirtual
	even reg.VecVirtual // r²
	q    reg.VecVirtual // (exp(r) - 1 - r)/r²
}

func (l Lanes) reduce(x reg.VecVirtual) reduced {
	f := l.format()
	var d reduced
	d.bits = l.FMA(x, l.Const(math.Log2E), l.Const(f.integer))
	d.n = l.Sub(d.bits, l.Const(f.integer))
	d.head = l.FNMA(d.n, l.Const(f.ln2hi), x)
	d.r = l.FNMA(d.n, l.Const(f.ln2lo), d.head)
	d.even = l.Mul(d.r, d.r)
	d.q = l.Horner(d.r, f.exp)
	return d
}

// clamp is x between two finite bounds, and NaN where x is.
func (l Lanes) clamp(x reg.VecVirtual, low, high float64) reg.VecVirtual {
	x = l.into(l.by(build.VMINPD, build.VMINPS), l.Set(high), x)
	return l.into(l.by(build.VMAXPD, build.VMAXPS), l.Set(low), x)
}

// Exp is exp(x), subnormal results included.
func (l Lanes) Exp(x reg.VecVirtual) reg.VecVirtual {
	f := l.format()
	d := l.reduce(l.clamp(x, f.underflow, f.overflow))
	y := l.Add(l.FMA(d.even, d.q, d.r), l.Const(1))
	if l.isa == AVX512 {
		return l.into(l.by(build.VSCALEFPD, build.VSCALEFPS), y, d.n)
	}
	// 2^n in two factors, for n may be past either end of the exponents.
	half := l.FMA(d.n, l.Const(0.5), l.Const(f.integer))
	rest := l.Add(l.Sub(d.n, l.Sub(half, l.Const(f.integer))), l.Const(f.integer))
	return l.Mul(l.Mul(y, l.powerOfTwo(half, 0)), l.powerOfTwo(rest, 0))
}

// Expm1 is exp(x) - 1, as 2·(2^(n-1)·(exp(r) - 1) + (2^(n-1) - 1/2)), whose
// last bracket is exact wherever the digits matter.
func (l Lanes) Expm1(x reg.VecVirtual) reg.VecVirtual {
	f := l.format()
	d := l.reduce(l.clamp(x, f.saturatedLess, f.overflow))
	low := l.FNMA(d.n, l.Const(f.ln2lo), l.Sub(d.head, d.r))
	p := l.Add(d.r, l.FMA(d.even, d.q, low))
	var power reg.VecVirtual
	if l.isa == AVX512 {
		power = l.into(l.by(build.VSCALEFPD, build.VSCALEFPS), l.Set(0.5), d.n)
	} else {
		power = l.powerOfTwo(d.bits, -1)
	}
	y := l.FMA(power, p, l.Sub(power, l.Const(0.5)))
	return l.Select(l.Abs(x), Less, l.Const(f.epsilon), x, l.Add(y, y))
}
