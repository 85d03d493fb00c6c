package lane

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// In all of these the last operand may be memory, such as a Const.

// Add is x + y.
func (l Lanes) Add(x, y operand.Op) reg.VecVirtual {
	return l.into(l.by(build.VADDPD, build.VADDPS), x, y)
}

// Sub is x - y.
func (l Lanes) Sub(x, y operand.Op) reg.VecVirtual {
	return l.into(l.by(build.VSUBPD, build.VSUBPS), x, y)
}

// Mul is x·y.
func (l Lanes) Mul(x, y operand.Op) reg.VecVirtual {
	return l.into(l.by(build.VMULPD, build.VMULPS), x, y)
}

// Div is x/y, correctly rounded.
func (l Lanes) Div(x, y operand.Op) reg.VecVirtual {
	return l.into(l.by(build.VDIVPD, build.VDIVPS), x, y)
}

// Sqrt is √x, correctly rounded.
func (l Lanes) Sqrt(x operand.Op) reg.VecVirtual {
	return l.into(l.by(build.VSQRTPD, build.VSQRTPS), x)
}

// And is x & y, bit by bit; Or, Xor and AndNot (x &^ y) likewise.
func (l Lanes) And(x, y operand.Op) reg.VecVirtual {
	return l.into(l.by(build.VANDPD, build.VANDPS), x, y)
}

// Or is x | y.
func (l Lanes) Or(x, y operand.Op) reg.VecVirtual {
	return l.into(l.by(build.VORPD, build.VORPS), x, y)
}

// Xor is x ^ y.
func (l Lanes) Xor(x, y operand.Op) reg.VecVirtual {
	return l.into(l.by(build.VXORPD, build.VXORPS), x, y)
}

// signBit is the bits of -0.
func (l Lanes) signBit() uint64 { return 1 << (8*uint(l.element) - 1) }

// Abs is |x|.
func (l Lanes) Abs(x operand.Op) reg.VecVirtual { return l.And(x, l.Bits(l.signBit()-1)) }

// Neg is -x, of zeros and NaN too.
func (l Lanes) Neg(x operand.Op) reg.VecVirtual { return l.Xor(x, l.Bits(l.signBit())) }

// FMA is x·y + z, rounded once; y may be memory.
func (l Lanes) FMA(x, y, z operand.Op) reg.VecVirtual {
	dst := l.Copy(z)
	l.by(build.VFMADD231PD, build.VFMADD231PS)(y, x, dst)
	return dst
}

// FNMA is z - x·y, rounded once; y may be memory.
func (l Lanes) FNMA(x, y, z operand.Op) reg.VecVirtual {
	dst := l.Copy(z)
	l.by(build.VFNMADD231PD, build.VFNMADD231PS)(y, x, dst)
	return dst
}

// Horner is Σ c[i]·x^i.
func (l Lanes) Horner(x reg.VecVirtual, c []float64) reg.VecVirtual {
	sum := l.Set(c[len(c)-1])
	for i := len(c) - 2; i >= 0; i-- {
		l.by(build.VFMADD213PD, build.VFMADD213PS)(l.Const(c[i]), x, sum)
	}
	return sum
}
