package gosrc

import (
	"math/bits"

	"github.com/dave/jennifer/jen"

	"likc/compiler/ir"
)

// evaluationOrder prints one evaluation of a bound dataset. With gradient:
//
//	v, a, z, t := theta[0], theta[1], theta[2], theta[3]
//	grad = grad[:Dim]
//	clear(grad)
//	t0 := a * a // the Prologue
//	…
//	if d.upper.n > 0 && !(t < d.upper.minRt) {
//		return math.Inf(-1)
//	}
//	…
//	logLik := 0.0
//	if d.upper.n > 0 {
//		s0, s1 := gradSums(d.upper.rt, t)
//		… // the Epilogue
//		logLik += t12
//		grad[0] += t13
//	}
//	…
//	return logLik
func (u *unit) evaluationOrder(e evaluation, gradient bool) []jen.Code {
	b := u.newBlock()
	b.unpack(e.live)
	if gradient {
		b.add(jen.Id("grad").Op("=").Id("grad").Index(jen.Empty(), u.dim))
		b.add(jen.Clear(jen.Id("grad")))
	}
	b.knowData()
	prologue := u.pick(e, func(id ir.ID) bool { return u.facts.Stage[id] == ir.Prologue })
	b.comment("Prologue: parameters only.", prologue)
	b.define(prologue)
	for i, g := range u.p.Groups {
		if early := b.conditions(g, true); len(early) > 0 {
			b.add(jen.If(b.size(i).Op(">").Lit(0).Op("&&").Add(violated(early))).Block(jen.Return(minusInf())))
		}
	}
	b.epilogue(e, func(need uint) bool { return bits.OnesCount(need) > 1 })
	b.add(jen.Id("logLik").Op(":=").Lit(0.0))
	for i := range u.p.Groups {
		b.add(b.share(e, i, gradient))
	}
	b.add(jen.Return(jen.Id("logLik")))
	return b.code
}

// share prints what a group adds to the result, if it has trials.
func (b *block) share(e evaluation, group int, gradient bool) jen.Code {
	w, g := b.inner(), b.u.p.Groups[group]
	w.epilogue(e, func(need uint) bool { return need == 1<<group })
	if late := w.conditions(g, false); len(late) > 0 {
		fail := []jen.Code{jen.Return(minusInf())}
		if gradient {
			fail = append([]jen.Code{jen.Clear(jen.Id("grad"))}, fail...)
		}
		w.add(jen.If(violated(late)).Block(fail...))
	}
	w.add(jen.Id("logLik").Op("+=").Add(w.ref(g.LogLik, 0)))
	for j, id := range g.Grad {
		if gradient && !(b.u.constant[id] && b.u.number[id] == 0) {
			w.add(jen.Id("grad").Index(jen.Lit(j)).Op("+=").Add(w.ref(id, 0)))
		}
	}
	return jen.If(b.size(group).Op(">").Lit(0)).Block(w.code...)
}

// unpack names the live parameters:
//
//	v, a, z, t := theta[0], theta[1], theta[2], theta[3]
func (b *block) unpack(live []bool) {
	var names, values []jen.Code
	for index, p := range b.u.p.Params {
		for i, v := range b.u.p.Values {
			if v.Kind == ir.Param && v.Index == index && live[i] && b.known[ir.ID(i)] == nil {
				name := jen.Id(b.names.name(p.Name))
				b.know(ir.ID(i), name)
				names = append(names, name)
				values = append(values, jen.Id("theta").Index(jen.Lit(index)))
			}
		}
	}
	if len(names) > 0 {
		b.add(jen.List(names...).Op(":=").List(values...))
	}
}

// knowData refers to the numbers that NewData computed, and to sums of what is the same for every trial.
func (b *block) knowData() {
	for i, v := range b.u.p.Values {
		id := ir.ID(i)
		switch {
		case b.u.scalar[id] != "":
			b.know(id, jen.Id("d").Dot(b.u.scalar[id]))
		case v.Kind != ir.Total && v.Kind != ir.Least:
		case b.u.constant[v.Args[0]]:
			b.know(id, b.repeated(v, literal(b.u.number[v.Args[0]])))
		case b.u.facts.Stage[id] == ir.Data:
			b.know(id, jen.Id("d").Dot(b.u.group[v.Group]).Dot(b.u.statistic(v)))
		}
	}
}

