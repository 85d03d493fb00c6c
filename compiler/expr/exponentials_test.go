package expr_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"likc/compiler/expr"
)

// TestFactors: the parts of a product have the product's value, and the rest has no exponential.
func TestFactors(t *testing.T) {
	of, x, y := expr.New, expr.Var("x"), expr.Var("y")
	exp := func(e *expr.Expr) *expr.Expr { return of(expr.Exp, e) }
	for _, e := range []*expr.Expr{
		x, expr.Num(3), exp(x), of(expr.Mul, expr.Num(-2), x), of(expr.Square, x),
		of(expr.Div, of(expr.Mul, of(expr.Mul, expr.Num(0.5), x), exp(y)), of(expr.Mul, of(expr.Mul, exp(x), y), expr.Num(4))),
		of(expr.Inv, of(expr.Mul, x, exp(y))), of(expr.Square, of(expr.Div, x, exp(of(expr.Neg, y)))),
		of(expr.Pow, of(expr.Div, of(expr.Mul, expr.Num(2), of(expr.Square, y)), exp(x)), expr.Num(-3)), of(expr.Sqrt, of(expr.Mul, of(expr.Square, y), exp(x))),
	} {
		number, exponent, rest := expr.Factors(e)
		parts := of(expr.Mul, of(expr.Mul, expr.Num(number), exp(exponent)), rest)
		tape, random := expr.NewTape([]string{"x", "y"}, e, parts), rand.New(rand.NewPCG(1, 2))
		for range 20 {
			got, _ := tape.Eval(nil, []float64{2*random.Float64() - 1, 2*random.Float64() - 1})
			if !(math.Abs(got[0]-got[1]) <= 1e-13*math.Abs(got[0])) {
				t.Errorf("%v is %v, its parts %v are %v", e, got[0], parts, got[1])
			}
		}
		for _, n := range expr.Order(rest) {
			if n.Op == expr.Exp {
				t.Errorf("the rest of %v is %v", e, rest)
			}
		}
	}
}

// TestVanishing: what it returns is 0 exactly where all exponentials vanish, and not where e is 0 for another reason.
func TestVanishing(t *testing.T) {
	of, x, y := expr.New, expr.Var("x"), expr.Var("y")
	exp := func(e *expr.Expr) *expr.Expr { return of(expr.Exp, e) }
	first := of(expr.Add, of(expr.Mul, y, exp(of(expr.Neg, x))), of(expr.Div, y, exp(x)))
	for _, e := range []*expr.Expr{first, of(expr.Div, of(expr.Add, exp(y), exp(of(expr.Mul, expr.Num(2), y))), exp(x)), of(expr.Sub, exp(of(expr.Neg, x)), of(expr.Inv, of(expr.Square, exp(x)))), of(expr.Square, of(expr.Neg, first))} {
		v := expr.Vanishing(e)
		for at, want := range map[float64]bool{1: false, 800: true, 400: e.Op == expr.Square} {
			for _, y := range []float64{0, 2} {
				if got, _ := expr.NewTape([]string{"x", "y"}, v).Eval(nil, []float64{at, y}); (got[0] == 0) != want {
					t.Errorf("%v at x = %v, y = %v: %v", e, at, y, got[0])
				}
			}
		}
	}
	deep := exp(x)
	for range 60 {
		deep = of(expr.Mul, deep, deep)
	}
	if number, _, rest := expr.Factors(deep); number != 1 || !rest.IsNum(1) {
		t.Errorf("a product with 2^60 paths is %v times an exponential times %v", number, rest)
	}
	if v := expr.Vanishing(of(expr.Sub, expr.Num(1), exp(x))); v != nil {
		t.Errorf("1 - exp(x) vanishes by %v", v)
	}
}
