package lane

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// format holds the constants of exp and log for one type of floating-point
// number. Polynomials are near-minimax (Chebyshev interpolation at 60 digits,
// then rounded).
type format struct {
	mantissa      uint // explicit bits
	bias          int
	integer       float64   // 1.5·2^mantissa: adding it leaves an integer in the low bits
	ln2hi, ln2lo  float64   // both positive; ln2hi·n is exact for every exponent n
	overflow      float64   // exp(x) is +Inf for x at and above overflow
	underflow     float64   // exp(x) is 0 for x at and below underflow
	smallest      float64   // the smallest positive normal number
	lift          int       // subnormal numbers times 2^lift are normal
	exp           []float64 // coefficients of the polynomial in exp, lowest power first
	log           []float64 // coefficients of the polynomial in log, lowest power first
	newton        int       // Newton steps from a 14-bit reciprocal to full precision
	epsilon       float64   // expm1(x) and log1p(x) are x where |x| is below epsilon
	saturatedLess float64   // expm1(x) is -1 for x at and below saturatedLess
}

var formats = map[Element]format{
	Float64: {
		mantissa: 52, bias: 1023, integer: 0x1.8p52,
		ln2hi: 0x1.62e42fee00000p-1, ln2lo: 0x1.a39ef35793c76p-33,
		overflow: 710, underflow: -746, smallest: 0x1p-1022, lift: 54,
		// (exp(r) - 1 - r)/r² on |r| ≤ ln2/2; relative error of exp(r): 2^-61.4
		exp: []float64{0x1p-1, 0x1.5555555555557p-3, 0x1.5555555555556p-5, 0x1.11111111100d7p-7,
			0x1.6c16c16c162d1p-10, 0x1.a01a01abea9bap-13, 0x1.a01a01a6da084p-16, 0x1.71de02294b1fbp-19,
			0x1.27e4db5fae4a0p-22, 0x1.af4dfabdcee56p-26, 0x1.1f730d24fd4ebp-29},
		// (log((1+s)/(1-s))/s - 2)/s² as a polynomial in s², on |s| ≤ 1/5; relative error of the logarithm: 2^-60.2
		log: []float64{0x1.5555555555555p-1, 0x1.9999999999f19p-2, 0x1.24924923de29ap-2, 0x1.c71c72dfb2361p-3,
			0x1.745cac28195bcp-3, 0x1.3b29d49a09c4cp-3, 0x1.0e8c00538624dp-3, 0x1.169ec9ef71d9ep-3},
		newton: 2, epsilon: 0x1p-54, saturatedLess: -60,
	},
	Float32: {
		mantissa: 23, bias: 127, integer: 0x1.8p23,
		ln2hi: 0x1.62e4p-1, ln2lo: 0x1.7f7d1cp-20,
		overflow: 89, underflow: -104, smallest: 0x1p-126, lift: 25,
		// the same two functions, with relative errors of 2^-30.3 and 2^-31.0
		exp:    []float64{0x1p-1, 0x1.555556p-3, 0x1.5554e8p-5, 0x1.1110e0p-7, 0x1.6d433ap-10, 0x1.a12506p-13},
		log:    []float64{0x1.555556p-1, 0x1.999a6ap-2, 0x1.242cd4p-2, 0x1.e65a86p-3},
		newton: 1, epsilon: 0x1p-25, saturatedLess: -30,
	},
}

func (l Lanes) format() format { return formats[l.element] }

// infinity returns the operand of a constant in memory: +Inf for sign ≥ 0, else -Inf.
func (l Lanes) infinity(sign int) operand.Mem { return l.Const(math.Inf(sign)) }

// nan returns the operand of a NaN in memory.
func (l Lanes) nan() operand.Mem { return l.Const(math.NaN()) }

// addInts, subInts, shiftLeft and shiftRight treat the lanes as unsigned
// integers.
func (l Lanes) addInts(x, y operand.Op) reg.VecVirtual {
	return l.into(l.forElement(l.ctx.VPADDQ, l.ctx.VPADDD), x, y)
}

func (l Lanes) subInts(x, y operand.Op) reg.VecVirtual {
	return l.into(l.forElement(l.ctx.VPSUBQ, l.ctx.VPSUBD), x, y)
}

func (l Lanes) shiftLeft(x operand.Op, bits uint) reg.VecVirtual {
	return l.into(l.forElement(l.ctx.VPSLLQ, l.ctx.VPSLLD), x, operand.Imm(uint64(bits)))
}

func (l Lanes) shiftRight(x operand.Op, bits uint) reg.VecVirtual {
	return l.into(l.forElement(l.ctx.VPSRLQ, l.ctx.VPSRLD), x, operand.Imm(uint64(bits)))
}

// powerOfTwo returns 2^(n+offset) for n held in the low bits of t, as adding format.integer left it; the result must be
// normal.
func (l Lanes) powerOfTwo(t operand.Op, offset int) reg.VecVirtual {
	f := l.format()
	return l.shiftLeft(l.addInts(t, l.Bits(uint64(f.bias+offset))), f.mantissa)
}
