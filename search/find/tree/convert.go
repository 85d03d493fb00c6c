package tree

import (
	"fmt"
	"slices"

	"likc/compiler/expr"
)

// Expr returns the tree as an expression with the given names of symbols.
func (t Tree) Expr(symbols []string) *expr.Expr {
	var stack []*expr.Expr
	value := 0
	for _, c := range t.Codes {
		switch {
		case c == Constant:
			stack = append(stack, expr.Num(t.Values[value]))
			value++
		case c < Constant:
			stack = append(stack, expr.Var(symbols[c]))
		default:
			op, _ := c.Op()
			first := len(stack) - c.Arity()
			e := expr.New(op, slices.Clone(stack[first:])...)
			stack = append(stack[:first], e)
		}
	}
	return stack[0]
}

// FromExpr returns e as a tree with the given symbols. It returns an error if e has a symbol that is not among them, or an
// operator that only the compiler uses.
func FromExpr(e *expr.Expr, symbols []string) (Tree, error) {
	if len(symbols) > MaxSymbols {
		return Tree{}, fmt.Errorf("tree: %d symbols: at most %d fit", len(symbols), MaxSymbols)
	}
	var t Tree
	err := t.add(e, symbols)
	return t, err
}

// maxNodes bounds the size of the trees that FromExpr makes. An expression can share nodes, and a tree cannot.
const maxNodes = 1 << 16

// add appends e in postfix order.
func (t *Tree) add(e *expr.Expr, symbols []string) error {
	if len(t.Codes)+e.Size() > maxNodes {
		return fmt.Errorf("tree: %d nodes: at most %d fit", e.Size(), maxNodes)
	}
	switch e.Op {
	case expr.Const:
		t.Codes, t.Values = append(t.Codes, Constant), append(t.Values, e.Value)
		return nil
	case expr.Sym:
		i := slices.Index(symbols, e.Name)
		if i < 0 {
			return fmt.Errorf("tree: unknown symbol %s", e.Name)
		}
		t.Codes = append(t.Codes, Code(i))
		return nil
	}
	for _, a := range e.Args {
		if err := t.add(a, symbols); err != nil {
			return err
		}
	}
	c := Operator(e.Op)
	if c.Arity() == 0 {
		return fmt.Errorf("tree: operator %s cannot be searched", e.Op)
	}
	t.Codes = append(t.Codes, c)
	return nil
}

// Check returns an error if a tree that this package did not make is not valid with the given number of symbols.
func (t Tree) Check(symbols int) error {
	depth, values := 0, 0
	for i, c := range t.Codes {
		switch {
		case c == Constant:
			values++
		case c < Constant && int(c) >= symbols:
			return fmt.Errorf("tree: node %d: symbol %d of %d", i, c, symbols)
		case c > Constant && c.Arity() == 0:
			return fmt.Errorf("tree: node %d: unknown code %d", i, c)
		case depth < c.Arity():
			return fmt.Errorf("tree: node %d: an operand is missing", i)
		}
		depth += 1 - c.Arity()
	}
	switch {
	case depth != 1:
		return fmt.Errorf("tree: %d expressions: want one", depth)
	case values != len(t.Values):
		return fmt.Errorf("tree: %d constants for %d leaves", len(t.Values), values)
	}
	return nil
}
