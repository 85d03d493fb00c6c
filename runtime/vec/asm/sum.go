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

// partials is the number of partial sums: element i goes to partial i%32, on
// every instruction set, so that all give the same bits.
const partials = 32

func (w writer) sum() {
	build.TEXT("sum"+w.ISA().String(), attr.NOSPLIT, "func(x []float64) float64")
	build.Pragma("noescape")
	build.Doc(fmt.Sprintf("sum%s does what sumPortable does, to the bit.", w.ISA()))
	p := loop{offset: build.GP64()}
	build.XORQ(p.offset, p.offset)
	x := p.column("x")
	left := build.Load(build.Param("x").Len(), build.GP64())
	acc := make([]reg.VecVirtual, partials/w.Width())
	for i := range acc {
		acc[i] = w.Vec()
		build.VXORPD(acc[i], acc[i], acc[i])
	}
	build.Label("block")
	build.CMPQ(left, operand.U32(partials))
	build.JL(operand.LabelRef("rest0"))
	for i := range acc {
		build.VADDPD(x.Offset(i*w.Bytes()), acc[i], acc[i])
	}
	build.ADDQ(operand.U32(8*partials), p.offset)
	build.SUBQ(operand.U32(partials), left)
	build.JMP(operand.LabelRef("block"))
	w.sumRest(x, left, acc)
	build.Label("reduce")
	w.reduce(acc)
	build.VZEROUPPER()
	build.RET()
}

// sumRest adds whole registers in turn, then the tail to the next one.
func (w writer) sumRest(x operand.Mem, left reg.Register, acc []reg.VecVirtual) {
	for i := range acc {
		build.Label(fmt.Sprintf("rest%d", i))
		build.CMPQ(left, operand.U32(w.Width()))
		build.JL(operand.LabelRef(fmt.Sprintf("tail%d", i)))
		build.VADDPD(x.Offset(i*w.Bytes()), acc[i], acc[i])
		build.SUBQ(operand.U32(w.Width()), left)
	}
	build.JMP(operand.LabelRef("reduce"))
	for i := range acc {
		build.Label(fmt.Sprintf("tail%d", i))
		build.TESTQ(left, left)
		build.JE(operand.LabelRef("reduce"))
		tail := w.loadMasked(x.Offset(i*w.Bytes()), w.tailMask(left))
		build.VADDPD(tail, acc[i], acc[i])
		build.JMP(operand.LabelRef("reduce"))
	}
}

// reduce halves the partial sums five times: i and i+8, i and i+16, then i and
// i+4, i+2, i+1.
func (w writer) reduce(acc []reg.VecVirtual) {
	step := 8 / w.Width()
	for _, apart := range []int{step, 2 * step} {
		for i := range acc {
			if i%(2*apart) < step && i+apart < len(acc) {
				build.VADDPD(acc[i+apart], acc[i], acc[i])
			}
		}
	}
	y := acc[0].AsY()
	if w.ISA() == lane.AVX512 {
		high := build.YMM()
		build.VEXTRACTF64X4(operand.Imm(1), acc[0], high)
		build.VADDPD(high, y, y)
	} else {
		build.VADDPD(acc[1], acc[0], acc[0])
	}
	high, x := build.XMM(), acc[0].AsX()
	build.VEXTRACTF128(operand.Imm(1), y, high)
	build.VADDPD(high, x, x)
	build.VUNPCKHPD(x, x, high)
	build.VADDSD(high, x, x)
	build.Store(x, build.ReturnIndex(0))
}
