package gosrc

import (
	"maps"

	"github.com/dave/jennifer/jen"

	"likc/compiler/emit/plan"
	"likc/compiler/expr"
	"likc/compiler/ir"
)

// block prints the statements of a loop. Each value is one definition, for one trial or for four trials at once; each of four
// is a lane.
type block struct {
	*unit
	names *plan.Names          // the names that are taken in this block
	known map[ir.ID][]jen.Code // the Go expression by which to refer to a value, for each lane
	code  []jen.Code           // the statements so far
}

func (u *unit) newBlock() *block {
	return &block{unit: u, names: u.Top.Inner(), known: map[ir.ID][]jen.Code{}}
}

// inner returns a block within b, in which the values that b has defined are known.
func (b *block) inner() *block {
	c := &block{unit: b.unit, names: b.names.Inner(), known: make(map[ir.ID][]jen.Code, len(b.known))}
	maps.Copy(c.known, b.known)
	return c
}

// add appends statements.
func (b *block) add(code ...jen.Code) { b.code = append(b.code, code...) }

// know records the Go expression of a value that is the same in every lane.
func (b *block) know(id ir.ID, code jen.Code) { b.known[id] = []jen.Code{code} }

// at returns the Go expression of a value in a lane.
func (b *block) at(id ir.ID, lane int) jen.Code {
	switch code := b.known[id]; {
	case b.Constant[id]:
		return literal(b.Number[id])
	case len(code) == 1:
		return code[0]
	default:
		return code[lane]
	}
}

// define prints the definitions of values, in order. It skips constants and values that are defined already:
//
//	t0 := a * a
//	t1 := math.Exp(t0)
func (b *block) define(ids []ir.ID, suffixes []string) {
	for _, id := range ids {
		if b.Values[id].Kind == ir.NodeSum && b.known[id] == nil {
			b.overNodes(b.Values[id].Group, ids)
		}
		if v := b.Values[id]; v.Kind == ir.Apply && !b.Constant[id] && b.known[id] == nil {
			b.assign(id, suffixes, func(lane int) jen.Code { return b.apply(v, lane) })
		}
	}
}

// assign names a value and prints its definition, with all lanes in one statement:
//
//	tauA, tauB, tauC, tauD := rt[0]-t, rt[1]-t, rt[2]-t, rt[3]-t
func (b *block) assign(id ir.ID, suffixes []string, value func(lane int) jen.Code) {
	var values []jen.Code
	for lane := range suffixes {
		values = append(values, value(lane))
	}
	b.known[id] = identifiers(b.names.DeclareEach(b.Values[id].Name, suffixes))
	b.add(jen.List(b.known[id]...).Op(":=").List(values...))
}

// apply spells an operator with its arguments in a lane.
func (b *block) apply(v ir.Value, lane int) jen.Code {
	var x []jen.Code
	for _, a := range v.Args {
		x = append(x, b.at(a, lane))
	}
	return spell(v.Op, x)
}

// spell writes an operator with its arguments, by the operator table.
func spell(op expr.Op, x []jen.Code) jen.Code {
	switch s := op.In(expr.Go); s.Kind {
	case expr.Binary:
		return jen.Add(x[0]).Op(s.Text).Add(x[1])
	case expr.Unary:
		return jen.Op(s.Text).Add(x[0])
	case expr.Self:
		return jen.Add(x[0]).Op(s.Text).Add(x[0])
	case expr.Under:
		return jen.Lit(1).Op(s.Text).Add(x[0])
	case expr.Function:
		return jen.Qual("math", s.Text).Call(x...)
	default: // a Local, since the plan has refused operators without a spelling
		return jen.Id(s.Text).Call(x...)
	}
}
