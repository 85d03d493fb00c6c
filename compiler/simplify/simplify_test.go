package simplify

import (
	"testing"

	"likc/compiler/expr"
	"likc/compiler/syntax"
)

// names are the symbols of the tests' expressions.
var names = []string{"rt", "v", "a", "z", "t", "x", "y", "w", "h", "tau", "b", "c"}

// header returns a model with the names as parameters.
func header() *expr.Model {
	m := &expr.Model{Name: "test", LogLik: expr.Num(0)}
	for _, n := range names {
		m.Params = append(m.Params, expr.Param{Name: n, Lower: 0, Upper: 1})
	}
	return m
}

// parse reads an expression of the names.
func parse(t testing.TB, text string) *expr.Expr {
	t.Helper()
	m, err := syntax.ParseExpr(text, header())
	if err != nil {
		t.Fatal(err)
	}
	return m.LogLik
}
