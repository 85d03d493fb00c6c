package separate

import "likc/compiler/expr"

// power returns x^n for n ≥ 1, by squaring.
func power(x *expr.Expr, n int) *expr.Expr {
	switch {
	case n == 1:
		return x
	case n%2 == 0:
		return expr.New(expr.Square, power(x, n/2))
	}
	return expr.New(expr.Mul, power(x, n-1), x)
}
