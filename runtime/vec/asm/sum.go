//go:build ignore

package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"likc/compiler/emit/goasm/lane"
)

// partials is the number of partial sums: element i goes to partial i%32, on
// every instruction set, so that all give the same bits.
const partials = 32

func (w writer) sum() {
	w.begin("sum"+w.ISA().String(), "func(x []float64) float64")
	w.ctx.Doc(fmt.Sprintf("sum%s does what sumPortable does, to the bit.", w.ISA()))
	p := loop{offset: w.ctx.GP64()}
	w.ctx.XORQ(p.offset, p.offset)
	x := w.column(p, "x")
	left := w.ctx.Load(w.ctx.Param("x").Len(), w.ctx.GP64())
	acc := make([]reg.VecVirtual, partials/w.Width())
	for i := range acc {
		acc[i] = w.Vec()
		w.ctx.VXORPD(acc[i], acc[i], acc[i])
	}
	w.ctx.Label("block")
	w.ctx.CMPQ(left, operand.U32(partials))
	w.ctx.JL(operand.LabelRef("rest0"))
	for i := range acc {
		w.ctx.VADDPD(x.Offset(i*w.Bytes()), acc[i], acc[i])
	}
	w.ctx.ADDQ(operand.U32(8*partials), p.offset)
	w.ctx.SUBQ(operand.U32(partials), left)
	w.ctx.JMP(operand.LabelRef("block"))
	w.sumRest(x, left, acc)
	w.ctx.Label("reduce")
	w.reduce(acc)
	w.ctx.VZEROUPPER()
	w.ctx.RET()
}

// sumRest adds whole registers in turn, then the tail to the next one.
func (w writer) sumRest(x operand.Mem, left reg.Register, acc []reg.VecVirtual) {
	for i := range acc {
		w.ctx.Label(fmt.Sprintf("rest%d", i))
		w.ctx.CMPQ(left, operand.U32(w.Width()))
		w.ctx.JL(operand.LabelRef(fmt.Sprintf("tail%d", i)))
		w.ctx.VADDPD(x.Offset(i*w.Bytes()), acc[i], acc[i])
		w.ctx.SUBQ(operand.U32(w.Width()), left)
	}
	w.ctx.JMP(operand.LabelRef("reduce"))
	for i := range acc {
		w.ctx.Label(fmt.Sprintf("tail%d", i))
		w.ctx.TESTQ(left, left)
		w.ctx.JE(operand.LabelRef("reduce"))
		tail := w.loadMasked(x.Offset(i*w.Bytes()), w.tailMask(left))
		w.ctx.VADDPD(tail, acc[i], acc[i])
		w.ctx.JMP(operand.LabelRef("reduce"))
	}
}

// reduce halves the partial sums five times: i and i+8, i and i+16, then i and
// i+4, i+2, i+1.
func (w writer) reduce(acc []reg.VecVirtual) {
	step := 8 / w.Width()
	for _, apart := range []int{step, 2 * step} {
		for i := range acc {
			if i%(2*apart) < step && i+apart < len(acc) {
				w.ctx.VADDPD(acc[i+apart], acc[i], acc[i])
			}
		}
	}
	y := acc[0].AsY()
	if w.ISA() == lane.AVX512 {
		high := w.ctx.YMM()
		w.ctx.VEXTRACTF64X4(operand.Imm(1), acc[0], high)
		w.ctx.VADDPD(high, y, y)
	} else {
		w.ctx.VADDPD(acc[1], acc[0], acc[0])
	}
	high, x := w.ctx.XMM(), acc[0].AsX()
	w.ctx.VEXTRACTF128(operand.Imm(1), y, high)
	w.ctx.VADDPD(high, x, x)
	w.ctx.VUNPCKHPD(x, x, high)
	w.ctx.VADDSD(high, x, x)
	w.ctx.Store(x, w.ctx.ReturnIndex(0))
}
