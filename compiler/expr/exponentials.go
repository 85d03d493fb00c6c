package expr

import "math"

// Factors splits a product or a quotient into a number, an exponential and the rest: e is number·exp(exponent)·rest. Without an exponential
// the exponent is 0.
func Factors(e *Expr) (number float64, exponent, rest *Expr) {
	f := factorsOf(e, map[*Expr]factors{})
	return f.number, f.exponent, f.rest
}

// factors are the result of [Factors].
type factors struct {
	number         float64
	exponent, rest *Expr
}

func factorsOf(e *Expr, known map[*Expr]factors) factors {
	if f, ok := known[e]; ok {
		return f
	}
	f := factors{1, Num(0), e}
	switch e.Op {
	case Const:
		f = factors{e.Value, Num(0), Num(1)}
	case Exp:
		f = factors{1, e.Args[0], Num(1)}
	case Mul, Div:
		x, y := factorsOf(e.Args[0], known), factorsOf(e.Args[1], known)
		if e.Op == Mul {
			f = factors{x.number * y.number, Plus(x.exponent, y.exponent), kept(Mul, x.rest, y.rest)}
		} else {
			f = factors{x.number / y.number, Plus(x.exponent, Negative(y.exponent)), kept(Div, x.rest, y.rest)}
		}
	case Inv:
		x := factorsOf(e.Args[0], known)
		f = factors{1 / x.number, Negative(x.exponent), kept(Div, Num(1), x.rest)}
	default:
		if by, ok := Power(e); ok {
			if x := factorsOf(e.Args[0], known); !x.exponent.IsNum(0) && x.number > 0 {
				f = factors{math.Pow(x.number, by), Times(Num(by), x.exponent), x.rest}
				if !x.rest.IsNum(1) {
					f.rest = e.With(append([]*Expr{x.rest}, e.Args[1:]...))
				}
			}
		}
	}
	known[e] = f
	return f
}

// kept returns the product or the quotient of two expressions in their form, but for a 1.
func kept(op Op, a, b *Expr) *Expr {
	switch {
	case b.IsNum(1):
		return a
	case op == Mul && a.IsNum(1):
		return b
	}
	return New(op, a, b)
}

// Power returns the exponent of a square, a root or a power whose exponent is a number other than 0.
func Power(e *Expr) (exponent float64, ok bool) {
	switch {
	case e.Op == Square:
		return 2, true
	case e.Op == Sqrt:
		return 0.5, true
	case e.Op == Pow && e.Args[1].Op == Const && e.Args[1].Value != 0:
		return e.Args[1].Value, true
	}
	return 0, false
}

// Vanishing returns an expression that is 0, or tiny, wherever e is 0 because exponentials vanish, one in each term of e. Where e is 0 for
// another reason, it usually is not. It is nil if e has a term without such a factor.
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
		case Add, Sub:
			if x, y := of(e.Args[0]), of(e.Args[1]); x != nil && y != nil {
				v = Plus(x, y)
			}
		case Mul:
			v = both(of(e.Args[0]), of(e.Args[1]))
		case Div:
			v = both(of(e.Args[0]), inverse(of(e.Args[1])))
		case Inv:
			v = inverse(of(e.Args[0]))
		default:
			if _, ok := Power(e); ok {
				if x := of(e.Args[0]); x != nil {
					v = e.With(append([]*Expr{x}, e.Args[1:]...))
				}
			}
		}
		known[e] = v
		return v
	}
	return of(e)
}

// both returns the product of two expressions, of which either may be nil.
func both(x, y *Expr) *Expr {
	switch {
	case x == nil:
		return y
	case y == nil:
		return x
	}
	return New(Mul, x, y)
}

// inverse returns 1/x, or nil for nil.
func inverse(x *Expr) *Expr {
	if x == nil {
		return nil
	}
	return New(Inv, x)
}
