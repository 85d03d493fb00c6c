package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"likc/compiler/emit/goasm/lane"
)

// vector is a register with one number for each of several trials.
type vector = reg.VecVirtual

// kernel is the state of the function being emitted for one instruction set. The function adds the trials of one bin of a spline to sums.
type kernel struct {
	lane.Lanes
	ctx         *build.Context
	ones        operand.Mem      // address of 64 bytes of ones, which are followed by zeros
	bin, totals reg.Register     // addresses of a bin's numbers and of the sums
	sums        [sumCount]vector // sums, in registers of AVX-512; AVX2 has too few registers and keeps sums in memory
	mask        vector           // mask of the trials in the last, incomplete register; nil if the register is complete
	rt, left    reg.Register     // address of the next trial, and number of the trials that remain
}

// The sums of a kernel, in the order of type totals: first those of a bin, then those of all bins, and at last the exponents.
const (
	sumXi = iota
	sumXiXi
	sumS
	sumD0
	sumD1
	sumY
	sumH
	sumTau
	sumSquares
	sumAlpha
	sumBeta
	sumProduct
	sumExponent
	sumCount
	ofBin = sumTau + 1 // the number of sums of a bin
)

// The numbers of a bin, in the order of type binNumbers.
var numbers = []string{"t", "end", "alpha", "beta", "x", "over", "w", "y", "h", "s", "d0", "d1", "bend", "squareS", "twiceOver"}

// newOnes writes 64 bytes of ones, then 64 of zeros.
func newOnes(ctx *build.Context) operand.Mem {
	ones := ctx.StaticGlobal("ones")
	ctx.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 16 {
		ctx.AddDatum(8*i, operand.I64(-1+int64(i/8)))
	}
	return ones
}

// emit emits the function. It processes whole vectors of trials while all of their trials are in the bin, and then those
// trials of the next vector that are in the bin.
func (k *kernel) emit() {
	c := k.ctx
	c.Function("addBin" + k.ISA().String())
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(bin, totals, rt *float64, n int) (taken int)")
	c.Pragma("noescape")
	k.bin = c.Load(c.Param("bin"), c.GP64())
	k.totals = c.Load(c.Param("totals"), c.GP64())
	k.rt = c.Load(c.Param("rt"), c.GP64())
	k.left = c.Load(c.Param("n"), c.GP64())
	taken, within := c.GP64(), c.GP64()
	c.XORQ(taken, taken)
	tau, mask := k.Vec(), k.Vec()
	k.begin()
	c.Label("vectors")
	c.CMPQ(k.left, operand.U8(k.Width()))
	c.JL(operand.LabelRef("rest"))
	c.VMOVUPD(k.Sub(k.Copy(operand.Mem{Base: k.rt}), k.number("t")), tau)
	k.inBin(tau, mask, within)
	c.CMPQ(within, operand.U32(1<<k.Width()-1))
	c.JNE(operand.LabelRef("some"))
	k.trials(tau)
	c.ADDQ(operand.U8(k.Bytes()), k.rt)
	c.ADDQ(operand.U8(k.Width()), taken)
	c.SUBQ(operand.U8(k.Width()), k.left)
	c.JMP(operand.LabelRef("vectors"))
	c.Label("rest")
	c.TESTQ(k.left, k.left)
	c.JE(operand.LabelRef("done"))
	c.VMOVUPD(k.Sub(k.loadRest(mask), k.number("t")), tau)
	there := k.Copy(mask)
	k.inBin(tau, mask, within)
	c.VANDPD(there, mask, mask)
	k.which(mask, within)
	c.Label("some")
	c.TESTQ(within, within)
	c.JE(operand.LabelRef("done"))
	c.POPCNTQ(within, within)
	c.ADDQ(within, taken)
	k.mask = mask
	k.trials(tau)
	c.Label("done")
	k.end()
	c.Store(taken, c.ReturnIndex(0))
	c.VZEROUPPER()
	c.RET()
}

// inBin sets a mask, and the bits of within, to the trials that come before the bin's end.
func (k *kernel) inBin(tau, mask vector, within reg.GPVirtual) {
	end, before := k.number("end"), operand.U8(1)
	if k.ISA() == lane.AVX512 {
		bits := k.ctx.K()
		k.ctx.VCMPPD(before, end, tau, bits)
		k.ctx.VPMOVM2Q(bits, mask)
	} else {
		k.ctx.VCMPPD(before, end, tau, mask)
	}
	k.which(mask, within)
}

// which sets bits to the lanes of a mask.
func (k *kernel) which(mask vector, bits reg.GPVirtual) {
	k.ctx.XORQ(bits, bits)
	if k.ISA() == lane.AVX512 {
		all := k.ctx.K()
		k.ctx.VPMOVQ2M(mask, all)
		k.ctx.KMOVB(all, bits.As32())
	} else {
		k.ctx.VMOVMSKPD(mask, bits.As32())
	}
}

