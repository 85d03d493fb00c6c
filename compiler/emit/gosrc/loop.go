package gosrc

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"likc/compiler/emit/plan"
	"likc/compiler/ir"
)

// maxWide is the largest number of values in a body that is evaluated for four trials at a time; a longer body fills the
// registers.
const maxWide = 24

// wide reports whether a loop evaluates four trials at a time. This is faster if the body is arithmetic only, since a call
// saves all registers.
func (u *unit) wide(k ir.Kernel) bool {
	return len(k.Body) <= maxWide && !k.HasNodes(u.Program) && !slices.ContainsFunc(k.Body, u.Calls)
}

// function prints the loop:
//
//	// sums goes over trials and returns
//	//   - the sum of inv(rt - t)
//	func sums(rt []float64, t float64) (s0 float64) {
//		for len(rt) >= 4 { … }
//		for i := range rt { … }
//		return s0
//	}
func (u *unit) function(l *plan.Loop) jen.Code {
	b := u.newBlock()
	columns, nodes := identifiers(b.inputNames(l.Kernel.Columns)), identifiers(b.inputNames(l.Kernel.Nodes))
	var params []jen.Code
	if u.takesEngine(l) && u.assembled[l] == nil {
		params = append(params, jen.Id("engine").Id("Engine"))
	}
	if len(columns) > 0 {
		params = append(params, jen.List(append(columns[:len(columns):len(columns)], nodes...)...).Index().Float64())
	}
	for i, id := range l.Kernel.Nodes {
		b.know(id, nodes[i])
	}
	if inputs := identifiers(b.inputNames(l.Kernel.Inputs)); len(inputs) > 0 {
		params = append(params, jen.List(inputs...).Float64())
		for i, id := range l.Kernel.Inputs {
			b.know(id, inputs[i])
		}
	}
	sums := identifiers(b.sumNames(l.Kernel))
	for i, out := range l.Kernel.Outs {
		if u.Values[out].Kind == ir.Least {
			b.add(jen.Add(sums[i]).Op("=").Qual("math", "Inf").Call(jen.Lit(1)))
		}
	}
	if u.wide(l.Kernel) {
		b.add(b.fourAtATime(l.Kernel, columns, sums))
	}
	b.oneAtATime(l.Kernel, columns, sums)
	b.add(jen.Return(sums...))
	name := l.Name
	if u.assembled[l] != nil {
		name += "Go"
	}
	return u.doc(u.loopDoc(name, l)).Func().Id(name).Params(params...).Params(jen.List(sums...).Float64()).Block(b.code...)
}

// loopDoc returns the comment of a loop's function: over what it goes, and what it returns.
func (u *unit) loopDoc(name string, l *plan.Loop) string {
	lines := []string{"// " + name + " goes over " + l.Over() + " and returns"}
	for _, out := range u.Outs(l.Kernel) {
		lines = append(lines, "//   - "+out)
	}
	return strings.Join(lines, "\n")
}

// inputNames declares identifiers for the inputs of a loop.
func (b *block) inputNames(ids []ir.ID) []string {
	var names []string
	for _, id := range ids {
		names = append(names, b.names.Declare(b.Called(id)))
	}
	return names
}

// sumNames declares identifiers for the results of a loop.
func (b *block) sumNames(k ir.Kernel) []string {
	var names []string
	for range k.Outs {
		names = append(names, b.names.Number("s"))
	}
	return names
}

// fourAtATime prints the loop over blocks of four trials. It first adds up the four, so that each block waits for only one
// addition to the sum:
//
//	for len(rt) >= 4 {
//		tauA, tauB, tauC, tauD := rt[0]-t, rt[1]-t, rt[2]-t, rt[3]-t
//		…
//		s0 += (t0A + t0B) + (t0C + t0D)
//		rt = rt[4:]
//	}
func (b *block) fourAtATime(k ir.Kernel, columns, sums []jen.Code) jen.Code {
	w := b.inner()
	full := &jen.Statement{}
	for i, c := range columns {
		if i > 0 {
			full.Op("&&")
		}
		full.Len(c).Op(">=").Lit(4)
		var cells []jen.Code
		for lane := range lanes {
			cells = append(cells, jen.Add(c).Index(jen.Lit(lane)))
		}
		w.known[k.Columns[i]] = cells
	}
	w.fourValues(k)
	for i, out := range k.Outs {
		w.add(w.accumulate(out, sums[i], lanes))
	}
	for _, c := range columns {
		w.add(jen.Add(c).Op("=").Add(c).Index(jen.Lit(4), jen.Empty()))
	}
	return jen.For(full).Block(w.code...)
}

// oneAtATime prints the loop over single trials:
//
//	for i := range rt {
//		tau := rt[i] - t
//		t0 := 1 / tau
//		s0 += t0
//	}
func (b *block) oneAtATime(k ir.Kernel, columns, sums []jen.Code) {
	w := b.inner()
	for i, c := range columns {
		if i > 0 {
			b.add(jen.Add(c).Op("=").Add(c).Index(jen.Empty(), jen.Len(columns[0])))
		}
		w.know(k.Columns[i], jen.Add(c).Index(jen.Id("i")))
	}
	w.define(k.Body, single)
	for i, out := range k.Outs {
		w.add(w.accumulate(out, sums[i], single))
	}
	b.add(jen.For(jen.Id("i").Op(":=").Range().Add(columns[0])).Block(w.code...))
}

// accumulate prints the statement that adds a value, for one or four trials, to a sum, or updates a minimum.
func (b *block) accumulate(out ir.ID, sum jen.Code, suffixes []string) jen.Code {
	v := b.Values[out]
	var x []jen.Code
	for lane := range suffixes {
		x = append(x, b.at(v.Args[0], lane))
	}
	switch {
	case v.Kind == ir.Least:
		return jen.Add(sum).Op("=").Id("min").Call(append([]jen.Code{sum}, x...)...)
	case len(x) == 1:
		return jen.Add(sum).Op("+=").Add(x[0])
	}
	return jen.Add(sum).Op("+=").Parens(jen.Add(x[0]).Op("+").Add(x[1])).Op("+").Parens(jen.Add(x[2]).Op("+").Add(x[3]))
}
