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

// apart writes powers of products as products of powers, if their exponents are no numbers: (k*x*exp(y))^p, with a number k > 0, becomes
// k^p*x^p*exp(p*y). All terms of a quadrature rule then have the same x^p, which is computed once, and k^p does not depend on the trial.
func apart(e *expr.Expr) *expr.Expr {
	return expr.Map(e, func(n *expr.Expr, args []*expr.Expr) *expr.Expr {
		n = n.With(args)
		if n.Op != expr.Pow || n.Args[1].Op == expr.Const {
			return n
		}
		number, exponent, rest := expr.Factors(n.Args[0])
		if number <= 0 {
			return n
		}
		power := func(x *expr.Expr) *expr.Expr {
			if x.IsNum(1) {
				return x
			}
			return expr.New(expr.Pow, x, n.Args[1])
		}
		whole := mul(power(expr.Num(number)), power(rest))
		if exponent.IsNum(0) {
			return whole
		}
		return mul(whole, expr.New(expr.Exp, mul(n.Args[1], exponent)))
	})
}
