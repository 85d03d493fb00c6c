package goasm

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"likc/compiler/ir"
)

// function is a loop that is being written as assembly.
type function struct {
	*writer
	Loop
	plan
	uses      map[ir.ID][]int      // for each value, the steps of the Body that read it
	outs      map[ir.ID][]int      // for each value, the sums to which it is added
	pairs     map[ir.ID]ir.ID      // pairs of values that are computed together
	offset    reg.GPVirtual        // position of the next trial in each column, in bytes
	left      reg.GPVirtual        // number of trials that remain
	exact     reg.GPVirtual        // 1 in the second attempt, which uses no estimates
	columns   []operand.Mem        // addresses of the next trial in the first columns
	frame     frame                // the stack frame, for values that are not in registers
	arguments map[ir.ID]operand.Op // the inputs, repeated in all lanes
	sums      [][]operand.Op       // for each register of trials in a turn: its sums, one for each accumulator
}

// loop writes a function that goes over the trials according to a plan. In outline:
//
//	start:  sums = 0
//	block:  for left >= unroll·width { … }   // with estimated reciprocals
//	rest:   for left > 0 { … }               // exact, one register a turn, the last one masked
//	        return sums, unless one is NaN and there were estimates: then again from the start, only with the loop rest
//
// A reciprocal that cannot be estimated well becomes NaN, and so does a sum. So it is enough to check the sums.
func (w *writer) loop(l Loop, p plan) {
	f := &function{writer: w, Loop: l, plan: p, uses: map[ir.ID][]int{}, outs: map[ir.ID][]int{}, arguments: map[ir.ID]operand.Op{}}
	for step, id := range l.Kernel.Body {
		for _, a := range l.Program.Values[id].Args {
			f.uses[a] = append(f.uses[a], step)
		}
	}
	for i, out := range l.Kernel.Outs {
		a := l.Program.Values[out].Args[0]
		f.outs[a] = append(f.outs[a], i)
	}
	f.pairs = twins(l.Program, l.Kernel)
	f.begin()
	f.asm.Label("start")
	f.reset()
	if p.unroll > 0 {
		f.block()
	}
	f.rest()
	f.finish()
	if f.frame.slots > 0 {
		f.asm.AllocLocal(f.frame.bytes())
	}
	if f.frame.bytes() <= smallFrame {
		f.asm.Attributes(attr.NOSPLIT)
	}
}

// smallFrame is the largest stack frame, in bytes, of a function that does not check for space on the stack.
const smallFrame = 256

// begin declares the function and loads its arguments.
func (f *function) begin() {
	f.asm.Function(f.Name + f.ISA().String())
	f.written = append(f.written, registers{16 << f.ISA(), 8})
	f.asm.Signature(f.signature())
	f.asm.Pragma("noescape")
	f.asm.Doc(fmt.Sprintf("%s%s does what %sGo does, %d trials at a time.", f.Name, f.ISA(), f.Name, f.Width()))
	f.offset, f.left = f.asm.GP64(), f.asm.GP64()
	if f.estimates > 0 {
		f.exact = f.asm.GP64()
		f.asm.XORQ(f.exact, f.exact)
	}
	f.frame = frame{size: f.Bytes()}
	if f.held < everything {
		base := f.asm.GP64()
		f.asm.LEAQ(operand.NewStackAddr(f.Bytes()-1), base)
		f.asm.ANDQ(operand.I32(-f.Bytes()), base)
		f.frame.base, f.frame.slots, f.frame.free = operand.Mem{Base: base}, 1, []int{0}
	}
	for i := range min(pointers, len(f.Kernel.Columns)) {
		f.columns = append(f.columns, f.pointer(i))
	}
	for i, id := range f.Kernel.Inputs {
		f.arguments[id] = f.keep(f.broadcast(f.input(i)), f.plan.inputs)
	}
}

// pointers is the number of columns whose addresses stay in registers. The addresses of further columns, which occur in loops
// over nodes, are loaded again at each use.
const pointers = 9

// pointer loads the address of a column.
func (f *function) pointer(column int) operand.Mem {
	return operand.Mem{Base: f.asm.Load(f.asm.Param(f.column(column)).Base(), f.asm.GP64()), Index: f.offset, Scale: 1}
}

// columnAt returns the address of the next trial in a column.
func (f *function) columnAt(column int) operand.Mem {
	if column < len(f.columns) {
		return f.columns[column]
	}
	return f.pointer(column)
}

// keep returns the operand that holds a value from now on: its register if held, else a slot of the stack frame.
func (f *function) keep(v reg.VecVirtual, held bool) operand.Op {
	if held {
		return v
	}
	slot := f.frame.at(f.frame.reserve())
	f.asm.VMOVUPD(v, slot)
	return slot
}

// keepMask returns the operand that holds the mask from now on: a slot of the stack frame if a call could overwrite its register.
func (f *function) keepMask(mask reg.Register) operand.Op {
	if v, ok := mask.(reg.VecVirtual); ok && f.calls {
		return f.keep(v, false)
	}
	return mask
}

