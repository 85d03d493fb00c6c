package diff

import "likc/compiler/expr"

// Constructors that keep adjoints small: zeros and ones vanish, signs move outwards. nil stands for 0.

func add(a, b *expr.Expr) *expr.Expr {
	switch {
	case a == nil || a.IsNum(0):
		return b
	case b == nil || b.IsNum(0):
		return a
	case a.Op == expr.Const && b.Op == expr.Const:
		return expr.Num(a.Value + b.Value)
	case a.Op == expr.Neg && b.Op == expr.Neg:
		return neg(expr.New(expr.Add, a.Args[0], b.Args[0]))
	case b.Op == expr.Neg:
		return expr.New(expr.Sub, a, b.Args[0])
	case a.Op == expr.Neg:
		return expr.New(expr.Sub, b, a.Args[0])
	}
	return expr.New(expr.Add, a, b)
}

func mul(a, b *expr.Expr) *expr.Expr {
	switch {
	case a.IsNum(0) || b.IsNum(0):
		return expr.Num(0)
	case a.Op == expr.Const && b.Op == expr.Const:
		return expr.Num(a.Value * b.Value)
	case a.IsNum(1):
		return b
	case b.Op == expr.Const:
		return mul(b, a)
	case a.Op == expr.Const && a.Value < 0:
		return neg(mul(expr.Num(-a.Value), b))
	case a.Op == expr.Neg:
		return neg(mul(a.Args[0], b))
	case b.Op == expr.Neg:
		return neg(mul(a, b.Args[0]))
	case a.Op == expr.Const && b.Op == expr.Mul && b.Args[0].Op == expr.Const:
		return mul(expr.Num(a.Value*b.Args[0].Value), b.Args[1])
	case b.Op == expr.Mul && b.Args[0].Op == expr.Const:
		return mul(b.Args[0], mul(a, b.Args[1]))
	case b.Op == expr.Inv:
		return expr.New(expr.Div, a, b.Args[0])
	}
	return expr.New(expr.Mul, a, b)
}

func neg(a *expr.Expr) *expr.Expr {
	switch {
	case a.Op == expr.Neg:
		return a.Args[0]
	case a.Op == expr.Sub:
		return expr.New(expr.Sub, a.Args[1], a.Args[0])
	}
	return expr.New(expr.Neg, a)
}
