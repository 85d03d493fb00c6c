//go:build ignore

package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"likc/compiler/emit/goasm/lane"
)

// writer writes kernels for one instruction set and element.
type writer struct {
	lane.Lanes
	element lane.Element
}

// loop is the state of the kernel being written: where its columns are, the
// byte offset reached, and the elements left.
type loop struct {
	dst    operand.Mem
	source []operand.Mem
	offset reg.GPVirtual
	left   reg.Register
	fixed  []reg.VecVirtual // broadcast scalars
}

func (w writer) mapping(m mapping) {
	base := m.base(w.element)
	build.TEXT(base+w.ISA().String(), attr.NOSPLIT, "func"+m.signature(w.element))
	build.Pragma("noescape")
	build.Doc(fmt.Sprintf("%s%s does what %sPortable does.", base, w.ISA(), m.name))
	p := loop{offset: build.GP64()}
	build.XORQ(p.offset, p.offset)
	p.dst = p.column("dst")
	for _, name := range m.arguments() {
		p.source = append(p.source, p.column(name))
	}
	p.left = build.Load(build.Param("dst").Len(), build.GP64())
	if m.scalar {
		p.fixed = append(p.fixed, w.broadcast("c"))
	}
	if m.unroll > 1 {
		w.repeat(p, m, "block", m.unroll, "vectors")
	} else {
		build.Label("block")
	}
	w.repeat(p, m, "vectors", 1, "tail")
	build.Label("tail")
	build.TESTQ(p.left, p.left)
	build.JE(operand.LabelRef("done"))
	mask := w.tailMask(p.left)
	var in []reg.VecVirtual
	for _, s := range p.source {
		in = append(in, w.loadMasked(s, mask))
	}
	w.storeMasked(m.lanes(w.Lanes, append(in, p.fixed...)), mask, p.dst)
	build.Label("done")
	build.VZEROUPPER()
	build.RET()
}

// column is the element of a parameter at the loop's offset.
func (p loop) column(name string) operand.Mem {
	base := build.Load(build.Param(name).Base(), build.GP64())
	return operand.Mem{Base: base, Index: p.offset, Scale: 1}
}

// repeat writes a loop of n registers a turn, left when fewer elements remain.
func (w writer) repeat(p loop, m mapping, label string, n int, next string) {
	build.Label(label)
	build.CMPQ(p.left, operand.U32(n*w.Width()))
	build.JL(operand.LabelRef(next))
	for i := range n {
		var in []reg.VecVirtual
		for _, s := range p.source {
			in = append(in, w.Copy(s.Offset(i*w.Bytes())))
		}
		w.store(m.lanes(w.Lanes, append(in, p.fixed...)), p.dst.Offset(i*w.Bytes()))
	}
	build.ADDQ(operand.U32(n*w.Bytes()), p.offset)
	build.SUBQ(operand.U32(n*w.Width()), p.left)
	build.JMP(operand.LabelRef(label))
}

func (w writer) store(v reg.VecVirtual, to operand.Mem) {
	if w.element == lane.Float32 {
		build.VMOVUPS(v, to)
	} else {
		build.VMOVUPD(v, to)
	}
}

func (w writer) broadcast(name string) reg.VecVirtual {
	x, v := build.XMM(), w.Vec()
	build.Load(build.Param(name), x)
	if w.element == lane.Float32 {
		build.VBROADCASTSS(x, v)
	} else {
		build.VBROADCASTSD(x, v)
	}
	return v
}

// tailMask selects the first left lanes, 0 < left < Width.
func (w writer) tailMask(left reg.Register) reg.Register {
	if w.ISA() == lane.AVX512 {
		ones, mask := build.GP64(), build.K()
		build.MOVQ(operand.I32(-1), ones)
		build.BZHIQ(left, ones, ones)
		build.KMOVW(ones.As32(), mask)
		return mask
	}
	start := build.GP64()
	build.LEAQ(tailOnes(), start)
	build.NEGQ(left)
	mask := build.YMM()
	size := int(w.element)
	build.VMOVUPD(operand.Mem{Base: start, Index: left, Scale: uint8(size), Disp: 32}, mask)
	return mask
}

var ones operand.Mem

// tailOnes is 32 bytes of ones, then 32 of zeros.
func tailOnes() operand.Mem {
	if ones.Symbol.Name == "" {
		ones = build.GLOBL("tail_ones", attr.RODATA|attr.NOPTR)
		for i := range 8 {
			build.DATA(8*i, operand.I64(-1+int64(i/4)))
		}
	}
	return ones
}

func (w writer) loadMasked(from operand.Mem, mask reg.Register) reg.VecVirtual {
	v := w.Vec()
	switch {
	case w.ISA() == lane.AVX512 && w.element == lane.Float32:
		build.VMOVUPS_Z(from, mask, v)
	case w.ISA() == lane.AVX512:
		build.VMOVUPD_Z(from, mask, v)
	case w.element == lane.Float32:
		build.VMASKMOVPS(from, mask, v)
	default:
		build.VMASKMOVPD(from, mask, v)
	}
	return v
}

func (w writer) storeMasked(v reg.VecVirtual, mask reg.Register, to operand.Mem) {
	switch {
	case w.ISA() == lane.AVX512 && w.element == lane.Float32:
		build.VMOVUPS(v, mask, to)
	case w.ISA() == lane.AVX512:
		build.VMOVUPD(v, mask, to)
	case w.element == lane.Float32:
		build.VMASKMOVPS(v, mask, to)
	default:
		build.VMASKMOVPD(v, mask, to)
	}
}
