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

// both is the operation that computes log Φ and its derivative together.
const both = "lognormcdf_inverse_mills"

// twins returns the pairs of values of a loop that are log Φ and its derivative at the same argument: each is the key of the
// other.
func twins(p *ir.Program, k ir.Kernel) map[ir.ID]ir.ID {
	pairs, logs := map[ir.ID]ir.ID{}, map[ir.ID]ir.ID{}
	for _, id := range k.Body {
		if v := p.Values[id]; v.Op == expr.LogNormCDF {
			logs[v.Args[0]] = id
		}
	}
	for _, id := range k.Body {
		if v := p.Values[id]; v.Op == expr.InverseMills {
			if twin, ok := logs[v.Args[0]]; ok {
				pairs[id], pairs[twin] = twin, id
			}
		}
	}
	return pairs
}

// sequence writes the instructions of the operation and returns the registers of its results.
func sequence(name string, l lane.Lanes, x []operand.Op) []vector {
	if name == both {
		logCDF, inverse := l.LogNormCDFAndInverseMills(x[0].(vector))
		return []vector{logCDF, inverse}
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
	if name == both {
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
		b.VMOVUPD(x, in[i])
	}
	b.Instruction(&avo.Instruction{Opcode: "CALL", Operands: []operand.Op{operand.LabelRef("·" + routine(name, b.ISA()) + "(SB)")}, Inputs: in, Outputs: b.spoiled()})
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
		w.Function(routine(name, w.ISA()))
		w.written = append(w.written, w.spare())
		w.Signature(gotypes.NewSignatureVoid())
		w.Attributes(attr.NOSPLIT)
		var x, out []operand.Op
		for i := range arity(name) {
			x = append(x, w.Copy(w.numbered(i)))
		}
		for i, y := range sequence(name, w.Lanes, x) {
			out = append(out, w.numbered(i))
			w.VMOVUPD(y, out[i])
		}
		w.Instruction(&avo.Instruction{Opcode: "RET", Inputs: out, IsTerminal: true})
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
