package goasm

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	avo "github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/reg"

	"likc/compiler/emit/goasm/lane"
)

// writer writes functions for one instruction set into a file.
type writer struct {
	asm *build.Context // not embedded: its thousands of methods would become methods of every type below, and compile slowly
	lane.Lanes
	count   operand.Mem // a constant with the lane's number in each lane: 0, 1, 2, …
	written []registers // for each function written, in order: the registers that it may use
	called  []string    // the operations that loops of this instruction set call
}

// assemble returns an assembly file. It calls write once for each instruction set.
func assemble(isas []lane.ISA, write func(w *writer, isa int)) (*avo.File, error) {
	ctx := build.NewContext()
	ctx.ConstraintExpr("!purego")
	file := lane.NewFile(ctx)
	w := &writer{asm: ctx}
	for i, isa := range isas {
		w.Lanes = file.Lanes(isa, lane.Float64)
		write(w, i)
		w.routines()
	}
	f, err := ctx.Result()
	if err != nil {
		return nil, err
	}
	may := map[*avo.Function]registers{}
	for i, fn := range f.Functions() {
		may[fn] = w.written[i]
	}
	return f, compile(may).Execute(f)
}

// compile does what avo's pass.Compile does, with allocate in place of avo's register allocation.
func compile(may map[*avo.Function]registers) pass.Interface {
	return pass.Concat(
		pass.Verify,
		pass.FunctionPass(pass.PruneJumpToFollowingLabel),
		pass.FunctionPass(pass.PruneDanglingLabels),
		pass.InstructionPass(pass.ZeroExtend32BitOutputs),
		pass.FunctionPass(func(fn *avo.Function) error { return allocate(fn, may[fn]) }),
		pass.FunctionPass(pass.BindRegisters),
		pass.FunctionPass(pass.VerifyAllocation),
		pass.Func(pass.IncludeTextFlagHeader),
		pass.Interface(lane.PruneSelfMoves),
		pass.FunctionPass(pass.RequiredISAExtensions),
	)
}

// numbers returns a constant in memory with the lane's number in each lane: 0, 1, 2, …
func (w *writer) numbers() operand.Mem {
	if w.count.Symbol.Name == "" {
		w.count = w.asm.StaticGlobal("lane_numbers")
		w.asm.DataAttributes(attr.RODATA | attr.NOPTR)
		for i := range 8 {
			w.asm.AddDatum(8*i, operand.U64(i))
		}
	}
	return w.count
}

// mask returns a register that selects the first `left` lanes, or all lanes if there are fewer.
func (w *writer) mask(left reg.GPVirtual) reg.Register {
	all := w.Vec()
	if w.ISA() == lane.AVX512 {
		const greater = 6
		k := w.asm.K()
		w.asm.VPBROADCASTQ(left, all)
		w.asm.VPCMPQ(operand.Imm(greater), w.numbers(), all, k)
		return k
	}
	x, mask := w.asm.XMM(), w.Vec()
	w.asm.VMOVQ(left, x)
	w.asm.VPBROADCASTQ(x, all)
	w.asm.VPCMPGTQ(w.numbers(), all, mask)
	return mask
}

// loadMasked loads a register from memory, with zeros in lanes outside the mask. A nil mask selects all lanes.
func (w *writer) loadMasked(from operand.Mem, mask reg.Register) reg.VecVirtual {
	v := w.Vec()
	switch {
	case mask == nil:
		w.asm.VMOVUPD(from, v)
	case w.ISA() == lane.AVX512:
		w.asm.VMOVUPD_Z(from, mask, v)
	default:
		w.asm.VMASKMOVPD(from, mask, v)
	}
	return v
}

// fill returns x where the mask selects and other elsewhere.
func (w *writer) fill(x reg.VecVirtual, mask reg.Register, other operand.Op) reg.VecVirtual {
	v := w.Vec()
	if w.ISA() == lane.AVX512 {
		w.asm.VBLENDMPD(x, w.Copy(other), mask, v)
	} else {
		w.asm.VBLENDVPD(mask, x, w.Copy(other), v)
	}
	return v
}

// broadcast returns a register with an argument of the function in all lanes.
func (w *writer) broadcast(name string) reg.VecVirtual {
	v := w.Vec()
	w.asm.VBROADCASTSD(w.address(w.asm.Param(name)), v)
	return v
}

// address returns the address of an argument or a result on the stack.
func (w *writer) address(c gotypes.Component) operand.Mem {
	b, err := c.Resolve()
	if err != nil {
		panic(fmt.Sprintf("goasm: %v", err)) // cannot happen: the function's signature has the component
	}
	return b.Addr
}

// turned returns x with each group of size lanes exchanged with the neighbouring group.
func (w *writer) turned(x reg.VecVirtual, size int) reg.VecVirtual {
	v := w.Vec()
	switch {
	case size == 4:
		w.asm.VSHUFF64X2(operand.Imm(0x4e), x, x, v)
	case size == 2 && w.ISA() == lane.AVX512:
		w.asm.VSHUFF64X2(operand.Imm(0xb1), x, x, v)
	case size == 2:
		w.asm.VPERM2F128(operand.Imm(1), x, x, v)
	case w.ISA() == lane.AVX512:
		w.asm.VPERMILPD(operand.Imm(0x55), x, v)
	default:
		w.asm.VPERMILPD(operand.Imm(0x5), x, v)
	}
	return v
}
