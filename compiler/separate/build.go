package separate

import "likc/compiler/expr"

// Constructors that drop zeros and ones and move signs outwards.

func plus(a, b *expr.Expr) *expr.Expr {
	switch {
	case a.IsNum(0):
		return b
	case b.IsNum(0):
		return a
	case a.Op == expr.Const && b.Op == expr.Const:
		return expr.Num(a.Value + b.Value)
	case a.Op == expr.Neg && b.Op == expr.Neg:
		return negative(plus(a.Args[0], b.Args[0]))
	case b.Op == expr.Neg:
		return expr.New(expr.Sub, a, b.Args[0])
	case a.Op == expr.Neg:
		return expr.New(expr.Sub, b, a.Args[0])
	}
	return expr.New(expr.Add, a, b)
}

func times(a, b *expr.Expr) *expr.Expr {
	switch {
	case a.IsNum(1):
		return b
	case b.IsNum(1):
		return a
	case a.Op == expr.Const && b.Op == expr.Const:
		return expr.Num(a.Value * b.Value)
	case b.Op == expr.Const:
		return times(b, a)
	case a.IsNum(-1):
		return negative(b)
	case a.Op == expr.Neg:
		return negative(times(a.Args[0], b))
	case b.Op == expr.Neg:
		return negative(times(a, b.Args[0]))
	case a.Op == expr.Const && b.Op == expr.Mul && b.Args[0].Op == expr.Const:
		return times(expr.Num(a.Value*b.Args[0].Value), b.Args[1])
	case a.Equal(b):
		return expr.New(expr.Square, a)
	}
	return expr.New(expr.Mul, a, b)
}

func over(a, b *expr.Expr) *expr.Expr {
	switch {
	case b.IsNum(1):
		return a
	case b.IsNum(-1):
		return negative(a)
	case a.Op == expr.Const && b.Op == expr.Const && b.Value != 0:
		return expr.Num(a.Value / b.Value)
	case b.Op == expr.Neg:
		return negative(over(a, b.Args[0]))
	case a.Op == expr.Neg:
		return negative(over(a.Args[0], b))
	case a.IsNum(1):
		return expr.New(expr.Inv, b)
	}
	return expr.New(expr.Div, a, b)
}

func negative(a *expr.Expr) *expr.Expr {
	if a.Op == expr.Neg {
		return a.Args[0]
	}
	return expr.New(expr.Neg, a)
}

// power is x^n for n ≥ 1, by squaring.
func power(x *expr.Expr, n int) *expr.Expr {
	switch {
	case n == 1:
		return x
	case n%2 == 0:
		return expr.New(expr.Square, power(x, n/2))
	}
	return expr.New(expr.Mul, power(x, n-1), x)
}
