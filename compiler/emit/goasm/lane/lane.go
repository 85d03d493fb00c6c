// Package lane writes the lane sequences that vector kernels are made of, as
// avo instructions in the function under construction: arithmetic, selection,
// exp, log, expm1, log1p, the error function and the normal distribution over
// lanes of float64 (the first four over float32 too), for AVX2 with FMA and for AVX-512 (F and DQ). Sequences have no
// branch and no call, follow package math in NaN, infinities, subnormals and
// signed zeros, and leave the registers of their arguments as they were.
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

// Element is what a lane holds.
type Element int

// The elements, by their size in bytes.
const (
	Float32 Element = 4
	Float64 Element = 8
)

// File is an assembly file under construction. The constants that its
// sequences use are kept once each, repeated over 64 bytes so that any
// instruction may read them in place.
type File struct {
	ctx       *build.Context
	constants map[string]operand.Mem
}

// NewFile writes into a context; a context has one File.
func NewFile(ctx *build.Context) *File { return &File{ctx, map[string]operand.Mem{}} }

// Lanes writes sequences for one instruction set and element.
type Lanes struct {
	*File
	isa     ISA
	element Element
}

// Lanes returns a writer into the file.
func (f *File) Lanes(isa ISA, element Element) Lanes { return Lanes{f, isa, element} }

// ISA returns the instruction set written for.
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
	l.by(l.ctx.VMOVUPD, l.ctx.VMOVUPS)(x, dst)
	return dst
}

// instruction is an avo instruction, sources first and destination last.
type instruction func(...operand.Op)

// by chooses between the float64 and the float32 form of an instruction.
func (l Lanes) by(double, single instruction) instruction {
	if l.element == Float32 {
		return single
	}
	return double
}

// into writes an instruction with a new destination. The sources come in
// Intel's order, in which only the last may be memory.
func (l Lanes) into(write instruction, sources ...operand.Op) reg.VecVirtual {
	dst := l.Vec()
	ops := make([]operand.Op, 0, len(sources)+1)
	for i := range sources {
		ops = append(ops, sources[len(sources)-1-i])
	}
	write(append(ops, dst)...)
	return dst
}
