package evolve

import (
	"testing"

	"likc/compiler/expr"
	"likc/compiler/syntax"
	"likc/search/find/tree"
)

// parse returns the tree of an expression with the given symbols.
func parse(t testing.TB, text string, symbols []string) tree.Tree {
	header := &expr.Model{Name: "test"}
	for _, name := range symbols {
		header.Params = append(header.Params, expr.Param{Name: name, Lower: 0, Upper: 1})
	}
	m, err := syntax.ParseExpr(text, header)
	if err != nil {
		t.Fatal(err)
	}
	x, err := tree.FromExpr(m.LogLik, symbols)
	if err != nil {
		t.Fatal(err)
	}
	return x
}
