package diff

import "likc/compiler/expr"

// add returns a + b; nil stands for 0.
func add(a, b *expr.Expr) *expr.Expr {
	if a == nil {
		return b
	}
	return expr.Plus(a, b)
}

// mul returns a·b; a product with a reciprocal becomes a quotient.
func mul(a, b *expr.Expr) *expr.Expr {
	if b.Op == expr.Inv && !a.IsNum(0) {
		return expr.Over(a, b.Args[0])
	}
	return expr.Times(a, b)
}

// neg returns -a; -(b - c) becomes c - b.
func neg(a *expr.Expr) *expr.Expr {
	if a.Op == expr.Sub {
		return expr.New(expr.Sub, a.Args[1], a.Args[0])
	}
	return expr.Negative(a)
}
