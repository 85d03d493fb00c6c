package gosrc

import (
	"fmt"
	"go/parser"
	"go/token"
	"regexp"
	"strings"

	"github.com/dave/jennifer/jen"

	"likc"
	"likc/compiler/emit"
	"likc/compiler/ir"
)

// table is a tabulation with the names that it has in Go.
type table struct {
	ir.Tabulation
	field  string    // of a group
	method string    // that adds up
	kernel ir.Kernel // the loop that it runs: the group's own if tables serve all of it
}

// nameTables names the tables of every group.
func (u *unit) nameTables(fields *scope) {
	fieldOf := map[ir.ID]string{}
	for g, list := range ir.Tabulations(u.p, u.facts) {
		var tables []table
		for _, tabulation := range list {
			t := table{Tabulation: tabulation, kernel: tabulation.Kernel}
			if all := u.both.kernels[g]; len(all.Outs) == len(t.kernel.Outs) {
				t.kernel = all
			}
			by := title(u.called(t.Psi))
			if fieldOf[t.Psi] == "" {
				fieldOf[t.Psi] = fields.name("by" + by)
			}
			t.field = fieldOf[t.Psi]
			t.method = fields.name("sum" + title(u.group[g]) + "By" + by)
			tables = append(tables, t)
		}
		u.tables = append(u.tables, tables)
	}
}

// tableKernels lists the loops that tables run.
func (u *unit) tableKernels() []ir.Kernel {
	var list []ir.Kernel
	for _, tables := range u.tables {
		for _, t := range tables {
			list = append(list, t.kernel)
		}
	}
	return list
}

// tabulated reports whether a group has tables.
func (u *unit) tabulated() bool { return len(u.tableKernels()) > 0 }

// tabulations are the tables of a group as the program has them.
func (u *unit) tabulations(group int) []ir.Tabulation {
	var list []ir.Tabulation
	for _, t := range u.tables[group] {
		list = append(list, t.Tabulation)
	}
	return list
}

// rest is the loop that is left for trials whose other sums come from tables; without Outs if there is none.
func (u *unit) rest(k ir.Kernel) ir.Kernel {
	return k.Only(u.p, u.facts, k.Untabulated(u.tabulations(k.Group)))
}

// rests lists what is left of kernels that have tables.
func (u *unit) rests(kernels []ir.Kernel) []ir.Kernel {
	var list []ir.Kernel
	for _, k := range kernels {
		if len(u.tables[k.Group]) > 0 {
			list = append(list, u.rest(k))
		}
	}
	return list
}

// tableFields are the tables as fields of a group:
//
//	tables bool   // whether they serve
//	byT    *table // sums that depend on t alone
func (u *unit) tableFields() []jen.Code {
	if !u.tabulated() {
		return nil
	}
	fields := []jen.Code{jen.Id("tables").Bool().Comment("whether they serve")}
	seen := map[string]bool{}
	for _, list := range u.tables {
		for _, t := range list {
			if !seen[t.field] {
				seen[t.field] = true
				fields = append(fields, jen.Id(t.field).Op("*").Id("table").Comment("sums that depend on "+u.called(t.Psi)+" alone"))
			}
		}
	}
	return fields
}

// tableMethods prints what makes the tables, turns them on and off, and adds up for them.
func (u *unit) tableMethods() []jen.Code {
	if !u.tabulated() {
		return nil
	}
	code := []jen.Code{u.makeTables()}
	if !u.short() {
		code = append(code, u.useTables())
	}
	for i, list := range u.tables {
		for _, t := range list {
			code = append(code, u.termSum(i, t))
		}
	}
	return code
}

// makeTables prints the tables' constructor:
//
//	func (d *Data) tabulate() {
//		d.upper.tables = d.upper.n >= 256
//		d.upper.byT = newTable(2, domain{Lo: 0, Hi: d.upper.minRt, edge: edgeHi, Visits: 1}, d.sumUpperByT)
//		…
//	}
func (u *unit) makeTables() jen.Code {
	b := u.newBlock()
	b.knowData()
	for i, list := range u.tables {
		if len(list) == 0 {
			continue
		}
		g := jen.Id("d").Dot(u.group[i])
		b.add(jen.Add(g).Dot("tables").Op("=").Add(b.size(i)).Op(">=").Lit(ir.TableTrials))
		for _, t := range list {
			b.add(jen.Add(g).Dot(t.field).Op("=").Id("newTable").Call(jen.Lit(len(t.Kernel.Outs)), b.domain(t), jen.Id("d").Dot(t.method)))
		}
	}
	return u.method("// tabulate makes the tables, empty: a piece is built where it is visited first, so that an answer depends on theta\n"+
		"// alone. Groups of few trials do without.", "tabulate").Params().Block(b.code...)
}