// repeated is the sum or minimum over a group's trials of a number x:
//
//	float64(d.upper.n)
func (b *block) repeated(v ir.Value, x jen.Code) jen.Code {
	n := jen.Float64().Call(b.size(v.Group))
	switch {
	case v.Kind == ir.Least:
		return x
	case b.u.constant[v.Args[0]] && b.u.number[v.Args[0]] == 1:
		return n
	}
	return jen.Add(n).Op("*").Add(x)
}

// size is the number of trials of a group.
func (b *block) size(group int) *jen.Statement {
	return jen.Id("d").Dot(b.u.group[group]).Dot("n")
}

// epilogue prints the loops and the values after them whose users are the groups that want picks.
func (b *block) epilogue(e evaluation, want func(need uint) bool) {
	called := map[int]bool{}
	for i, v := range b.u.p.Values {
		id := ir.ID(i)
		if !e.live[id] || b.u.facts.Stage[id] != ir.Epilogue || b.known[id] != nil {
			continue
		}
		if v.Kind == ir.Apply {
			if want(e.need[id]) {
				b.define([]ir.ID{id})
			}
			continue
		}
		if b.u.facts.Stage[v.Args[0]] == ir.Prologue {
			b.know(id, jen.Parens(b.repeated(v, b.ref(v.Args[0], 0))))
			continue
		}
		if k := e.kernels[v.Group]; want(kernelNeed(e, k)) && !called[v.Group] {
			called[v.Group] = true
			b.call(k)
		}
	}
}

// kernelNeed is the set of groups that need a result of the kernel.
func kernelNeed(e evaluation, k ir.Kernel) uint {
	need := uint(0)
	for _, out := range k.Outs {
		need |= e.need[out]
	}
	return need
}

// call runs a loop:
//
//	s0, s1 := gradSums(d.upper.rt, t)
func (b *block) call(k ir.Kernel) {
	results := map[ir.ID]jen.Code{}
	for _, out := range k.Outs {
		results[out] = jen.Id(b.names.takeFirst(sumNames, single)[0])
		b.know(out, results[out])
	}
	if tables := b.u.tablesOf(k); len(tables) > 0 {
		b.fromTables(k, tables, results)
		return
	}
	b.add(jen.List(inOuts(k, results)...).Op(":=").Add(b.run(k, b.columnsOf(k))))
}

// columnsOf lists the columns of a group that a loop reads.
func (b *block) columnsOf(k ir.Kernel) []jen.Code {
	var args []jen.Code
	for _, id := range k.Columns {
		args = append(args, jen.Id("d").Dot(b.u.group[k.Group]).Dot(b.u.column[id]))
	}
	return args
}

// run is the call of a loop.
func (b *block) run(k ir.Kernel, columns []jen.Code) jen.Code {
	args := append([]jen.Code{}, columns...)
	for _, id := range k.Inputs {
		args = append(args, b.ref(id, 0))
	}
	l := b.u.loops[b.u.bySign[k.Signature(b.u.p)]]
	if l.assembly {
		args = append([]jen.Code{jen.Id("d").Dot("engine")}, args...)
	}
	return jen.Id(l.name).Call(args...)
}

// pick lists live values, arguments first.
func (u *unit) pick(e evaluation, want func(ir.ID) bool) []ir.ID {
	var ids []ir.ID
	for i, v := range u.p.Values {
		if id := ir.ID(i); e.live[id] && v.Kind == ir.Apply && !u.constant[id] && want(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// comment prints a comment above statements, if there are any.
func (b *block) comment(text string, ids []ir.ID) {
	if len(ids) > 0 {
		b.add(jen.Comment(text))
	}
}

// conditions lists the support conditions of a group that can be tested before its loop, or the others.
func (b *block) conditions(g ir.Group, early bool) [][2]jen.Code {
	var list [][2]jen.Code
	for _, c := range g.Support {
		if b.u.early(c) == early {
			list = append(list, [2]jen.Code{b.ref(c.Left, 0), b.ref(c.Right, 0)})
		}
	}
	return list
}

func (u *unit) early(c ir.Cond) bool {
	return u.facts.Stage[c.Left] != ir.Epilogue && u.facts.Stage[c.Right] != ir.Epilogue
}

// violated is the negation of all conditions together, so that a NaN violates them:
//
//	!(t < d.upper.minRt)
func violated(conditions [][2]jen.Code) jen.Code {
	all := &jen.Statement{}
	for i, c := range conditions {
		if i > 0 {
			all.Op("&&")
		}
		all.Add(c[0]).Op("<").Add(c[1])
	}
	return jen.Op("!").Parens(all)
}

func minusInf() jen.Code { return jen.Qual("math", "Inf").Call(jen.Lit(-1)) }
