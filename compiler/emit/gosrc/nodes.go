package gosrc

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"likc/compiler/emit/plan"
	"likc/compiler/ir"
)

// nodeTables prints the tables of nodes, the points at which integrals are evaluated by loops:
//
//	// nodes0 has, for the nodes of integral 0: share of end 0 of integral 0.
//	var nodes0 = []float64{…}
func (u *unit) nodeTables() (code []jen.Code) {
	for i, v := range u.Values {
		name, needed := u.NodeNames[ir.ID(i)]
		if !needed {
			continue
		}
		table := u.Tables[v.Group]
		var cells []jen.Code
		for row := range slices.Chunk(table.Columns[v.Index], 6) {
			cells = append(cells, jen.Line().List(literals(row)...))
		}
		code = append(code, jen.Comment(name+" has, for the "+table.Name+": "+table.Symbols[v.Index]+".").Line().
			Var().Id(name).Op("=").Index().Float64().Values(append(cells, jen.Line())...))
	}
	return code
}

// literals returns numbers as Go expressions.
func literals(xs []float64) (code []jen.Code) {
	for _, x := range xs {
		code = append(code, literal(x))
	}
	return code
}

// fill prints the computation of arrays that have one number for each node:
//
//	at0, at1 := make([]float64, 60), make([]float64, 60)
//	for i := range at0 {
//		t7 := nodes0[i] * low
//		…
//		at0[i] = t9
//	}
func (u *unit) fill(f plan.Fill) []jen.Code {
	var names, arrays []jen.Code
	body := u.print(f.Steps)
	for _, k := range f.Keep {
		names = append(names, jen.Id(k.Name))
		arrays = append(arrays, jen.Make(jen.Index().Float64(), jen.Lit(f.Table.Nodes())))
		body = append(body, jen.Id(k.Name).Index(jen.Id("i")).Op("=").Add(u.ref(k.X)))
	}
	return []jen.Code{
		jen.List(names...).Op(":=").List(arrays...),
		jen.For(jen.Id("i").Op(":=").Range().Add(names[0])).Block(body...),
	}
}

// engineAt returns the argument for the engine in a call of a loop over nodes.
func (u *unit) engineAt() jen.Code {
	if u.single {
		return jen.Id("fastest")
	}
	return jen.Id("d").Dot("engine")
}

// callOverNodes prints the call of a loop over nodes, which takes the engine if it has assembly:
//
//	s2, s3 := nodeSums(engine, nodes0, at0, muGo)
func (u *unit) callOverNodes(k ir.Kernel, engine jen.Code, results []jen.Code, ref func(ir.ID) jen.Code) jen.Code {
	var args []jen.Code
	if u.assembled[u.LoopOf(k)] != nil {
		args = append(args, engine)
	}
	for _, id := range append(k.Columns[:len(k.Columns):len(k.Columns)], k.Inputs...) {
		args = append(args, ref(id))
	}
	return jen.List(results...).Op(":=").Id(u.LoopOf(k).Name).Call(args...)
}

// overNodes prints the sums over the nodes of one table: those among ids.
func (b *block) overNodes(table int, ids []ir.ID) {
	for _, k := range b.OverNodesOf(ids) {
		if k.Group != table {
			continue
		}
		sums := identifiers(b.sumNames(k))
		b.add(b.callOverNodes(k, jen.Id("engine"), sums, func(id ir.ID) jen.Code {
			if name, ok := b.NodeNames[id]; ok {
				return jen.Id(name)
			}
			return b.at(id, 0)
		}))
		for i, out := range k.Outs {
			b.know(out, sums[i])
		}
	}
}
