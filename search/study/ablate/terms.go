package ablate

import (
	"fmt"
	"slices"

	"likc/compiler/expr"
	"likc/runtime/model/catalog"
)

// formula is a model whose equal subtrees are one node each, and the terms of its log density.
type formula struct {
	*expr.Model
	names map[*expr.Expr]string // the name of each node that a let names
	terms []*expr.Expr          // a term comes before its parts
	outer map[*expr.Expr]bool   // nodes to which adding a constant only adds a constant to the log density
}

// newFormula finds the terms of a model. With leaves set, single symbols and numbers are terms too. It refuses models for which a
// bank has no trials, and calibrated models, because a calibration corrects the whole formula.
func newFormula(m *catalog.Model, leaves bool) (*formula, error) {
	e, ok := m.Expression()
	switch {
	case !ok:
		return nil, fmt.Errorf("%s, expected an expression, which has terms", m.What())
	case e.Binding != nil:
		return nil, fmt.Errorf("%s: is calibrated, and the correction is of the whole formula; expected the model without bind", m.Name)
	case len(e.Trials) != 1 || e.Trials[0] != catalog.ResponseTime:
		return nil, fmt.Errorf("%s: has trial columns %v, expected %s alone, which a bank has", m.Name, e.Trials, catalog.ResponseTime)
	}
	f := &formula{Model: shared(e), names: map[*expr.Expr]string{}}
	for _, l := range f.Lets {
		f.names[l.Value] = l.Name
	}
	nodes := expr.Order(f.LogLik)
	slices.Reverse(nodes)
	f.outer = outerNodes(nodes)
	whole := wholeNodes(nodes, f.names)
	for _, n := range nodes[1:] {
		if whole[n] && !isCondition(n) && (leaves || len(n.Args) > 0) {
			f.terms = append(f.terms, n)
		}
	}
	if len(f.terms) == 0 {
		return nil, fmt.Errorf("%s: the formula has no terms to replace", m.Name)
	}
	return f, nil
}

// shared returns the model with one node for all equal subtrees.
func shared(m *expr.Model) *expr.Model {
	known := map[uint64][]*expr.Expr{}
	one := expr.NewMapper(func(n *expr.Expr, args []*expr.Expr) *expr.Expr {
		made := n.With(args)
		for _, k := range known[made.Hash()] {
			if k.Equal(made) {
				return k
			}
		}
		known[made.Hash()] = append(known[made.Hash()], made)
		return made
	})
	out := *m
	out.LogLik, out.Lets = one.Map(m.LogLik), nil
	for _, l := range m.Lets {
		out.Lets = append(out.Lets, expr.Let{Name: l.Name, Value: one.Map(l.Value)})
	}
	return &out
}

// outerNodes returns the nodes whose value enters the log density only through sums, differences and multiples. In nodes, each node
// comes before its arguments.
func outerNodes(nodes []*expr.Expr) map[*expr.Expr]bool {
	outer := map[*expr.Expr]bool{}
	for _, n := range nodes {
		outer[n] = true
	}
	for _, n := range nodes {
		for i, a := range n.Args {
			outer[a] = outer[a] && outer[n] && isLinear(n, i)
		}
	}
	return outer
}

// isLinear reports whether a node is an argument times a number plus a term that does not depend on the argument.
func isLinear(n *expr.Expr, arg int) bool {
	switch n.Op {
	case expr.Add, expr.Sub, expr.Neg:
		return true
	case expr.Mul:
		return n.Args[1-arg].Op == expr.Const
	case expr.Div:
		return arg == 0 && n.Args[1].Op == expr.Const
	}
	return false
}

// wholeNodes returns all nodes except the first parts of longer sums or products, such as x + y in x + y + z, because these
// depend on the order in which the formula is written. A node that a let names is always included.
func wholeNodes(nodes []*expr.Expr, names map[*expr.Expr]string) map[*expr.Expr]bool {
	whole := map[*expr.Expr]bool{}
	sum := func(op expr.Op) bool { return op == expr.Add || op == expr.Sub }
	for _, n := range nodes {
		if names[n] != "" {
			whole[n] = true
		}
		for i, a := range n.Args {
			begins := i == 0 && (sum(n.Op) && sum(a.Op) || n.Op == expr.Mul && a.Op == expr.Mul)
			whole[a] = whole[a] || !begins
		}
	}
	return whole
}

// isCondition reports whether the value of a node is true or false, not a number.
func isCondition(n *expr.Expr) bool {
	switch n.Op {
	case expr.Less, expr.LessEqual, expr.And, expr.Or:
		return true
	}
	return false
}

// text returns a node as the model's file writes it, with the names of lets.
func (f *formula) text(n *expr.Expr) string { return n.Format(f.names) }

// without returns the model in which a number replaces a node.
func (f *formula) without(node *expr.Expr, value float64) *expr.Model {
	m := *f.Model
	m.Lets = nil
	m.LogLik = expr.Map(f.LogLik, func(n *expr.Expr, args []*expr.Expr) *expr.Expr {
		if n == node {
			return expr.Num(value)
		}
		return n.With(args)
	})
	return &m
}
