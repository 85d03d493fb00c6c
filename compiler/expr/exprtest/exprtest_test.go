package exprtest_test

import (
	"testing"

	"likc/compiler/expr"
	"likc/compiler/expr/exprtest"

	"pgregory.net/rapid"
)

func TestExprKeepsItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := exprtest.Expr(exprtest.Searchable(), 20).Draw(t, "e")
		if e.Size() > 20 {
			t.Fatalf("%v has %d nodes, want at most 20", e, e.Size())
		}
		for _, n := range expr.Order(e) {
			if !n.Op.Info().Searchable {
				t.Fatalf("%v has the operator %v", e, n.Op)
			}
		}
	})
}

// TestExprReachesEveryOperator: the generator draws every operator. An operator that it missed would be tested nowhere.
func TestExprReachesEveryOperator(t *testing.T) {
	seen := map[expr.Op]bool{}
	gen := exprtest.Expr(exprtest.Writable(), 40)
	for seed := range 400 {
		for _, n := range expr.Order(gen.Example(seed)) {
			seen[n.Op] = true
		}
	}
	for _, op := range exprtest.Writable() {
		if !seen[op] {
			t.Errorf("no %v in 400 expressions", op)
		}
	}
}
