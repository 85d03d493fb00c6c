package expr

// The functions of this file build sums and products in a tidy form. Zeros and ones vanish, constants combine and come first,
// and signs move outwards. Further simplification is left to package simplify.

// Plus returns a + b.
func Plus(a, b *Expr) *Expr {
	switch {
	case a.IsNum(0):
		return b
	case b.IsNum(0):
		return a
	case a.Op == Const && b.Op == Const:
		return Num(a.Value + b.Value)
	case a.Op == Neg && b.Op == Neg:
		return Negative(Plus(a.Args[0], b.Args[0]))
	case b.Op == Neg:
		return New(Sub, a, b.Args[0])
	case a.Op == Neg:
		return New(Sub, b, a.Args[0])
	}
	return New(Add, a, b)
}

// Times returns a·b. A product with zero is zero, whatever the other factor.
func Times(a, b *Expr) *Expr {
	switch {
	case a.IsNum(0) || b.IsNum(0):
		return Num(0)
	case a.IsNum(1):
		return b
	case b.IsNum(1):
		return a
	case a.Op == Const && b.Op == Const:
		return Num(a.Value * b.Value)
	case b.Op == Const:
		return Times(b, a)
	case a.Op == Const && a.Value < 0:
		return Negative(Times(Num(-a.Value), b))
	case a.Op == Neg:
		return Negative(Times(a.Args[0], b))
	case b.Op == Neg:
		return Negative(Times(a, b.Args[0]))
	case b.Op == Mul && b.Args[0].Op == Const && a.Op == Const:
		return Times(Num(a.Value*b.Args[0].Value), b.Args[1])
	case b.Op == Mul && b.Args[0].Op == Const:
		return Times(b.Args[0], Times(a, b.Args[1]))
	case a.Equal(b):
		return New(Square, a)
	}
	return New(Mul, a, b)
}

// Over returns a/b.
func Over(a, b *Expr) *Expr {
	switch {
	case b.IsNum(1):
		return a
	case b.IsNum(-1):
		return Negative(a)
	case a.Op == Const && b.Op == Const && b.Value != 0:
		return Num(a.Value / b.Value)
	case b.Op == Neg:
		return Negative(Over(a, b.Args[0]))
	case a.Op == Neg:
		return Negative(Over(a.Args[0], b))
	case a.IsNum(1):
		return New(Inv, b)
	}
	return New(Div, a, b)
}

// Negative returns -a.
func Negative(a *Expr) *Expr {
	if a.Op == Neg {
		return a.Args[0]
	}
	return New(Neg, a)
}
