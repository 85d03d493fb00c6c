// Package lane writes vector code with the assembler library avo. A vector register has several lanes, each with a number. The
// methods of Lanes append instructions that compute a function in every lane: arithmetic, selection, exp, log, expm1, log1p,
// the error function and the normal distribution. Lanes hold float64; up to log they may also hold float32. The instruction
// sets are AVX2 with FMA, and AVX-512 (F and DQ). The instructions contain no branch and no call and do not change the
// registers of their arguments. Results at NaN, infinities, subnormals and signed zeros are those of package math.
package lane

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// ISA is an instruction set.
type ISA int

// The instruction sets, with 32 and 64 bytes to a register.
const (
	AVX2 ISA = iota
	AVX512
)

// String returns the suffix of kernel names.
func (isa ISA) String() string { return [...]string{"AVX2", "AVX512"}[isa] }

// Element is the type of number in a lane.
type Element int

// The elements, by their size in bytes.
const (
	Float32 Element = 4
	Float64 Element = 8
)

// File is an assembly file that is being written. Each constant is stored once, repeated over 64 bytes, so that any instruction
// can read it from memory.
type File struct {
	ctx       *build.Context
	constants map[string]operand.Mem
}

// NewFile writes into a context; a context has one File.
func NewFile(ctx *build.Context) *File { return &File{ctx, map[string]operand.Mem{}} }

// Lanes writes instructions for one instruction set and one type of number.
type Lanes struct {
	*File
	isa     ISA
	element Element
}

// Lanes returns a writer into the file.
func (f *File) Lanes(isa ISA, element Element) Lanes { return Lanes{f, isa, element} }

// ISA returns the instruction set for which l writes.
func (l Lanes) ISA() ISA { return l.isa }

// Bytes returns the width of a register.
func (l Lanes) Bytes() int { return 32 << l.isa }

// Width returns the number of lanes in a register.
func (l Lanes) Width() int { return l.Bytes() / int(l.element) }

// Vec returns a new register.
func (l Lanes) Vec() reg.VecVirtual {
	if l.isa == AVX512 {
		return l.ctx.ZMM()
	}
	return l.ctx.YMM()
}

// Const returns a constant in memory, rounded to the element.
func (l Lanes) Const(c float64) operand.Mem {
	if l.element == Float32 {
		return l.Bits(uint64(math.Float32bits(float32(c))))
	}
	return l.Bits(math.Float64bits(c))
}

// Bits returns a constant in memory, given as the bits of an element.
func (l Lanes) Bits(bits uint64) operand.Mem {
	name := fmt.Sprintf("lane%d_%0*x", 8*l.element, 2*l.element, bits)
	if m, ok := l.constants[name]; ok {
		return m
	}
	m := l.ctx.StaticGlobal(name)
	l.ctx.DataAttributes(attr.RODATA | attr.NOPTR)
	for at := 0; at < 64; at += int(l.element) {
		if l.element == Float32 {
			l.ctx.AddDatum(at, operand.U32(bits))
		} else {
			l.ctx.AddDatum(at, operand.U64(bits))
		}
	}
	l.constants[name] = m
	return m
}

// Set returns a constant in a register.
func (l Lanes) Set(c float64) reg.VecVirtual { return l.Copy(l.Const(c)) }

// Copy returns x, a register or memory, in a register of its own.
func (l Lanes) Copy(x operand.Op) reg.VecVirtual {
	dst := l.Vec()
	l.forElement(l.ctx.VMOVUPD, l.ctx.VMOVUPS)(x, dst)
	return dst
}

// instruction is an avo instruction, sources first and destination last.
type instruction func(...operand.Op)

// forElement returns the instruction for the type of number in a lane: double for float64, single for float32.
func (l Lanes) forElement(double, single instruction) instruction {
	if l.element == Float32 {
		return single
	}
	return double
}

// into writes an instruction whose destination is a new register, and returns that register. The sources come in Intel's order,
// in which only the last may be memory.
func (l Lanes) into(write instruction, sources ...operand.Op) reg.VecVirtual {
	dst := l.Vec()
	ops := make([]operand.Op, 0, len(sources)+1)
	for i := range sources {
		ops = append(ops, sources[len(sources)-1-i])
	}
	write(append(ops, dst)...)
	return dst
}
