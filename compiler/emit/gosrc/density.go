package gosrc

import (
	"math"
	"math/bits"
	"slices"

	"github.com/dave/jennifer/jen"

	"likc/compiler/ir"
)

// density prints the log density of one trial: the program with the trial's own value for every sum over trials.
//
//	func LogDensity(theta []float64, rt, choice float64) float64 {
//		v, a, z, t := theta[0], theta[1], theta[2], theta[3]
//		t0 := a * a
//		…
//		switch choice {
//		case 1:
//			if !(t < rt) {
//				return math.Inf(-1)
//			}
//			…
//			return t12
//		case -1:
//			…
//		}
//		return math.NaN()
//	}
func (u *unit) density() jen.Code {
	b := u.newBlock()
	columns, choice := b.columnParams()
	for i, v := range u.p.Values {
		if v.Kind == ir.Column {
			b.know(ir.ID(i), columns[v.Index])
		}
	}
	b.unpack(u.value.live)
	b.oneTrial(noGroup, func(id ir.ID) bool { return bits.OnesCount(u.value.need[id]) > 1 && !u.afterSum(id) })
	var cases []jen.Code
	for i, g := range u.p.Groups {
		w := b.inner()
		w.oneTrial(i, func(id ir.ID) bool { return u.value.need[id]&(1<<i) != 0 })
		if all := w.allConditions(g); len(all) > 0 {
			w.add(jen.If(violated(all)).Block(jen.Return(minusInf())))
		}
		w.add(jen.Return(w.ref(g.LogLik, 0)))
		cases = append(cases, jen.Case(jen.Lit(int(g.Choice))).Block(w.code...))
		if u.p.Choice == "" {
			b.add(w.code...)
		}
	}
	doc := "// LogDensity is the log density of one trial at theta (length Dim); -Inf outside the support"
	if u.p.Choice != "" {
		b.add(jen.Switch(choice[0]).Block(cases...), jen.Return(jen.Qual("math", "NaN").Call()))
		doc += ",\n// NaN for a choice that is neither +1 nor -1"
	}
	return jen.Comment(doc+".").Line().Func().Id("LogDensity").
		Params(jen.Id("theta").Index().Float64(), jen.List(append(columns, choice...)...).Float64()).Float64().Block(b.code...)
}

// noGroup stands for what the groups share.
const noGroup = -1

// oneTrial prints the values that want picks, as they are for a dataset of one trial of the group.
func (b *block) oneTrial(group int, want func(ir.ID) bool) {
	for i, v := range b.u.p.Values {
		id := ir.ID(i)
		sum := v.Kind == ir.Total || v.Kind == ir.Least
		switch {
		case !b.u.value.live[id] || b.known[id] != nil || b.u.constant[id] || !want(id):
		case v.Kind == ir.Apply && !slices.ContainsFunc(v.Args, func(arg ir.ID) bool { return !b.untyped(group, arg) }):
			b.assign(id, single, func(lane int) jen.Code { return jen.Float64().Parens(b.apply(v, lane)) })
		case v.Kind == ir.Apply:
			b.define([]ir.ID{id})
		case sum && v.Group == group:
			b.known[id] = []jen.Code{b.ref(v.Args[0], 0)}
		case sum: // of a group without trials
			b.know(id, literal(map[ir.Kind]float64{ir.Least: math.Inf(1)}[v.Kind]))
		}
	}
}

// untyped reports whether a value is printed as a number, such as 1 for the number of trials: a product of such would be
// an int.
func (b *block) untyped(group int, id ir.ID) bool {
	v := b.u.p.Values[id]
	sum := v.Kind == ir.Total || v.Kind == ir.Least
	return b.u.constant[id] || sum && (v.Group != group || b.u.constant[v.Args[0]])
}

// afterSum reports whether a value comes after a sum over trials.
func (u *unit) afterSum(id ir.ID) bool {
	return u.facts.Stage[id] == ir.Epilogue || u.facts.Stage[id] == ir.Data && !u.facts.PerTrial[id]
}

// allConditions lists the support conditions of a group.
func (b *block) allConditions(g ir.Group) [][2]jen.Code {
	var list [][2]jen.Code
	for _, c := range g.Support {
		list = append(list, [2]jen.Code{b.ref(c.Left, 0), b.ref(c.Right, 0)})
	}
	return list
}