// domain is where a table serves: the range of its parameter, up to the end of the support if that has one.
func (b *block) domain(t table) jen.Code {
	psi := b.u.p.Params[b.u.p.Values[t.Psi].Index]
	lo, hi, edge := literal(psi.Lower), literal(psi.Upper), "noEdge"
	switch t.Edge {
	case ir.EdgeHi:
		hi, edge = b.ref(t.Bound, 0), "edgeHi"
	case ir.EdgeLo:
		lo, edge = b.ref(t.Bound, 0), "edgeLo"
	}
	set := func(name string, value jen.Code) jen.Code { return jen.Id(name).Op(":").Add(value) }
	return jen.Id("domain").Values(set("Lo", lo), set("Hi", hi), set("edge", jen.Id(edge)), set("Visits", jen.Lit(1)))
}

// useTables prints the switch.
func (u *unit) useTables() jen.Code {
	var code []jen.Code
	for i, list := range u.tables {
		if len(list) > 0 {
			code = append(code, jen.Id("d").Dot(u.group[i]).Dot("tables").Op("=").Id("on"))
		}
	}
	doc := fmt.Sprintf("// UseTables says whether sums over trials that depend on one parameter alone come from tables, in a time that does not\n"+
		"// grow with the trials; it must not be called while d evaluates. By default they do in groups of %d trials or more.", ir.TableTrials)
	return u.method(doc, "UseTables").Params(jen.Id("on").Bool()).Block(code...)
}

// testedTable is a table as the tests of the emitted package find it.
type testedTable struct {
	Group, Field, Method string
	Param, Sums          int
}

func (u *unit) testedTables() []testedTable {
	var list []testedTable
	for i, tables := range u.tables {
		for _, t := range tables {
			list = append(list, testedTable{u.group[i], t.field, t.method, u.p.Values[t.Psi].Index, len(t.Kernel.Outs)})
		}
	}
	return list
}

// A table adds up at all its points over cacheTrials before it reads the next, while they are in cache. The magnitudes of
// the terms are those of termTrials together, which are no more than that of each by itself: a table's error is judged more
// strictly, and any loop will do.
const (
	cacheTrials = 2048
	termTrials  = 128
)

// termSum prints what a table adds up with:
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
		"// taken together.", t.method, u.called(t.Psi), termTrials)
	b := u.newBlock()
	value, abs, psi := jen.Id("value"), jen.Id("abs"), jen.Id("psi")
	g, some, j, size := jen.Id("g"), jen.Id("some"), jen.Id("j"), jen.Id("g").Dot("n")
	for _, name := range []string{"psi", "value", "abs", "some", "j", "from", "to"} {
		b.names.taken[name] = true
	}
	at := jen.Id(b.names.named(u.called(t.Psi), single)[0])
	b.know(t.Psi, at)
	k := jen.Lit(len(t.Kernel.Outs)).Op("*").Add(j)
	part := jen.Index(k, jen.Add(k).Op("+").Lit(len(t.Kernel.Outs)))
	b.add(jen.List(value, abs).Op(":=").List(jen.Add(value).Add(part), jen.Add(abs).Add(part)))
	b.define(t.Scalars)
	b.add(b.addTerms(t, size))
	over := jen.For(jen.List(j, at).Op(":=").Range().Add(psi)).Block(b.code...)
	return u.method(doc, t.method).Params(jen.List(psi, value, abs).Index().Float64()).Block(
		jen.Clear(value),
		jen.Clear(abs),
		jen.Add(g).Op(":=").Op("&").Id("d").Dot(u.group[group]),
		jen.For(jen.Add(some).Op(":=").Lit(0), jen.Add(some).Op("<").Add(size), jen.Add(some).Op("+=").Lit(cacheTrials)).Block(over),
	)
}

