package expr

// Factors divides a product or a quotient into a number, an exponential and the rest: e is number·exp(exponent)·rest. Without an exponential
// the exponent is 0.
func Factors(e *Expr) (number float64, exponent, rest *Expr) {
	one, zero := Num(1), Num(0)
	switch e.Op {
	case Const:
		return e.Value, zero, one
	case Exp:
		return 1, e.Args[0], one
	case Mul, Div:
		k, x, r := Factors(e.Args[0])
		l, y, s := Factors(e.Args[1])
		if e.Op == Mul {
			return k * l, Plus(x, y), product(r, s)
		}
		return k / l, Plus(x, Negative(y)), quotient(r, s)
	case Inv:
		k, x, r := Factors(e.Args[0])
		return 1 / k, Negative(x), quotient(one, r)
	case Square:
		if k, x, r := Factors(e.Args[0]); !x.IsNum(0) {
			return k * k, Times(Num(2), x), squared(r)
		}
	}
	return 1, zero, e
}

// product, quotient and squared keep the form of their operands, but for a 1.

func product(a, b *Expr) *Expr {
	switch {
	case a.IsNum(1):
		return b
	case b.IsNum(1):
		return a
	}
	return New(Mul, a, b)
}

func quotient(a, b *Expr) *Expr {
	if b.IsNum(1) {
		return a
	}
	return New(Div, a, b)
}

func squared(a *Expr) *Expr {
	if a.IsNum(1) {
		return a
	}
	return New(Square, a)
}

// Vanishing returns an expression that is 0 where e is 0 because exponentials vanish, one in each term of e, and that is above 0 elsewhere. It
// is nil if e has a term without such a factor.
func Vanishing(e *Expr) *Expr {
	known := map[*Expr]*Expr{}
	var of func(e *Expr) *Expr
	of = func(e *Expr) *Expr {
		v, ok := known[e]
		if ok {
			return v
		}
		switch e.Op {
		case Exp:
			v = e
		case Neg:
			v = of(e.Args[0])
		case Square: // it may vanish before the exponential does
			if x := of(e.Args[0]); x != nil {
				v = New(Square, x)
			}
		case Add, Sub:
			if x, y := of(e.Args[0]), of(e.Args[1]); x != nil && y != nil {
				v = Plus(x, y)
			}
		case Mul:
			switch x, y := of(e.Args[0]), of(e.Args[1]); {
			case x == nil:
				v = y
			case y == nil:
				v = x
			default:
				v = New(Mul, x, y)
			}
		case Inv, Div:
			if e.Op == Div {
				v = of(e.Args[0])
			}
			if by := e.Args[len(e.Args)-1]; v == nil && by.Op != Add && by.Op != Sub {
				if x := of(by); x != nil {
					v = New(Inv, x)
				}
			}
		}
		known[e] = v
		return v
	}
	return of(e)
}
