// Package lower turns the expressions of a model's groups into one program of package ir. Equal subexpressions become one
// value, so that log-likelihood and gradient share them.
package lower

import (
	"fmt"
	"math"
	"slices"

	"likc/compiler/expr"
	"likc/compiler/ir"
)

// Group is one group of trials: its total log-likelihood and the derivative for each parameter, as expressions over sums
// (expr.Sum), and its support.
type Group struct {
	Name    string
	Choice  float64
	Total   *expr.Expr
	Grad    []*expr.Expr
	Support []expr.Support
	Lets    []expr.Let // the lets of the model with the group's choice substituted, which give names to values
}

// Program returns the program for the groups of m.
func Program(m *expr.Model, groups []Group) (*ir.Program, error) {
	l := &lowerer{m: m, b: ir.NewBuilder(), ids: map[*expr.Expr]ir.ID{}, group: map[string]int{}, perTrial: map[*expr.Expr]bool{}}
	p := &ir.Program{Model: m.Name, Params: m.Params, Trials: m.Trials, Positive: m.Positive, Zero: m.Zero, Choice: m.Choice, Choices: m.Choices}
	for i, g := range groups {
		l.group[g.Name] = i
	}
	for i, g := range groups {
		out, err := l.lowerGroup(i, g)
		if err != nil {
			return nil, err
		}
		p.Groups = append(p.Groups, out)
	}
	p.Values = l.b.Values()
	if l.nodes {
		p.Tables = m.Looped.Tables
	}
	return p, nil
}

// lowerer adds the values of expressions to a program.
type lowerer struct {
	m        *expr.Model
	b        *ir.Builder
	ids      map[*expr.Expr]ir.ID // the value of each expression that was lowered
	group    map[string]int       // the index of a group, by its name
	lets     []expr.Let           // the definitions of the group that is being lowered
	perTrial map[*expr.Expr]bool  // whether an expression has one number for each trial
	nodes    bool                 // whether there are sums over nodes
}

// lowerGroup adds the values of a group, and returns the group with their IDs.
func (l *lowerer) lowerGroup(index int, g Group) (ir.Group, error) {
	out := ir.Group{Name: g.Name, Choice: g.Choice}
	l.lets = g.Lets
	for _, s := range g.Support {
		c, err := l.support(index, s)
		if err != nil {
			return out, err
		}
		out.Support = append(out.Support, c)
	}
	var err error
	if out.LogLik, err = l.lower(g.Total); err != nil {
		return out, err
	}
	for _, d := range g.Grad {
		id, err := l.lower(d)
		if err != nil {
			return out, err
		}
		out.Grad = append(out.Grad, id)
	}
	return out, nil
}

// lower adds e and its subexpressions to the program, and returns the ID of e.
func (l *lowerer) lower(e *expr.Expr) (ir.ID, error) {
	for _, n := range expr.Order(e) {
		if _, done := l.ids[n]; done {
			continue
		}
		id, err := l.node(n)
		if err != nil {
			return 0, err
		}
		l.ids[n] = id
	}
	return l.ids[e], nil
}

// node adds the value of a node whose arguments were lowered before.
func (l *lowerer) node(n *expr.Expr) (ir.ID, error) {
	args := make([]ir.ID, len(n.Args))
	for i, a := range n.Args {
		args[i] = l.ids[a]
		l.perTrial[n] = l.perTrial[n] || l.perTrial[a] && n.Op != expr.Sum
	}
	switch n.Op {
	case expr.Const:
		return l.b.Num(n.Value), nil
	case expr.Sym:
		return l.symbol(n)
	case expr.Sum:
		return l.b.Add(ir.Value{Kind: ir.Total, Group: l.group[n.Name]}, args...), nil
	case expr.NodeSum:
		l.nodes = true
		table := slices.IndexFunc(l.m.Looped.Tables, func(t expr.Table) bool { return t.Name == n.Name })
		return l.b.Add(ir.Value{Kind: ir.NodeSum, Group: table}, args...), nil
	}
	return l.apply(n, args), nil
}

// symbol adds the value of a trial column, a parameter or a symbol of nodes.
func (l *lowerer) symbol(n *expr.Expr) (ir.ID, error) {
	for i, name := range l.m.Trials {
		if name == n.Name {
			l.perTrial[n] = true
			return l.b.Add(ir.Value{Kind: ir.Column, Index: i}), nil
		}
	}
	for i, p := range l.m.Params {
		if p.Name == n.Name {
			return l.b.Add(ir.Value{Kind: ir.Param, Index: i}), nil
		}
	}
	if l.m.Looped != nil {
		for i, t := range l.m.Looped.Tables {
			if j := slices.Index(t.Symbols, n.Name); j >= 0 {
				return l.b.Add(ir.Value{Kind: ir.Node, Group: i, Index: j}), nil
			}
		}
	}
	return 0, fmt.Errorf("lower: %s is neither a trial column nor a parameter", n.Name)
}

// apply adds the value of an operator. If its arguments are constants and the result is finite, it adds the result as a
// constant.
func (l *lowerer) apply(n *expr.Expr, args []ir.ID) ir.ID {
	var x [3]float64
	constant := true
	for i, a := range args {
		v := l.b.Value(a)
		constant = constant && v.Kind == ir.Const
		x[i] = v.Num
	}
	if constant {
		if y := n.Op.Info().Eval(x); !math.IsInf(y, 0) && !math.IsNaN(y) {
			return l.b.Num(y)
		}
	}
	return l.b.Add(ir.Value{Kind: ir.Apply, Op: n.Op, Name: l.name(n)}, args...)
}

// name returns the name of n if the model has a let with that value, else "".
func (l *lowerer) name(n *expr.Expr) string {
	for _, let := range l.lets {
		if let.Value.Equal(n) {
			return let.Name
		}
	}
	return ""
}

// support adds one condition. A side that depends on trials is replaced by its minimum or maximum over the group: t < rt
// becomes t < min rt. That minimum is computed once for a dataset if it depends only on trials.
func (l *lowerer) support(group int, s expr.Support) (ir.Cond, error) {
	left, err := l.lower(s.Left)
	if err != nil {
		return ir.Cond{}, err
	}
	right, err := l.lower(s.Right)
	if err != nil {
		return ir.Cond{}, err
	}
	least := func(id ir.ID) ir.ID { return l.b.Add(ir.Value{Kind: ir.Least, Group: group}, id) }
	switch onLeft, onRight := l.perTrial[s.Left], l.perTrial[s.Right]; {
	case !onLeft && !onRight:
		return ir.Cond{Left: left, Right: right}, nil
	case !onLeft && l.dataOnly(s.Right):
		return ir.Cond{Left: left, Right: least(right)}, nil
	case !onRight && l.dataOnly(s.Left):
		minus := l.b.Apply(expr.Neg, right)
		return ir.Cond{Left: minus, Right: least(l.b.Apply(expr.Neg, left))}, nil
	}
	return ir.Cond{Left: l.b.Num(0), Right: least(l.b.Apply(expr.Sub, right, left))}, nil
}

func (l *lowerer) dataOnly(e *expr.Expr) bool {
	for _, s := range expr.Symbols(e) {
		if !l.m.IsTrial(s) {
			return false
		}
	}
	return true
}
