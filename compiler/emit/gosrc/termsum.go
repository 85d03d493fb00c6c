package gosrc

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"likc/compiler/ir"
)

// A table needs sums over trials at each of its points. They are computed for cacheTrials trials at a time, at all points,
// while these trials are in the processor's cache. A table's error is compared with the sum of absolute terms. Here a term is
// the sum over termTrials trials, which the usual loop computes. The sum of their absolute values is at most that of single
// trials, so the comparison is stricter.
const (
	cacheTrials = 2048
	termTrials  = 128
)

// termSum prints the method that computes a table's sums:
//
//	func (d *Data) sumUpperByT(psi, value, abs []float64) {
//		clear(value)
//		clear(abs)
//		g := &d.upper
//		for some := 0; some < g.n; some += 2048 {
//			for j, t := range psi {
//				value, abs := value[2*j:2*j+2], abs[2*j:2*j+2]
//				for from := some; from < min(some+2048, g.n); from += 128 {
//					to := min(from+128, g.n)
//					s0, s1 := gradSums(g.rt[from:to], t)
//					value[0] += s0
//					abs[0] += math.Abs(s0)
//					…
//				}
//			}
//		}
//	}
func (u *unit) termSum(group int, t table) jen.Code {
	doc := fmt.Sprintf("// %s adds up, at each of several %s, the terms that depend on it alone, and their magnitudes, %d trials\n"+
		"// taken together.", t.method, u.Called(t.Psi), termTrials)
	b := u.newBlock()
	value, abs, psi := jen.Id("value"), jen.Id("abs"), jen.Id("psi")
	g, some, j, size := jen.Id("g"), jen.Id("some"), jen.Id("j"), jen.Id("g").Dot("n")
	b.names.Reserve("psi", "value", "abs", "some", "j", "from", "to")
	at := jen.Id(b.names.Declare(u.Called(t.Psi)))
	b.know(t.Psi, at)
	k := jen.Lit(len(t.Kernel.Outs)).Op("*").Add(j)
	part := jen.Index(k, jen.Add(k).Op("+").Lit(len(t.Kernel.Outs)))
	b.add(jen.List(value, abs).Op(":=").List(jen.Add(value).Add(part), jen.Add(abs).Add(part)))
	b.define(t.Scalars, single)
	b.add(b.addTerms(t, size))
	over := jen.For(jen.List(j, at).Op(":=").Range().Add(psi)).Block(b.code...)
	return u.method(doc, t.method).Params(jen.List(psi, value, abs).Index().Float64()).Block(
		jen.Clear(value),
		jen.Clear(abs),
		jen.Add(g).Op(":=").Op("&").Id("d").Dot(u.GroupNames[group]),
		jen.For(jen.Add(some).Op(":=").Lit(0), jen.Add(some).Op("<").Add(size), jen.Add(some).Op("+=").Lit(cacheTrials)).Block(over),
	)
}

// addTerms prints the innermost loop of termSum.
func (b *block) addTerms(t table, size jen.Code) jen.Code {
	w := b.inner()
	from, to, some := jen.Id("from"), jen.Id("to"), jen.Id("some")
	var args []jen.Code
	for _, id := range t.kernel.Columns {
		args = append(args, jen.Id("g").Dot(b.Column(id)).Index(from, to))
	}
	results, outs := map[ir.ID]jen.Code{}, t.kernel.Outs
	for i, name := range identifiers(w.sumNames(t.kernel)) {
		results[outs[i]] = name
	}
	w.add(
		jen.Add(to).Op(":=").Min(jen.Add(from).Op("+").Lit(termTrials), size),
		jen.List(inOuts(t.kernel, results)...).Op(":=").Add(w.run(t.kernel, args, func(id ir.ID) jen.Code { return w.at(id, 0) })),
	)
	for i, out := range t.Kernel.Outs {
		w.add(
			jen.Id("value").Index(jen.Lit(i)).Op("+=").Add(results[out]),
			jen.Id("abs").Index(jen.Lit(i)).Op("+=").Qual("math", "Abs").Call(results[out]),
		)
	}
	end := jen.Min(jen.Add(some).Op("+").Lit(cacheTrials), size)
	return jen.For(jen.Add(from).Op(":=").Add(some), jen.Add(from).Op("<").Add(end), jen.Add(from).Op("+=").Lit(termTrials)).Block(w.code...)
}
