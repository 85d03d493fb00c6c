package gosrc

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"likc/compiler/emit/plan"
	"likc/compiler/ir"
)

// table is a tabulation with its names in Go. It interpolates sums over trials that depend on a single parameter.
type table struct {
	ir.Tabulation
	field  string    // the field that holds it in a group, the trials with one choice
	method string    // the method that computes the sums at the table's points
	kernel ir.Kernel // the loop that the method runs: the group's own loop if tables give all its sums
}

// nameTables names the tables of every group.
func (u *unit) nameTables() {
	fieldOf := map[ir.ID]string{}
	for g, list := range ir.Tabulations(u.Program, u.Facts) {
		var tables []table
		for _, tabulation := range list {
			t := table{Tabulation: tabulation, kernel: tabulation.Kernel}
			if all := u.Both.Kernels[g]; len(all.Outs) == len(t.kernel.Outs) {
				t.kernel = all
			}
			psi := title(u.Called(t.Psi))
			if fieldOf[t.Psi] == "" {
				fieldOf[t.Psi] = u.Fields.Declare("by" + psi)
			}
			t.field = fieldOf[t.Psi]
			t.method = u.Fields.Declare("sum" + title(u.GroupNames[g]) + "By" + psi)
			tables = append(tables, t)
		}
		u.tables = append(u.tables, tables)
	}
}

// tableKernels returns the loops that compute the tables' sums.
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

// tabulations returns the tables of a group as the program has them.
func (u *unit) tabulations(group int) []ir.Tabulation {
	var list []ir.Tabulation
	for _, t := range u.tables[group] {
		list = append(list, t.Tabulation)
	}
	return list
}

// rest returns the loop for the sums that tables do not give. The loop has no results (Outs) if tables give all sums.
func (u *unit) rest(k ir.Kernel) ir.Kernel {
	return k.Only(u.Program, u.Facts, k.Untabulated(u.tabulations(k.Group)))
}

// rests returns, for the kernels with tables, the loops for the sums that tables do not give.
func (u *unit) rests(kernels []ir.Kernel) []ir.Kernel {
	var list []ir.Kernel
	for _, k := range kernels {
		if len(u.tables[k.Group]) > 0 {
			list = append(list, u.rest(k))
		}
	}
	return list
}

// tableFields returns the tables as fields of a group:
//
//	tables bool   // whether the tables are used
//	byT    *table // sums that depend only on t
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
				fields = append(fields, jen.Id(t.field).Op("*").Id("table").Comment("sums that depend on "+u.Called(t.Psi)+" alone"))
			}
		}
	}
	return fields
}

// tableMethods prints the methods that make the tables, turn them on and off, and compute their sums.
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
	var code []jen.Code
	for i, list := range u.tables {
		if len(list) == 0 {
			continue
		}
		g := jen.Id("d").Dot(u.GroupNames[i])
		code = append(code, jen.Add(g).Dot("tables").Op("=").Add(u.size(i)).Op(">=").Lit(ir.TableTrials))
		for _, t := range list {
			code = append(code, jen.Add(g).Dot(t.field).Op("=").Id("newTable").Call(jen.Lit(len(t.Kernel.Outs)), u.domain(t), jen.Id("d").Dot(t.method)))
		}
	}
	return u.method("// tabulate makes the tables, empty: a piece is built where it is visited first, so that an answer depends on theta\n"+
		"// alone. Groups of few trials do without.", "tabulate").Params().Block(code...)
}

// domain returns the Go value for the domain of a table: the range of its parameter, up to the end of the support if it has
// one.
func (u *unit) domain(t table) jen.Code {
	psi := u.Params[u.Values[t.Psi].Index]
	lo, hi, edge := literal(psi.Lower), literal(psi.Upper), "noEdge"
	switch t.Edge {
	case ir.EdgeHi:
		hi, edge = u.ref(u.At(t.Bound)), "edgeHi"
	case ir.EdgeLo:
		lo, edge = u.ref(u.At(t.Bound)), "edgeLo"
	}
	set := func(name string, value jen.Code) jen.Code { return jen.Id(name).Op(":").Add(value) }
	return jen.Id("domain").Values(set("Lo", lo), set("Hi", hi), set("edge", jen.Id(edge)), set("Visits", jen.Lit(1)))
}