// reset writes the code that goes back to the first trial and empties the sums.
func (f *function) reset() {
	f.asm.XORQ(f.offset, f.offset)
	f.asm.Load(f.asm.Param(f.column(0)).Len(), f.left)
	for u := range max(1, f.unroll) {
		f.sums = append(f.sums, nil)
		for _, out := range f.Kernel.Outs {
			v := f.Vec()
			if f.Program.Values[out].Kind == ir.Least {
				f.asm.VMOVUPD(f.Const(inf), v)
			} else {
				f.asm.VXORPD(v, v, v)
			}
			f.sums[u] = append(f.sums[u], f.keep(v, f.plan.sums))
		}
	}
}

// block writes the fast loop, over whole blocks of trials.
func (f *function) block() {
	if f.estimates > 0 {
		f.asm.TESTQ(f.exact, f.exact)
		f.asm.JNE(operand.LabelRef("rest"))
	}
	f.asm.Label("block")
	f.asm.CMPQ(f.left, operand.U32(f.unroll*f.Width()))
	f.asm.JLT(operand.LabelRef("rest"))
	exact := f.unroll*f.divisions() - f.estimates
	for u := range f.unroll {
		b := &body{function: f, at: u * f.Bytes(), totals: f.sums[u], exact: exact, done: map[ir.ID]bool{}}
		b.write()
		exact = b.exact
	}
	f.advance(f.unroll)
	f.asm.JMP(operand.LabelRef("block"))
}

// rest writes the exact loop, which can process any number of trials.
func (f *function) rest() {
	f.asm.Label("rest")
	f.asm.TESTQ(f.left, f.left)
	f.asm.JLE(operand.LabelRef("reduce"))
	b := &body{function: f, totals: f.sums[0], mask: f.keepMask(f.mask(f.left)), exact: everything, done: map[ir.ID]bool{}}
	b.write()
	f.advance(1)
	f.asm.JMP(operand.LabelRef("rest"))
	f.asm.Label("reduce")
}

// advance writes the code that goes to the trials after a number of registers of trials.
func (f *function) advance(vectors int) {
	f.asm.ADDQ(operand.U32(vectors*f.Bytes()), f.offset)
	f.asm.SUBQ(operand.U32(vectors*f.Width()), f.left)
}

// finish writes the code that adds up the lanes and returns.
func (f *function) finish() {
	var all reg.VecVirtual // NaN if any sum is NaN
	for i, out := range f.Kernel.Outs {
		join := f.joinOf(out)
		total := f.Copy(f.sums[0][i])
		for _, s := range f.sums[1:] {
			total = join(total, f.Copy(s[i]))
		}
		for distance := f.Width() / 2; distance > 0; distance /= 2 {
			total = join(total, f.turned(total, distance))
		}
		f.asm.VMOVSD(total.AsX(), f.address(f.asm.ReturnIndex(i)))
		if f.estimates > 0 && all != nil {
			total = f.Add(all, total)
		}
		all = total
	}
	if f.estimates > 0 {
		f.asm.TESTQ(f.exact, f.exact)
		f.asm.JNE(operand.LabelRef("done"))
		f.asm.VUCOMISD(all.AsX(), all.AsX())
		f.asm.JPS(operand.LabelRef("again"))
	}
	f.asm.Label("done")
	f.asm.VZEROUPPER()
	f.asm.RET()
	if f.estimates > 0 {
		f.asm.Label("again")
		f.asm.MOVQ(operand.U32(1), f.exact)
		f.asm.JMP(operand.LabelRef("start"))
	}
}

// joinOf returns the operation that joins two partial results of an accumulator.
func (f *function) joinOf(out ir.ID) func(x, y reg.VecVirtual) reg.VecVirtual {
	if f.Program.Values[out].Kind == ir.Least {
		return func(x, y reg.VecVirtual) reg.VecVirtual { return f.Min(x, y) }
	}
	return func(x, y reg.VecVirtual) reg.VecVirtual { return f.Add(x, y) }
}

// frame is the stack frame of a function. Each slot has the size of a vector register and is aligned to it.
type frame struct {
	base  operand.Mem // the address of slot 0
	size  int         // the size of a slot in bytes
	slots int         // the number of slots so far
	free  []int       // the slots that are not in use
}

// reserve returns a free slot.
func (m *frame) reserve() int {
	if n := len(m.free); n > 0 {
		slot := m.free[n-1]
		m.free = m.free[:n-1]
		return slot
	}
	m.slots++
	return m.slots - 1
}

// release makes a slot free again.
func (m *frame) release(slot int) { m.free = append(m.free, slot) }

// at returns the address of a slot.
func (m *frame) at(slot int) operand.Mem { return m.base.Offset(slot * m.size) }

// bytes returns the size of the frame, with the bytes that its alignment may skip.
func (m *frame) bytes() int {
	if m.slots == 0 {
		return 0
	}
	return (m.slots + 1) * m.size
}
