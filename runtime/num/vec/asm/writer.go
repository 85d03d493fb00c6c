//go:build ignore

package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"likc/compiler/emit/goasm/lane"
)

// writer emits kernels for one instruction set and one type of elements.
type writer struct {
	lane.Lanes
	ctx     *build.Context
	element lane.Element
}

// begin emits the declaration of a kernel.
func (w writer) begin(name, signature string) {
	w.ctx.Function(name)
	w.ctx.Attributes(attr.NOSPLIT)
	w.ctx.SignatureExpr(signature)
	w.ctx.Pragma("noescape")
}

// loop holds the operands of the kernel being emitted: the addresses of its columns, the byte offset of the
// current element, and the number of remaining elements.
type loop struct {
	dst    operand.Mem
	source []operand.Mem
	offset reg.GPVirtual
	left   reg.Register
	fixed  []reg.VecVirtual // broadcast scalars
}

func (w writer) mapping(m mapping) {
	base := m.base(w.element)
	w.begin(base+w.ISA().String(), "func"+m.signature(w.element))
	p := loop{offset: w.ctx.GP64()}
	w.ctx.XORQ(p.offset, p.offset)
	p.dst = w.column(p, "dst")
	for _, name := range m.arguments() {
		p.source = append(p.source, w.column(p, name))
	}
	p.left = w.ctx.Load(w.ctx.Param("dst").Len(), w.ctx.GP64())
	if m.scalar {
		p.fixed = append(p.fixed, w.broadcast("c"))
	}
	if m.unroll > 1 {
		w.repeat(p, m, "block", m.unroll, "vectors")
	} else {
		w.ctx.Label("block")
	}
	w.repeat(p, m, "vectors", 1, "tail")
	w.ctx.Label("tail")
	w.ctx.TESTQ(p.left, p.left)
	w.ctx.JE(operand.LabelRef("done"))
	mask := w.tailMask(p.left)
	var in []reg.VecVirtual
	for _, s := range p.source {
		in = append(in, w.loadMasked(s, mask))
	}
	w.storeMasked(m.lanes(w.Lanes, append(in, p.fixed...)), mask, p.dst)
	w.ctx.Label("done")
	w.ctx.VZEROUPPER()
	w.ctx.RET()
}

// column returns the address of the current element of a column, which is the kernel's parameter `name`.
func (w writer) column(p loop, name string) operand.Mem {
	base := w.ctx.Load(w.ctx.Param(name).Base(), w.ctx.GP64())
	return operand.Mem{Base: base, Index: p.offset, Scale: 1}
}

// repeat emits a loop that handles n registers in each turn. It jumps to next when fewer elements remain.
func (w writer) repeat(p loop, m mapping, label string, n int, next string) {
	w.ctx.Label(label)
	w.ctx.CMPQ(p.left, operand.U32(n*w.Width()))
	w.ctx.JL(operand.LabelRef(next))
	for i := range n {
		var in []reg.VecVirtual
		for _, s := range p.source {
			in = append(in, w.Copy(s.Offset(i*w.Bytes())))
		}
		w.store(m.lanes(w.Lanes, append(in, p.fixed...)), p.dst.Offset(i*w.Bytes()))
	}
	w.ctx.ADDQ(operand.U32(n*w.Bytes()), p.offset)
	w.ctx.SUBQ(operand.U32(n*w.Width()), p.left)
	w.ctx.JMP(operand.LabelRef(label))
}

func (w writer) store(v reg.VecVirtual, to operand.Mem) {
	if w.element == lane.Float32 {
		w.ctx.VMOVUPS(v, to)
	} else {
		w.ctx.VMOVUPD(v, to)
	}
}

func (w writer) broadcast(name string) reg.VecVirtual {
	x, v := w.ctx.XMM(), w.Vec()
	w.ctx.Load(w.ctx.Param(name), x)
	if w.element == lane.Float32 {
		w.ctx.VBROADCASTSS(x, v)
	} else {
		w.ctx.VBROADCASTSD(x, v)
	}
	return v
}

// tailMask emits a mask that selects the first `left` lanes, 0 < left < Width.
func (w writer) tailMask(left reg.Register) reg.Register {
	if w.ISA() == lane.AVX512 {
		ones, mask := w.ctx.GP64(), w.ctx.K()
		w.ctx.MOVQ(operand.I32(-1), ones)
		w.ctx.BZHIQ(left, ones, ones)
		w.ctx.KMOVW(ones.As32(), mask)
		return mask
	}
	start := w.ctx.GP64()
	w.ctx.LEAQ(w.tailOnes(), start)
	w.ctx.NEGQ(left)
	size := int(w.element)
	if w.Width()*size == 16 { // four float32 that are converted to float64
		mask := w.ctx.XMM()
		w.ctx.VMOVUPD(operand.Mem{Base: start, Index: left, Scale: uint8(size), Disp: 32}, mask)
		return mask
	}
	mask := w.ctx.YMM()
	w.ctx.VMOVUPD(operand.Mem{Base: start, Index: left, Scale: uint8(size), Disp: 32}, mask)
	return mask
}

var ones operand.Mem

// tailOnes returns the address of 32 bytes with all bits set, followed by 32 zero bytes.
func (w writer) tailOnes() operand.Mem {
	if ones.Symbol.Name == "" {
		ones = w.ctx.StaticGlobal("tail_ones")
		w.ctx.DataAttributes(attr.RODATA | attr.NOPTR)
		for i := range 8 {
			w.ctx.AddDatum(8*i, operand.I64(-1+int64(i/4)))
		}
	}
	return ones
}

func (w writer) loadMasked(from operand.Mem, mask reg.Register) reg.VecVirtual {
	v := w.Vec()
	switch {
	case w.ISA() == lane.AVX512 && w.element == lane.Float32:
		w.ctx.VMOVUPS_Z(from, mask, v)
	case w.ISA() == lane.AVX512:
		w.ctx.VMOVUPD_Z(from, mask, v)
	case w.element == lane.Float32:
		w.ctx.VMASKMOVPS(from, mask, v)
	default:
		w.ctx.VMASKMOVPD(from, mask, v)
	}
	return v
}

func (w writer) storeMasked(v reg.VecVirtual, mask reg.Register, to operand.Mem) {
	switch {
	case w.ISA() == lane.AVX512 && w.element == lane.Float32:
		w.ctx.VMOVUPS(v, mask, to)
	case w.ISA() == lane.AVX512:
		w.ctx.VMOVUPD(v, mask, to)
	case w.element == lane.Float32:
		w.ctx.VMASKMOVPS(v, mask, to)
	default:
		w.ctx.VMASKMOVPD(v, mask, to)
	}
}