// loadRest loads the last trials, fewer than a register has lanes, and sets a mask to their lanes.
func (k *kernel) loadRest(mask vector) vector {
	c := k.ctx
	c.NEGQ(k.left)
	start, rt := c.GP64(), k.Vec()
	c.LEAQ(k.ones, start)
	c.VMOVUPD(operand.Mem{Base: start, Index: k.left, Scale: 8, Disp: 64}, mask)
	if k.ISA() == lane.AVX512 {
		which := c.K()
		c.VPMOVQ2M(mask, which)
		c.VMOVUPD_Z(operand.Mem{Base: k.rt}, which, rt)
	} else {
		c.VMASKMOVPD(operand.Mem{Base: k.rt}, mask, rt)
	}
	return rt
}

// number returns a number of the bin in every lane.
func (k *kernel) number(name string) vector {
	for i, n := range numbers {
		if n == name {
			v := k.Vec()
			k.ctx.VBROADCASTSD(operand.Mem{Base: k.bin, Disp: 8 * i}, v)
			return v
		}
	}
	panic("no number " + name)
}

// at returns the address of a sum in memory, which has one number for each lane.
func (k *kernel) at(sum int) operand.Mem { return operand.Mem{Base: k.totals, Disp: 64 * sum} }

// begin emits code that clears the sums of the bin, and loads all other sums.
func (k *kernel) begin() {
	for i := range k.sums {
		switch {
		case k.ISA() == lane.AVX512 && i >= ofBin:
			k.sums[i] = k.Copy(k.at(i))
		case k.ISA() == lane.AVX512:
			k.sums[i] = k.Vec()
			k.ctx.VXORPD(k.sums[i], k.sums[i], k.sums[i])
		case i < ofBin:
			zero := k.Vec()
			k.ctx.VXORPD(zero, zero, zero)
			k.ctx.VMOVUPD(zero, k.at(i))
		}
	}
}

// add emits the addition of x to a sum.
func (k *kernel) add(sum int, x vector) {
	if k.mask != nil {
		x = k.And(x, k.mask)
	}
	if k.ISA() == lane.AVX512 {
		k.ctx.VADDPD(x, k.sums[sum], k.sums[sum])
		return
	}
	k.ctx.VMOVUPD(k.Add(x, k.at(sum)), k.at(sum))
}

// times multiplies the product by factors. The product's mantissa stays between 1 and 2, and its exponents are added up.
func (k *kernel) times(factor vector) {
	if k.mask != nil {
		one := k.Set(1)
		factor = k.Xor(k.And(k.Xor(factor, one), k.mask), one)
	}
	product, exponents := operand.Op(k.at(sumProduct)), operand.Op(k.at(sumExponent))
	if k.ISA() == lane.AVX512 {
		product, exponents = k.sums[sumProduct], k.sums[sumExponent]
	}
	x := k.Mul(factor, product)
	exponent, sum := k.Vec(), k.Vec()
	k.ctx.VPSRLQ(operand.U8(52), x, exponent)
	k.ctx.VPADDQ(exponents, exponent, sum)
	k.ctx.VPSUBQ(k.Copy(k.Bits(1023)), sum, sum)
	x = k.Or(k.And(x, k.Bits(1<<52-1)), k.Const(1))
	k.ctx.VMOVUPD(x, product)
	k.ctx.VMOVUPD(sum, exponents)
}

// end emits code that stores the sums. Sums of the bin are first added up over lanes.
func (k *kernel) end() {
	var all [ofBin]vector
	for i := range k.sums {
		switch {
		case k.ISA() == lane.AVX512 && i >= ofBin:
			k.ctx.VMOVUPD(k.sums[i], k.at(i))
		case k.ISA() == lane.AVX512:
			high, low := k.ctx.YMM(), k.sums[i].AsY()
			k.ctx.VEXTRACTF64X4(operand.Imm(1), k.sums[i], high)
			all[i] = k.ctx.YMM()
			k.ctx.VADDPD(high, low, all[i])
		case i < ofBin:
			all[i] = k.Copy(k.at(i))
		}
	}
	for i := 0; i < ofBin; i += 4 {
		k.ctx.VMOVUPD(k.acrossLanes(all[i:i+4]), operand.Mem{Base: k.totals, Disp: 8 * i})
	}
}

// acrossLanes emits the sums of the four lanes of each of four registers, and returns them in one register.
func (k *kernel) acrossLanes(x []vector) vector {
	c := k.ctx
	first, second, low, high := c.YMM(), c.YMM(), c.YMM(), c.YMM()
	c.VHADDPD(x[1], x[0], first)
	c.VHADDPD(x[3], x[2], second)
	c.VPERM2F128(operand.U8(0x20), second, first, low)
	c.VPERM2F128(operand.U8(0x31), second, first, high)
	c.VADDPD(high, low, low)
	return low
}
