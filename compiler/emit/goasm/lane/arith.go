package lane

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// In all operations of this file with operand.Op parameters, the last operand may be memory, such as a Const.

// Add returns x + y.
func (l Lanes) Add(x, y operand.Op) reg.VecVirtual {
	return l.into(l.forElement(l.ctx.VADDPD, l.ctx.VADDPS), x, y)
}

// Sub returns x - y.
func (l Lanes) Sub(x, y operand.Op) reg.VecVirtual {
	return l.into(l.forElement(l.ctx.VSUBPD, l.ctx.VSUBPS), x, y)
}

// Mul returns x·y.
func (l Lanes) Mul(x, y operand.Op) reg.VecVirtual {
	return l.into(l.forElement(l.ctx.VMULPD, l.ctx.VMULPS), x, y)
}

// Div returns x/y, correctly rounded.
func (l Lanes) Div(x, y operand.Op) reg.VecVirtual {
	return l.into(l.forElement(l.ctx.VDIVPD, l.ctx.VDIVPS), x, y)
}

// Sqrt returns √x, correctly rounded.
func (l Lanes) Sqrt(x operand.Op) reg.VecVirtual {
	return l.into(l.forElement(l.ctx.VSQRTPD, l.ctx.VSQRTPS), x)
}

// And returns x & y.
func (l Lanes) And(x, y operand.Op) reg.VecVirtual {
	return l.into(l.forElement(l.ctx.VANDPD, l.ctx.VANDPS), x, y)
}

// Or returns x | y.
func (l Lanes) Or(x, y operand.Op) reg.VecVirtual {
	return l.into(l.forElement(l.ctx.VORPD, l.ctx.VORPS), x, y)
}

// Xor returns x ^ y.
func (l Lanes) Xor(x, y operand.Op) reg.VecVirtual {
	return l.into(l.forElement(l.ctx.VXORPD, l.ctx.VXORPS), x, y)
}

// signBit returns the bits of -0.
func (l Lanes) signBit() uint64 { return 1 << (8*uint(l.element) - 1) }

// Abs returns |x|.
func (l Lanes) Abs(x operand.Op) reg.VecVirtual { return l.And(x, l.Bits(l.signBit()-1)) }

// Neg returns -x: it flips the sign bit, also of zeros and NaN.
func (l Lanes) Neg(x operand.Op) reg.VecVirtual { return l.Xor(x, l.Bits(l.signBit())) }

// FMA returns x·y + z, rounded once; y may be memory.
func (l Lanes) FMA(x, y, z operand.Op) reg.VecVirtual {
	dst := l.Copy(z)
	l.forElement(l.ctx.VFMADD231PD, l.ctx.VFMADD231PS)(y, x, dst)
	return dst
}

// FNMA returns z - x·y, rounded once; y may be memory.
func (l Lanes) FNMA(x, y, z operand.Op) reg.VecVirtual {
	dst := l.Copy(z)
	l.forElement(l.ctx.VFNMADD231PD, l.ctx.VFNMADD231PS)(y, x, dst)
	return dst
}

// Polynomial returns Σ c[i]·x^i, given x and x². It sums even and odd powers in two independent chains, which the processor
// runs in parallel.
func (l Lanes) Polynomial(x, square reg.VecVirtual, c []float64) reg.VecVirtual {
	var even, odd []float64
	for i, v := range c {
		if i%2 == 0 {
			even = append(even, v)
		} else {
			odd = append(odd, v)
		}
	}
	return l.FMA(x, l.Horner(square, odd), l.Horner(square, even))
}

// Horner returns Σ c[i]·x^i.
func (l Lanes) Horner(x reg.VecVirtual, c []float64) reg.VecVirtual {
	sum := l.Set(c[len(c)-1])
	for i := len(c) - 2; i >= 0; i-- {
		l.forElement(l.ctx.VFMADD213PD, l.ctx.VFMADD213PS)(l.Const(c[i]), x, sum)
	}
	return sum
}

// ReciprocalNormal returns 1/x where both x and 1/x are normal: elsewhere, at zeros and infinities too, it may be NaN.
// It is within 1 ulp on AVX-512, whatever the processor (VRCP14 is documented to 2^-14), and correctly rounded on AVX2.
func (l Lanes) ReciprocalNormal(x reg.VecVirtual) reg.VecVirtual {
	if l.isa == AVX2 {
		return l.Div(l.Set(1), x)
	}
	return l.newton(x, l.into(l.forElement(l.ctx.VRCP14PD, l.ctx.VRCP14PS), x))
}

// quotientNormal returns x/y where both y and 1/y are normal.
func (l Lanes) quotientNormal(x, y reg.VecVirtual) reg.VecVirtual {
	if l.isa == AVX2 {
		return l.Div(x, y)
	}
	return l.Mul(x, l.ReciprocalNormal(y))
}

// newton returns 1/x to full precision, given y, which is 1/x to 14 bits, by Newton's method.
func (l Lanes) newton(x, y reg.VecVirtual) reg.VecVirtual {
	one := l.Set(1)
	for range l.format().newton {
		y = l.FMA(l.FNMA(x, y, one), y, y)
	}
	return y
}
