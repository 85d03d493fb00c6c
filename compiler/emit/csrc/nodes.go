package csrc

import (
	"fmt"
	"strings"

	"likc/compiler/emit/plan"
	"likc/compiler/ir"
)

// nodeTables prints the tables of nodes, the points at which integrals are evaluated by loops:
//
//	/* nodes of integral 0: share of end 0 of integral 0. */
//	static const double nodes0[60] = {…};
func (u *unit) nodeTables(t *text) {
	for i, v := range u.Values {
		name, needed := u.NodeNames[ir.ID(i)]
		if !needed {
			continue
		}
		table := u.Tables[v.Group]
		t.line("/* %s: %s. */", plain.Replace(table.Name), plain.Replace(table.Symbols[v.Index]))
		t.line("static const double %s[%d] = {\n\t%s\n};\n", name, table.Nodes(), lineUp(numbers(table.Columns[v.Index])))
	}
}

// fill prints the computation of arrays that have one number for each node:
//
//	double at0[60], at1[60];
//	for (size_t k = 0; k < 60; k++) {
//		const double t7 = nodes0[k] * low;
//		…
//		at0[k] = t9;
//	}
func (u *unit) fill(t *lines, f plan.Fill) {
	var arrays []string
	for _, k := range f.Keep {
		arrays = append(arrays, subscript(k.Name, f.Table.Nodes()))
	}
	t.add("double %s;", strings.Join(arrays, ", "))
	t.nest(fmt.Sprintf("for (size_t k = 0; k < %d; k++)", f.Table.Nodes()), func(t *lines) {
		u.print(t, f.Steps)
		for _, k := range f.Keep {
			t.add("%s[k] = %s;", k.Name, u.ref(k.X))
		}
	})
}

// callOverNodes prints the call of a loop over nodes, whose results are the elements of sum:
//
//	double sum0[9];
//	node_sums(60, nodes0, at0, mu_go, sum0);
func (u *unit) callOverNodes(t *lines, k ir.Kernel, sum string, ref func(ir.ID) string) {
	args := []string{fmt.Sprint(u.Tables[k.Group].Nodes())}
	for _, id := range append(append([]ir.ID{}, k.Columns...), k.Inputs...) {
		args = append(args, ref(id))
	}
	t.add("double %s;", subscript(sum, len(k.Outs)))
	t.add("%s(%s);", u.LoopOf(k).Name, strings.Join(append(args, sum), ", "))
}

// overNodes prints the sums over the nodes of one table: those among ids.
func (b *block) overNodes(table int, ids []ir.ID) {
	for _, k := range b.OverNodesOf(ids) {
		if k.Group != table {
			continue
		}
		sum := b.names.Number("sum")
		b.callOverNodes(b.lines, k, sum, func(id ir.ID) string {
			if name, ok := b.NodeNames[id]; ok {
				return name
			}
			return b.at(id)
		})
		for i, out := range k.Outs {
			b.known[out] = subscript(sum, i)
		}
	}
}
