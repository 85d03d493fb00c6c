package gosrc

import (
	"github.com/dave/jennifer/jen"

	"likc/compiler/expr"
	"likc/compiler/ir"
)

// block prints the statements of one function: each value as one definition, once or for four trials side by side.
type block struct {
	u     *unit
	names *scope
	known map[ir.ID][]jen.Code // how to refer to a value, one a lane
	code  []jen.Code
}

func (u *unit) newBlock() *block {
	return &block{u: u, names: u.top.inner(), known: map[ir.ID][]jen.Code{}}
}

// inner is a block within b, with everything known there.
func (b *block) inner() *block {
	c := &block{u: b.u, names: b.names.inner(), known: make(map[ir.ID][]jen.Code, len(b.known))}
	for id, code := range b.known {
		c.known[id] = code
	}
	return c
}

func (b *block) add(code ...jen.Code) { b.code = append(b.code, code...) }

// know says how to refer to a value in every lane.
func (b *block) know(id ir.ID, code jen.Code) { b.known[id] = []jen.Code{code} }

// ref refers to a value in a lane.
func (b *block) ref(id ir.ID, lane int) jen.Code {
	switch code := b.known[id]; {
	case b.u.constant[id]:
		return literal(b.u.number[id])
	case len(code) == 1:
		return code[0]
	default:
		return code[lane]
	}
}

// define prints values, in order, skipping constants and what is known already:
//
//	t0 := a * a
//	t1 := math.Exp(t0)
func (b *block) define(ids []ir.ID) {
	for _, id := range ids {
		if v := b.u.p.Values[id]; v.Kind == ir.Apply && !b.u.constant[id] && b.known[id] == nil {
			b.assign(id, single, func(lane int) jen.Code { return b.apply(v, lane) })
		}
	}
}

// assign names a value and prints its definition, all lanes in one statement:
//
//	tauA, tauB, tauC, tauD := rt[0]-t, rt[1]-t, rt[2]-t, rt[3]-t
func (b *block) assign(id ir.ID, suffixes []string, value func(lane int) jen.Code) {
	var values []jen.Code
	for lane := range suffixes {
		values = append(values, value(lane))
	}
	b.add(jen.List(b.declare(id, suffixes)...).Op(":=").List(values...))
}

// declare takes the names of a value.
func (b *block) declare(id ir.ID, suffixes []string) []jen.Code {
	b.known[id] = identifiers(b.names.named(b.u.p.Values[id].Name, suffixes))
	return b.known[id]
}

func identifiers(names []string) []jen.Code {
	var list []jen.Code
	for _, name := range names {
		list = append(list, jen.Id(name))
	}
	return list
}

// apply spells an operator with its arguments, by the operator table.
func (b *block) apply(v ir.Value, lane int) jen.Code {
	var x []jen.Code
	for _, a := range v.Args {
		x = append(x, b.ref(a, lane))
	}
	switch s := v.Op.In(expr.Go); s.Kind {
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
	default: // a Local; checkSpelled has refused operators without a spelling
		return jen.Id(s.Text).Call(x...)
	}
}
