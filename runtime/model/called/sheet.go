package called

import (
	"math"

	"likc/compiler/expr"
	"likc/compiler/vector"
	"likc/runtime/num/vec"
)

// block is the number of rows that are computed at a time.
const block = 256

// sheet computes expressions over rows. It does not change; each evaluation has its own [space].
type sheet struct {
	nodes []node // operations and leaves, arguments first
	roots []int  // the nodes of the expressions
}

// node is an operation or a leaf.
type node struct {
	op    expr.Op
	arity int
	args  [3]int
	input int     // index of the input if the node is a symbol; -1 for other nodes
	value float64 // the value of a constant
	eval  func(x [3]float64) float64
}

// newSheet prepares expressions. inputs are the symbols, in the order of the columns for [space.begin].
func newSheet(inputs []string, roots ...*expr.Expr) *sheet {
	s := &sheet{}
	at := map[string]int{}
	for i, name := range inputs {
		at[name] = i
	}
	unique := expr.NewInterner()
	for i, r := range roots {
		roots[i] = unique.Map(r)
	}
	place := map[*expr.Expr]int{}
	for i, n := range expr.Order(roots...) {
		place[n] = i
		info := n.Op.Info()
		out := node{op: n.Op, arity: len(n.Args), input: -1, value: n.Value, eval: info.Eval}
		if n.Op == expr.Sym {
			out.input = at[n.Name]
		}
		for j, a := range n.Args {
			out.args[j] = place[a]
		}
		s.nodes = append(s.nodes, out)
	}
	for _, r := range roots {
		s.roots = append(s.roots, place[r])
	}
	return s
}

// space is the working memory of an evaluation of a sheet.
type space struct {
	s      *sheet
	varies []bool      // for each node: whether it differs between rows
	cells  [][]float64 // for each node: memory for a block
	now    [][]float64 // for each node: its values in the current block
	inputs [][]float64
}

func (s *sheet) newSpace(rows int) *space {
	n := len(s.nodes)
	wide := max(1, min(rows, block))
	w := &space{s: s, varies: make([]bool, n), cells: make([][]float64, n), now: make([][]float64, n)}
	all := make([]float64, n*wide)
	for i := range w.cells {
		w.cells[i] = all[i*wide : (i+1)*wide]
	}
	return w
}

// begin sets the inputs, each with one number for all rows or one for each row. It computes the nodes that do not differ between
// rows.
func (w *space) begin(inputs [][]float64) {
	w.inputs = inputs
	for i := range w.s.nodes {
		n := &w.s.nodes[i]
		var x [3]float64
		w.varies[i] = n.input >= 0 && len(inputs[n.input]) != 1
		for j := range n.arity {
			w.varies[i] = w.varies[i] || w.varies[n.args[j]]
			if !w.varies[i] {
				x[j] = w.cells[n.args[j]][0]
			}
		}
		if w.varies[i] {
			continue
		}
		value := n.value
		switch {
		case n.input >= 0:
			value = inputs[n.input][0]
		case n.arity > 0:
			value = n.eval(x)
		}
		cell := w.cells[i]
		for k := range cell {
			cell[k] = value
		}
	}
}

// shared returns the value of a root that does not differ between rows; it returns false for another root.
func (w *space) shared(root int) (float64, bool) {
	i := w.s.roots[root]
	if w.varies[i] {
		return 0, false
	}
	return w.cells[i][0], true
}

// rows computes the rows from `from` to to-1, at most one block.
func (w *space) rows(from, to int) {
	size := to - from
	for i := range w.s.nodes {
		n := &w.s.nodes[i]
		switch {
		case !w.varies[i]:
			w.now[i] = w.cells[i][:size]
		case n.input >= 0:
			w.now[i] = w.inputs[n.input][from:to]
		default:
			w.now[i] = w.cells[i][:size]
			w.apply(n, w.now[i])
		}
	}
}

// root returns the numbers of a root in the rows that were computed last.
func (w *space) root(k int) []float64 { return w.now[w.s.roots[k]] }

// apply computes an operation for a block, with a vector kernel if there is one.
func (w *space) apply(n *node, dst []float64) {
	a, b, c := w.now[n.args[0]], w.now[n.args[1]], w.now[n.args[2]]
	switch k := &vector.Double[n.op]; {
	case n.op == expr.Pow:
		power(dst, a, b)
	case k.Unary != nil:
		k.Unary(dst, a)
	case k.Binary != nil:
		k.Binary(dst, a, b)
	case k.Ternary != nil:
		k.Ternary(dst, a, b, c)
	default:
		args := [3][]float64{a, b, c}
		var x [3]float64
		for i := range dst {
			for j := range n.arity {
				x[j] = args[j][i]
			}
			dst[i] = n.eval(x)
		}
	}
}

// power computes powers. For positive numbers it uses logarithms, to a few units in the last place.
func power(dst, x, y []float64) {
	vec.Log(dst, x)
	vec.Mul(dst, dst, y)
	vec.Exp(dst, dst)
	for i, base := range x {
		if !(base > 0) {
			dst[i] = math.Pow(base, y[i])
		}
	}
}
