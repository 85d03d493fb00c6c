package dictionary

import (
	"likc/compiler/expr"
	"likc/compiler/simplify"
)

// simple returns the canonical form of an expression.
func simple(e *expr.Expr) *expr.Expr { return simplify.Simplify(e, simplify.Options{}).Expr }

// These functions return sums, differences, products and quotients, without operations that change nothing, such as x + 0.

func add(x, y *expr.Expr) *expr.Expr {
	switch {
	case x.IsNum(0):
		return y
	case y.IsNum(0):
		return x
	}
	return expr.New(expr.Add, x, y)
}

func sub(x, y *expr.Expr) *expr.Expr {
	if y.IsNum(0) {
		return x
	}
	return expr.New(expr.Sub, x, y)
}

func mul(x, y *expr.Expr) *expr.Expr {
	switch {
	case x.IsNum(1) || y.IsNum(0):
		return y
	case y.IsNum(1) || x.IsNum(0):
		return x
	}
	return expr.New(expr.Mul, x, y)
}

func div(x, y *expr.Expr) *expr.Expr {
	if y.IsNum(1) {
		return x
	}
	return expr.New(expr.Div, x, y)
}
