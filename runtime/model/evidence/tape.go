package evidence

import (
	"likc/compiler/expr"
	"likc/compiler/vector"
)

// tape evaluates expressions at many times at once. It computes subexpressions that do not depend on the time only once.
type tape struct {
	nodes  []*expr.Expr // the subexpressions, arguments first
	args   [][3]int     // for each node, the indices of its arguments
	leaf   []int        // for a Sym node, the index of its symbol
	varies []bool       // for each node, whether it depends on the time
	roots  []int        // the nodes of the expressions
	tau    int          // the index of the symbol of time
}

// newTape prepares expressions. symbols gives the order of the values that run is given.
func newTape(symbols []string, roots []*expr.Expr) *tape {
	t := &tape{nodes: expr.Order(roots...), tau: -1}
	number := map[string]int{}
	for i, s := range symbols {
		number[s] = i
	}
	place := map[*expr.Expr]int{}
	for i, n := range t.nodes {
		place[n] = i
		var args [3]int
		varies := n.Op == expr.Sym && n.Name == expr.Tau
		for j, a := range n.Args {
			args[j] = place[a]
			varies = varies || t.varies[args[j]]
		}
		leaf := -1
		if n.Op == expr.Sym && !varies {
			leaf = number[n.Name]
		}
		t.args, t.leaf, t.varies = append(t.args, args), append(t.leaf, leaf), append(t.varies, varies)
	}
	for _, r := range roots {
		t.roots = append(t.roots, place[r])
	}
	return t
}

// tapeMemory holds the values of an evaluation: a number for each node, or a column for a node that depends on the time.
type tapeMemory struct {
	number []float64
	column [][]float64
	spare  [3][]float64
}

// run evaluates all nodes at the times, with the given values of the symbols.
func (t *tape) run(m *tapeMemory, mem *arena, tau, values []float64) {
	if cap(m.number) < len(t.nodes) {
		m.number, m.column = make([]float64, len(t.nodes)), make([][]float64, len(t.nodes))
	}
	m.number, m.column = m.number[:len(t.nodes)], m.column[:len(t.nodes)]
	for i := range m.spare {
		m.spare[i] = mem.take(len(tau))
	}
	var x [3]float64
	for i, n := range t.nodes {
		switch {
		case t.varies[i] && n.Op == expr.Sym:
			m.column[i] = tau
		case t.varies[i]:
			m.column[i] = mem.take(len(tau))
			t.vary(m, i)
		case n.Op == expr.Const:
			m.number[i] = n.Value
		case n.Op == expr.Sym:
			m.number[i] = values[t.leaf[i]]
		default:
			for j := range n.Args {
				x[j] = m.number[t.args[i][j]]
			}
			m.number[i] = n.Op.Info().Eval(x)
		}
	}
}

// vary evaluates node i, which depends on the time.
func (t *tape) vary(m *tapeMemory, i int) {
	n, dst := t.nodes[i], m.column[i]
	var in [3][]float64
	for j := range n.Args {
		if a := t.args[i][j]; t.varies[a] {
			in[j] = m.column[a]
		} else {
			in[j] = m.spare[j]
			for k := range in[j] {
				in[j][k] = m.number[a]
			}
		}
	}
	switch k := vector.Double[n.Op]; {
	case k.Unary != nil:
		k.Unary(dst, in[0])
	case k.Binary != nil:
		k.Binary(dst, in[0], in[1])
	case k.Ternary != nil:
		k.Ternary(dst, in[0], in[1], in[2])
	default:
		eval := n.Op.Info().Eval
		var x [3]float64
		for q := range dst {
			for j := range n.Args {
				x[j] = in[j][q]
			}
			dst[q] = eval(x)
		}
	}
}

// root sets dst to the values of root k, one for each time.
func (t *tape) root(m *tapeMemory, k int, dst []float64) {
	r := t.roots[k]
	if t.varies[r] {
		copy(dst, m.column[r])
		return
	}
	for i := range dst {
		dst[i] = m.number[r]
	}
}

// numberOf returns the value of a root that does not depend on the time.
func (t *tape) numberOf(m *tapeMemory, k int) float64 { return m.number[t.roots[k]] }

// moves reports whether root k depends on the time.
func (t *tape) moves(k int) bool { return t.varies[t.roots[k]] }

// size returns the number of roots.
func (t *tape) size() int { return len(t.roots) }