// addTerms prints the innermost loop of termSum.
func (b *block) addTerms(t table, size jen.Code) jen.Code {
	w := b.inner()
	from, to, some := jen.Id("from"), jen.Id("to"), jen.Id("some")
	var args []jen.Code
	for _, id := range t.kernel.Columns {
		args = append(args, jen.Id("g").Dot(b.u.column[id]).Index(from, to))
	}
	results, outs := map[ir.ID]jen.Code{}, t.kernel.Outs
	for i, name := range identifiers(w.sumNames(t.kernel)) {
		results[outs[i]] = name
	}
	w.add(
		jen.Add(to).Op(":=").Min(jen.Add(from).Op("+").Lit(termTrials), size),
		jen.List(inOuts(t.kernel, results)...).Op(":=").Add(w.run(t.kernel, args)),
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

// fromTables prints a loop's results as tables serve them, and the loop for where they do not:
//
//	var s0, s1 float64
//	var served [2]float64
//	if d.upper.tables && d.upper.byT.At(t, served[:]) {
//		s0, s1 = served[0], served[1]
//	} else {
//		s0, s1 = gradSums(d.upper.rt, t)
//	}
func (b *block) fromTables(k ir.Kernel, tables []table, results map[ir.ID]jen.Code) {
	served := jen.Id(b.names.name("served"))
	serve := jen.Id("d").Dot(b.u.group[k.Group]).Dot("tables")
	n := 0
	var names, cells []jen.Code
	for _, t := range tables {
		first := n
		for _, out := range t.Kernel.Outs[:t.Among(k)] {
			names = append(names, results[out])
			cells = append(cells, jen.Add(served).Index(jen.Lit(n)))
			n++
		}
		part := jen.Add(served).Index(jen.Lit(first), jen.Lit(n))
		serve.Op("&&").Id("d").Dot(b.u.group[k.Group]).Dot(t.field).Dot("At").Call(b.ref(t.Psi, 0), part)
	}
	hit := []jen.Code{jen.List(names...).Op("=").List(cells...)}
	if rest := b.u.rest(k); len(rest.Outs) > 0 {
		hit = append(hit, jen.List(inOuts(rest, results)...).Op("=").Add(b.run(rest, b.columnsOf(rest))))
	}
	all := inOuts(k, results)
	b.add(
		jen.Var().List(all...).Float64(),
		jen.Var().Add(served).Index(jen.Lit(n)).Float64(),
		jen.If(serve).Block(hit...).Else().Block(jen.List(all...).Op("=").Add(b.run(k, b.columnsOf(k)))),
	)
}

// inOuts lists what is known of a kernel's results, in its order.
func inOuts(k ir.Kernel, results map[ir.ID]jen.Code) []jen.Code {
	var list []jen.Code
	for _, out := range k.Outs {
		list = append(list, results[out])
	}
	return list
}

// tablesOf lists the tables that serve results of a kernel.
func (u *unit) tablesOf(k ir.Kernel) []table {
	var list []table
	for _, t := range u.tables[k.Group] {
		if t.Among(k) > 0 {
			list = append(list, t)
		}
	}
	return list
}

// exported are the names of package tabulate that are nobody's business in an emitted package.
var exported = regexp.MustCompile(`\b(NewTable|Table|Domain|Edge|NoEdge|EdgeHi|EdgeLo|Sum)\b`)

// tabulate is the source of package tabulate, its exported functions and types unexported.
func tabulate() []jen.Code {
	var code []jen.Code
	for _, text := range likc.Tabulate() {
		f, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ImportsOnly)
		if err != nil {
			panic(fmt.Sprintf("gosrc: package tabulate: %v", err)) // it is part of this program
		}
		body := text[f.Decls[len(f.Decls)-1].End()-f.FileStart:]
		body = exported.ReplaceAllStringFunc(body, func(name string) string { return strings.ToLower(name[:1]) + name[1:] })
		code = append(code, source(strings.TrimSpace(body)))
	}
	return code
}

// tabulateFile prints tabulate.go, if the package has tables.
func (u *unit) tabulateFile(cfg emit.Config) ([]emit.File, error) {
	if !u.tabulated() {
		return nil, nil
	}
	f := jen.NewFile(cfg.Package)
	f.HeaderComment("// Code generated by likc from " + cfg.Source + "; DO NOT EDIT.")
	f.HeaderComment("//\n// Tables of sums over trials that depend on one parameter: the text of likc's package tabulate.")
	data, err := render(f, tabulate())
	return []emit.File{{Name: "tabulate.go", Data: data}}, err
}
