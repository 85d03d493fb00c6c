package lane

import (
	"math"

	"github.com/mmcloughlin/avo/reg"
)

// sinPart holds the coefficients of (sin(r)/r - 1)/r², and cosPart those of (cos(r) - 1 + r²/2)/r⁴, as polynomials in r², on |r| ≤ π/4 + 2^-8.
// The relative errors of sin and cos are 2^-55.3 and 2^-59.5.
var (
	sinPart = []float64{-0x1.5555555555555p-3, 0x1.1111111110b6cp-7, -0x1.a01a019e733e5p-13, 0x1.71de378158cd9p-19,
		-0x1.ae5ff50942d87p-26, 0x1.5e0339914743cp-33}
	cosPart = []float64{0x1.5555555555555p-5, -0x1.6c16c16c16944p-10, 0x1.a01a019f4677dp-16, -0x1.27e4fa0d3edf7p-22,
		0x1.1eeb5de9da3bap-29, -0x1.9075c11574920p-37}
)

// farthest is the largest argument whose sine and cosine are computed. Its neighbours lie 1/128 of a radian away, so that the sine of a rounded
// number beyond it says nothing. There, the functions have the values that they have at farthest.
const farthest = 1 << 45

// turned holds a number x as n·π/2 + r, with |r| ≤ π/4 and an integer n, for lanes of float64.
type turned struct {
	bits reg.VecVirtual // n as an integer in the low bits
	sin  reg.VecVirtual // sin(r)
	cos  reg.VecVirtual // cos(r)
}

// turn returns x as n·π/2 + r. With three parts of π/2 and fused multiplications, r has no larger relative error than a rounding, except for a few
// x beyond 2^30.
func (l Lanes) turn(x reg.VecVirtual) turned {
	f := l.format()
	x = l.clamp(x, -farthest, farthest)
	var d turned
	d.bits = l.FMA(x, l.Const(2/math.Pi), l.Const(f.integer))
	n := l.Sub(d.bits, l.Const(f.integer))
	first := l.FNMA(n, l.Const(0x1.921fb54442d18p+0), x) // exact
	r := l.FNMA(n, l.Const(0x1.1a62633145c07p-54), first)
	low := l.FNMA(n, l.Const(0x1.1a62633145c07p-54), l.Sub(first, r))
	low = l.FNMA(n, l.Const(-0x1.f1976b7ed8fbcp-110), low)

	square := l.Mul(r, r)
	fourth := l.Mul(square, square)
	d.sin = l.Add(r, l.FMA(l.Mul(r, square), l.Polynomial(square, fourth, sinPart), low))
	half := l.Mul(square, l.Const(0.5))
	head := l.Sub(l.Set(1), half)
	lost := l.Sub(l.Sub(l.Set(1), head), half)
	d.cos = l.Add(head, l.FMA(fourth, l.Polynomial(square, fourth, cosPart), l.FNMA(r, low, lost)))
	return d
}

// at returns the sine of n·π/2 + r, for n held in the low bits of t, as adding format.integer left it. It is NaN where x·0 is NaN.
func (l Lanes) at(t reg.VecVirtual, d turned, x reg.VecVirtual) reg.VecVirtual {
	odd := l.Or(l.shiftLeft(t, 63), l.Const(1)) // -1 where n is odd
	y := l.Select(odd, Less, l.Const(0), d.cos, d.sin)
	y = l.Xor(y, l.And(l.shiftLeft(t, 62), l.Bits(l.signBit())))
	return l.FMA(x, l.Const(0), y)
}

// Sin returns sin(x), and the sine of ±2^45 beyond these.
func (l Lanes) Sin(x reg.VecVirtual) reg.VecVirtual {
	d := l.turn(x)
	return l.Select(l.Abs(x), Less, l.Const(0x1p-27), x, l.at(d.bits, d, x))
}

// Cos returns cos(x), and the cosine of 2^45 beyond it.
func (l Lanes) Cos(x reg.VecVirtual) reg.VecVirtual {
	d := l.turn(x)
	return l.at(l.addInts(d.bits, l.Bits(1)), d, x)
}

// SinAndCos returns sin(x) and cos(x).
func (l Lanes) SinAndCos(x reg.VecVirtual) (sin, cos reg.VecVirtual) {
	d := l.turn(x)
	cos = l.at(l.addInts(d.bits, l.Bits(1)), d, x)
	return l.Select(l.Abs(x), Less, l.Const(0x1p-27), x, l.at(d.bits, d, x)), cos
}