// useTables prints the method that turns the tables on and off.
func (u *unit) useTables() jen.Code {
	var code []jen.Code
	for i, list := range u.tables {
		if len(list) > 0 {
			code = append(code, jen.Id("d").Dot(u.GroupNames[i]).Dot("tables").Op("=").Id("on"))
		}
	}
	doc := fmt.Sprintf("// UseTables says whether sums over trials that depend on one parameter alone come from tables, in a time that does not\n"+
		"// grow with the trials; it must not be called while d evaluates. By default they do in groups of %d trials or more.", ir.TableTrials)
	return u.method(doc, "UseTables").Params(jen.Id("on").Bool()).Block(code...)
}

// testedTable describes a table for the tests of the emitted package.
type testedTable struct {
	Group, Field, Method string
	Param, Sums          int
}

// testedTables describes the tables of all groups for the tests of the emitted package.
func (u *unit) testedTables() []testedTable {
	var list []testedTable
	for i, tables := range u.tables {
		for _, t := range tables {
			list = append(list, testedTable{u.GroupNames[i], t.field, t.method, u.Values[t.Psi].Index, len(t.Kernel.Outs)})
		}
	}
	return list
}

// fromTables prints code that takes a loop's results from tables, or runs the loop where a table has no value:
//
//	var s0, s1 float64
//	var served [2]float64
//	if d.upper.tables && d.upper.byT.At(t, served[:]) {
//		s0, s1 = served[0], served[1]
//	} else {
//		s0, s1 = gradSums(d.upper.rt, t)
//		if d.upper.tables {
//			d.upper.byT.Keep(t, s0, s1)
//		}
//	}
func (u *unit) fromTables(s plan.Call, tables []table) []jen.Code {
	k, results := s.Kernel, map[ir.ID]jen.Code{}
	for i, out := range k.Outs {
		results[out] = u.ref(s.Results[i])
	}
	served := jen.Id(s.In.Names.Declare("served"))
	group := jen.Id("d").Dot(u.GroupNames[k.Group])
	serve := jen.Add(group).Dot("tables")
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
		serve.Op("&&").Add(group).Dot(t.field).Dot("At").Call(u.ref(s.In.Ref(t.Psi)), part)
	}
	hit := []jen.Code{jen.List(names...).Op("=").List(cells...)}
	if rest := u.rest(k); len(rest.Outs) > 0 {
		hit = append(hit, jen.List(inOuts(rest, results)...).Op("=").Add(u.runAll(s, rest)))
	}
	all := inOuts(k, results)
	miss := []jen.Code{jen.List(all...).Op("=").Add(u.runAll(s, k))}
	if t := tables[0]; len(tables) == 1 && n == len(k.Outs) && n == len(t.Kernel.Outs) {
		keep := jen.Add(group).Dot(t.field).Dot("Keep").Call(append([]jen.Code{u.ref(s.In.Ref(t.Psi))}, names...)...)
		miss = append(miss, jen.If(jen.Add(group).Dot("tables")).Block(keep))
	}
	return []jen.Code{
		jen.Var().List(all...).Float64(),
		jen.Var().Add(served).Index(jen.Lit(n)).Float64(),
		jen.If(serve).Block(hit...).Else().Block(miss...),
	}
}

// inOuts returns the results that are known, in the order of the kernel's Outs.
func inOuts(k ir.Kernel, results map[ir.ID]jen.Code) []jen.Code {
	var list []jen.Code
	for _, out := range k.Outs {
		list = append(list, results[out])
	}
	return list
}

// tablesOf returns the tables that give results of a kernel.
func (u *unit) tablesOf(k ir.Kernel) []table {
	var list []table
	for _, t := range u.tables[k.Group] {
		if t.Among(k) > 0 {
			list = append(list, t)
		}
	}
	return list
}
