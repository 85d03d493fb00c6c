//go:build ignore

package main

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"likc/compiler/emit/goasm/lane"
)

// partials is the number of partial sums: element i goes to partial i%32, on
// every instruction set, so that all give the same bits.
const partials = 32

// reduction describes a kernel that returns the sum of one float64 for each element of its columns.
type reduction struct {
	name     string
	columns  []string
	elements []lane.Element
}

var reductions = []reduction{
	{"sum", []string{"x"}, []lane.Element{lane.Float64, lane.Float32}},
	{"squaredDistance", []string{"x", "y"}, []lane.Element{lane.Float64, lane.Float32}},
}

// signature returns the Go type of the kernel.
func (r reduction) signature(e lane.Element) string {
	return "(" + strings.Join(r.columns, ", ") + " []" + goType(e) + ")"
}

// reduction emits a kernel. w's lanes are float64; w.element is the type of the columns' elements.
func (w writer) reduction(r reduction) {
	base := mapping{name: r.name}.base(w.element)
	w.begin(base+w.ISA().String(), "func"+r.signature(w.element)+" float64")
	p := loop{offset: w.ctx.GP64()}
	w.ctx.XORQ(p.offset, p.offset)
	for _, name := range r.columns {
		p.source = append(p.source, w.column(p, name))
	}
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
		w.accumulate(acc[i], w.at(p.source, i), nil)
	}
	w.ctx.ADDQ(operand.U32(uint32(w.element)*partials), p.offset)
	w.ctx.SUBQ(operand.U32(partials), left)
	w.ctx.JMP(operand.LabelRef("block"))
	w.sumRest(p.source, left, acc)
	w.ctx.Label("reduce")
	w.reduce(acc)
	w.ctx.VZEROUPPER()
	w.ctx.RET()
}

// sumRest emits the sum of the elements after the last whole block: it adds whole registers to the partial
// sums in turn, and then the last few elements to the next partial sums.
func (w writer) sumRest(source []operand.Mem, left reg.Register, acc []reg.VecVirtual) {
	for i := range acc {
		w.ctx.Label(fmt.Sprintf("rest%d", i))
		w.ctx.CMPQ(left, operand.U32(w.Width()))
		w.ctx.JL(operand.LabelRef(fmt.Sprintf("tail%d", i)))
		w.accumulate(acc[i], w.at(source, i), nil)
		w.ctx.SUBQ(operand.U32(w.Width()), left)
	}
	w.ctx.JMP(operand.LabelRef("reduce"))
	for i := range acc {
		w.ctx.Label(fmt.Sprintf("tail%d", i))
		w.ctx.TESTQ(left, left)
		w.ctx.JE(operand.LabelRef("reduce"))
		w.accumulate(acc[i], w.at(source, i), w.tailMask(left))
		w.ctx.JMP(operand.LabelRef("reduce"))
	}
}

// at returns the addresses of register i of each column.
func (w writer) at(source []operand.Mem, i int) []operand.Mem {
	var moved []operand.Mem
	for _, m := range source {
		moved = append(moved, m.Offset(i*w.Width()*int(w.element)))
	}
	return moved
}

// accumulate emits the addition of one register to acc: the elements at from[0], or the squares of their
// differences from those at from[1]. A mask selects the elements.
func (w writer) accumulate(acc reg.VecVirtual, from []operand.Mem, mask reg.Register) {
	if len(from) == 1 && mask == nil && w.element == lane.Float64 {
		w.ctx.VADDPD(from[0], acc, acc)
		return
	}
	x := w.loadDouble(from[0], mask)
	if len(from) == 2 {
		d := w.Sub(x, w.loadDouble(from[1], mask))
		x = w.Mul(d, d)
	}
	w.ctx.VADDPD(x, acc, acc)
}

// loadDouble emits a load of elements as float64; elements that the mask does not select are 0.
func (w writer) loadDouble(from operand.Mem, mask reg.Register) reg.VecVirtual {
	switch {
	case w.element == lane.Float64 && mask == nil:
		return w.Copy(from)
	case w.element == lane.Float64:
		return w.loadMasked(from, mask)
	}
	v := w.Vec()
	switch {
	case mask == nil:
		w.ctx.VCVTPS2PD(from, v)
	case w.ISA() == lane.AVX512:
		w.ctx.VCVTPS2PD_Z(from, mask, v)
	default:
		half := w.ctx.XMM()
		w.ctx.VMASKMOVPS(from, mask, half)
		w.ctx.VCVTPS2PD(half, v)
	}
	return v
}

// reduce emits the pairwise sum of the partial sums, in five steps: it adds sums that are 8 apart, then 16, 4, 2 and 1.
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
