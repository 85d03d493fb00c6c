package goasm

import (
	"slices"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/gotypes"
	avo "github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"likc/compiler/emit/goasm/lane"
	"likc/compiler/expr"
	"likc/compiler/ir"
)

// A loop with many long operations calls routines for them, because inlined copies would be too long. A routine takes its
// arguments in the first vector registers and returns its results there. It has no stack frame and may overwrite all vector
// registers. So a loop keeps the values that it needs after a call in its own stack frame.

// long is the smallest arithmetic time, as in the operator table's Lane, of an operation that a loop calls rather than inlines.
const long = 40

// pair is an operation that computes two operators of the same argument together, in less time than one after the other.
type pair struct {
	first, second expr.Op
	name          string
	lanes         func(l lane.Lanes, x vector) (first, second vector)
}

var pairs = []pair{
	{expr.LogNormCDF, expr.InverseMills, "lognormcdf_inverse_mills", lane.Lanes.LogNormCDFAndInverseMills},
	{expr.Sin, expr.Cos, "sin_cos", lane.Lanes.SinAndCos},
}

// pairOf returns the operation of an operator and its partner.
func pairOf(op expr.Op) pair {
	return pairs[slices.IndexFunc(pairs, func(p pair) bool { return p.first == op || p.second == op })]
}

// twins returns the pairs of values of a loop that one operation computes together: each is the key of the other.
func twins(p *ir.Program, k ir.Kernel) map[ir.ID]ir.ID {
	twin := map[ir.ID]ir.ID{}
	for _, both := range pairs {
		firsts := map[ir.ID]ir.ID{}
		for _, id := range k.Body {
			if v := p.Values[id]; v.Op == both.first {
				firsts[v.Args[0]] = id
			}
		}
		for _, id := range k.Body {
			if v := p.Values[id]; v.Op == both.second {
				if first, ok := firsts[v.Args[0]]; ok {
					twin[id], twin[first] = first, id
				}
			}
		}
	}
	return twin
}

// sequence writes the instructions of the operation and returns the registers of its results.
func sequence(name string, l lane.Lanes, x []operand.Op) []vector {
	for _, p := range pairs {
		if p.name == name {
			first, second := p.lanes(l, x[0].(vector))
			return []vector{first, second}
		}
	}
	return []vector{operations[name](l, x)}
}

// arity returns the number of an operation's arguments.
func arity(name string) int {
	for _, op := range expr.Ops() {
		if op.Info().Lane.Name == name {
			return op.Info().Arity
		}
	}
	return 1
}

// results returns the number of an operation's results.
func results(name string) int {
	if slices.ContainsFunc(pairs, func(p pair) bool { return p.name == name }) {
		return 2
	}
	return 1
}

// operation writes a long operation, inlined or as a call, and returns the registers of its results.
func (b *body) operation(name string, args []ir.ID) []vector {
	if !b.calls {
		return sequence(name, b.Lanes, b.operands(args, false))
	}
	if !slices.Contains(b.called, name) {
		b.called = append(b.called, name)
	}
	b.saveAll()
	var in []operand.Op
	for i, id := range args {
		x := b.fetch(id)
		in = append(in, b.numbered(i))
		b.asm.VMOVUPD(x, in[i])
	}
	b.asm.Instruction(&avo.Instruction{Opcode: "CALL", Operands: []operand.Op{operand.LabelRef("·" + routine(name, b.ISA()) + "(SB)")}, Inputs: in, Outputs: b.spoiled()})
	var out []vector
	for i := range results(name) {
		out = append(out, b.Copy(b.numbered(i)))
	}
	return out
}

// routine returns the name of an operation's routine, which is local to its file.
func routine(name string, isa lane.ISA) string { return "lane_" + name + isa.String() + "<>" }

// routines writes the routines that the loops of an instruction set call.
func (w *writer) routines() {
	for _, name := range w.called {
		w.asm.Function(routine(name, w.ISA()))
		w.written = append(w.written, w.spare())
		w.asm.Signature(gotypes.NewSignatureVoid())
		w.asm.Attributes(attr.NOSPLIT)
		var x, out []operand.Op
		for i := range arity(name) {
			x = append(x, w.Copy(w.numbered(i)))
		}
		for i, y := range sequence(name, w.Lanes, x) {
			out = append(out, w.numbered(i))
			w.asm.VMOVUPD(y, out[i])
		}
		w.asm.Instruction(&avo.Instruction{Opcode: "RET", Inputs: out, IsTerminal: true})
	}
	w.called = nil
}

// spare returns the registers that a routine may use.
func (w *writer) spare() registers { return registers{16 << w.ISA(), 4} }

// spoiled returns the registers that a call may overwrite.
func (w *writer) spoiled() (list []operand.Op) {
	for i := range w.spare().vectors {
		list = append(list, w.numbered(i))
	}
	if w.ISA() == lane.AVX512 {
		list = append(list, reg.K1, reg.K2, reg.K3)
	}
	return list
}

// numbered returns vector register i.
func (w *writer) numbered(i int) reg.Register {
	if w.ISA() == lane.AVX512 {
		return reg.Vector.Lookup(reg.Index(i), reg.S512)
	}
	return reg.Vector.Lookup(reg.Index(i), reg.S256)
}
