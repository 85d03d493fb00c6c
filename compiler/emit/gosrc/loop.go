package gosrc

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"likc/compiler/expr"
	"likc/compiler/ir"
)

// loop is one function over the trials of a group; groups whose kernels have the same signature share it.
type loop struct {
	name   string
	kernel ir.Kernel
	wide   bool // four trials at a time

	assembly bool  // for amd64 too
	refused  error // why not
}

// collectLoops names the distinct loops of both evaluations, those of the value first.
func (u *unit) collectLoops() {
	sums, gradSums := "sums", "gradSums"
	if u.short() {
		gradSums = u.prefix + "Sums"
	}
	if !u.short() {
		u.collect(sums, u.value.kernels)
	}
	u.collect(gradSums, u.both.kernels)
	if !u.short() {
		u.collect("restSums", u.rests(u.value.kernels))
		gradSums = "gradRestSums"
	}
	u.collect(gradSums, u.rests(u.both.kernels))
	u.collect(u.prefix+"termSums", u.tableKernels())
}

func (u *unit) collect(stem string, kernels []ir.Kernel) {
	for _, k := range kernels {
		sign := k.Signature(u.p)
		if _, ok := u.bySign[sign]; ok || len(k.Outs) == 0 {
			continue
		}
		u.bySign[sign] = len(u.loops)
		u.loops = append(u.loops, loop{name: u.top.name(stem), kernel: k, wide: u.wide(k)})
	}
}

// Four trials at a time pay where the body is arithmetic: calls empty the registers, and a long body fills them.
const (
	maxWideCost = 6
	maxWideOps  = 24
)

func (u *unit) wide(k ir.Kernel) bool {
	for _, id := range k.Body {
		s := u.p.Values[id].Op.Info()
		if s.Spell[expr.Go].Kind == expr.Local || s.Spell[expr.Go].Kind == expr.Function && s.Cost > maxWideCost {
			return false
		}
	}
	return len(k.Body) <= maxWideOps
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
func (u *unit) function(l loop) jen.Code {
	b := u.newBlock()
	columns := identifiers(b.columnNames(l.kernel))
	var params []jen.Code
	if len(columns) > 0 {
		params = append(params, jen.List(columns...).Index().Float64())
	}
	if inputs := b.inputs(l.kernel); len(inputs) > 0 {
		params = append(params, jen.List(inputs...).Float64())
	}
	sums := identifiers(b.sumNames(l.kernel))
	for i, out := range l.kernel.Outs {
		if u.p.Values[out].Kind == ir.Least {
			b.add(jen.Add(sums[i]).Op("=").Qual("math", "Inf").Call(jen.Lit(1)))
		}
	}
	if l.wide {
		b.add(b.fourAtATime(l.kernel, columns, sums))
	}
	b.oneAtATime(l.kernel, columns, sums)
	b.add(jen.Return(sums...))
	name := l.name
	if l.assembly {
		name += "Go"
	}
	return u.doc(u.loopDoc(name, l)).Func().Id(name).Params(params...).Params(jen.List(sums...).Float64()).Block(b.code...)
}

// sumNames yields s0, s1, ….
func sumNames(yield func(string) bool) {
	for name := range temporaries {
		if !yield("s" + name[1:]) {
			return
		}
	}
}

func (u *unit) loopDoc(name string, l loop) string {
	lines := []string{"// " + name + " goes over trials and returns"}
	for _, out := range l.kernel.Outs {
		what := map[ir.Kind]string{ir.Total: "the sum of ", ir.Least: "the minimum of "}[u.p.Values[out].Kind]
		lines = append(lines, "//   - "+what+u.formula(u.p.Values[out].Args[0]))
	}
	return strings.Join(lines, "\n")
}

// columnNames names the columns that a loop reads.
func (b *block) columnNames(k ir.Kernel) []string {
	var names []string
	for _, id := range k.Columns {
		names = append(names, b.names.named(b.u.called(id), single)[0])
	}
	return names
}

// inputs names the scalars that a loop is given.
func (b *block) inputs(k ir.Kernel) []jen.Code {
	list := identifiers(b.inputNames(k))
	for i, id := range k.Inputs {
		b.know(id, list[i])
	}
	return list
}

func (b *block) inputNames(k ir.Kernel) []string {
	var names []string
	for _, id := range k.Inputs {
		names = append(names, b.names.named(b.u.called(id), single)[0])
	}
	return names
}

// fourAtATime prints the loop over blocks of four trials; adding the four first leaves one addition to wait for.
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
	w.define(k.Body)
	for i, out := range k.Outs {
		w.add(w.accumulate(out, sums[i], single))
	}
	b.add(jen.For(jen.Id("i").Op(":=").Range().Add(columns[0])).Block(w.code...))
}

// accumulate adds the lanes of a value to a sum, or takes them into a minimum.
func (b *block) accumulate(out ir.ID, sum jen.Code, suffixes []string) jen.Code {
	v := b.u.p.Values[out]
	var x []jen.Code
	for lane := range suffixes {
		x = append(x, b.ref(v.Args[0], lane))
	}
	switch {
	case v.Kind == ir.Least:
		return jen.Add(sum).Op("=").Id("min").Call(append([]jen.Code{sum}, x...)...)
	case len(x) == 1:
		return jen.Add(sum).Op("+=").Add(x[0])
	}
	return jen.Add(sum).Op("+=").Parens(jen.Add(x[0]).Op("+").Add(x[1])).Op("+").Parens(jen.Add(x[2]).Op("+").Add(x[3]))
}
