package simplify

import (
	"testing"

	"likc/compiler/expr"
	"likc/compiler/expr/exprtest"
)

// BenchmarkSimplify measures one expression of 25 to 45 nodes over the search's operators.
func BenchmarkSimplify(b *testing.B) {
	var list []*expr.Expr
	for _, e := range draws(exprtest.Expr(exprtest.Searchable(), 45), 2000) {
		if e.Size() >= 25 {
			list = append(list, e)
		}
	}
	b.Run("fresh", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			Simplify(list[i%len(list)], Options{})
		}
	})
	b.Run("reused", func(b *testing.B) {
		b.ReportAllocs()
		s := New(Options{})
		for i := 0; b.Loop(); i++ {
			s.Simplify(list[i%len(list)])
		}
	})
}
