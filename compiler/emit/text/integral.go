package text

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"likc/compiler/emit/plan"
	"likc/compiler/expr"
)

// integral is a printed function that sums an integrand over the nodes of a quadrature rule. All texts are in the target
// language.
type integral struct {
	Function     string
	Args         []string // columns, parameters and lets that the integrand needs
	Nodes        []string // the names of the numbers of a node in the integrand
	Rows         []string // for each node, its numbers separated by commas
	Total, K, Of string   // names of the sum, of an index and of the table
	Table        string   // the name of the table in the whole file, if an earlier function has the same table; else ""
	Lets         []bound  // values that the integrand uses more than once
	Value        string   // the integrand times its weight
}

// integrals holds the integrals that a writer has printed so far.
type integrals struct {
	stem   string // the beginning of the functions' names
	tables []expr.Table
	names  *plan.Names
	calls  map[*expr.Expr]integral // the function of each integral
	known  map[string]string       // the names of the tables in the whole file
	all    []integral
}

// overNodes returns the call of a function for a sum over nodes, and adds that function to the file.
func (w *writer) overNodes(e *expr.Expr) string {
	in := w.integrals
	if call, ok := in.calls[e]; ok {
		return w.callOf(call)
	}
	index := slices.IndexFunc(in.tables, func(t expr.Table) bool { return t.Name == e.Name })
	table, names := in.tables[index], in.names.Inner()
	f := integral{Function: in.names.Declare(fmt.Sprintf("%s_integral%d", in.stem, len(in.all))), Total: names.Declare("total"), K: names.Declare("k"), Of: names.Declare("nodes")}
	inner := *w
	inner.symbols, inner.used = maps.Clone(w.symbols), &f.Args
	for _, s := range table.Symbols {
		inner.symbols[s] = names.Number("x")
		f.Nodes = append(f.Nodes, inner.symbols[s])
	}
	if w.shares {
		inner.named = maps.Clone(w.named)
		f.Lets = inner.share(names, nil, true, e.Args[0])
	}
	f.Value = inner.text(e.Args[0])
	w.bodies, w.nodes, w.err, w.local = inner.bodies, inner.nodes, inner.err, inner.local
	f.Args = slices.DeleteFunc(f.Args, func(name string) bool {
		return slices.Contains(f.Nodes, name) || slices.ContainsFunc(f.Lets, func(l bound) bool { return l.Name == name })
	})
	for k := range table.Nodes() {
		var row []string
		for _, c := range table.Columns {
			row = append(row, w.lang.number(c[k]))
		}
		f.Rows = append(f.Rows, strings.Join(row, ", "))
	}
	if f.Table = in.known[table.Name]; f.Table == "" {
		in.known[table.Name] = f.Function + "_" + f.Of
	}
	in.all = append(in.all, f)
	in.calls[e] = f
	return w.callOf(f)
}

// callOf returns the call of an integral's function.
func (w *writer) callOf(f integral) string {
	for _, name := range f.Args {
		w.use(name)
		for e, let := range w.inner {
			if let == name {
				w.bare(e) // defines the let if this branch has no definition yet
			}
		}
	}
	return f.Function + "(" + strings.Join(append(slices.Clone(f.Args), w.lang.everyCall...), ", ") + ")"
}

// use records that an integrand needs a name, and returns the name.
func (w *writer) use(name string) string {
	if w.used != nil && !slices.Contains(*w.used, name) {
		*w.used = append(*w.used, name)
	}
	return name
}
