package lane

import (
	"github.com/mmcloughlin/avo/reg"
)

// erfSmall holds the coefficients of erf(x)/x - 1 as a polynomial in x², for |x| ≤ 1; the relative error of erf is 2^-55.6.
// erfLarge holds those of exp(x²)·erfc(x) as a polynomial in (x-3)/(x+3), for 1 ≤ x ≤ 6; the relative error of erf is 2^-59.5.
var (
	erfSmall = []float64{
		0x1.06eba8214db69p-3, -0x1.812746b0379e6p-2, 0x1.ce2f21a042b30p-4, -0x1.b82ce31284e00p-6,
		0x1.565bcd0dbaa32p-8, -0x1.c02db3dac4242p-11, 0x1.f9a321d5b6c3bp-14, -0x1.f4d1e31815133p-17,
		0x1.b9df224a6febap-20, -0x1.5f1ecb5baab1dp-23, 0x1.f7b4be6409894p-27, -0x1.389d4c79a6005p-30,
		0x1.05ffcfc85ce5ep-34,
	}
	erfLarge = []float64{
		0x1.6e9827d229d2dp-3, -0x1.4e102b9cf8513p-2, 0x1.f6ff204105976p-3, -0x1.336ffbef08b18p-3,
		0x1.258b13b01792ap-4, -0x1.8fa58eb5e1e52p-6, 0x1.17c838eec9857p-8, 0x1.73101ea202b63p-11,
		-0x1.39084c8173a65p-11, 0x1.7ba0cdb11d254p-15, 0x1.0cac3a795305ap-14, -0x1.af7ce264bc184p-17,
		-0x1.0baff07c91d1bp-17, 0x1.1b856278f15fap-19, 0x1.4e7508ca2f5a9p-20, -0x1.20e15c3479538p-22,
		-0x1.b4e9ef2aaa8f3p-23,
	}
)

// Erf returns erf(x) for lanes of float64. It is x + x·P(x²) for |x| ≤ 1, with the polynomial P of erfSmall. For larger x it is
// 1 - exp(-x²)·Q((x-3)/(x+3)), with Q of erfLarge.
func (l Lanes) Erf(x reg.VecVirtual) reg.VecVirtual {
	square := l.Mul(x, x)
	small := l.FMA(x, l.Polynomial(square, l.Mul(square, square), erfSmall), x)
	size := l.clamp(l.Abs(x), 0, 6)
	t := l.Div(l.Sub(size, l.Const(3)), l.Add(size, l.Const(3)))
	tail := l.Polynomial(t, l.Mul(t, t), erfLarge)
	large := l.FNMA(l.Exp(l.Neg(l.Mul(size, size))), tail, l.Set(1))
	sign := l.And(x, l.Bits(l.signBit()))
	return l.Select(l.Abs(x), Less, l.Const(1), small, l.Or(large, sign))
}
