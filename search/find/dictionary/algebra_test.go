package dictionary

import (
	"math"
	"math/rand/v2"
	"testing"

	"likc/compiler/expr"
)

// TestApart: powers of products have the same values as products of powers, and powers with the same base and exponent are one.
func TestApart(t *testing.T) {
	of, num := expr.New, expr.Num
	x, y, p := expr.Var("x"), expr.Var("y"), expr.Var("p")
	pulse := func(k float64) *expr.Expr { // (k x exp(1 - k x/y)/y)^p
		return of(expr.Pow, div(mul(mul(num(k), x), of(expr.Exp, sub(num(1), div(mul(num(k), x), y)))), y), p)
	}
	whole := add(add(pulse(0.2), pulse(3)), add(of(expr.Pow, mul(num(-2), y), num(3)), of(expr.Pow, div(num(5), of(expr.Exp, x)), mul(p, y))))
	split := apart(whole)
	was, is := expr.NewTape([]string{"x", "y", "p"}, whole), expr.NewTape([]string{"x", "y", "p"}, split)
	random := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		at := []float64{4 * random.Float64(), 0.1 + random.Float64(), 5 * random.Float64()}
		want, _ := was.Eval(nil, at)
		got, _ := is.Eval(nil, at)
		if want, got := want[0], got[0]; !(math.Abs(got-want) <= 1e-12*math.Abs(want)) {
			t.Errorf("at %v: %v, want %v", at, got, want)
		}
	}
	powers := 0
	for _, n := range expr.Order(simple(split)) {
		if n.Op == expr.Pow && len(n.Args[0].Args) > 0 && n.Args[1].Equal(p) {
			powers++
		}
	}
	if powers != 1 {
		t.Errorf("%d different powers of x: want 1 in %v", powers, split)
	}
	for _, none := range []*expr.Expr{of(expr.Pow, mul(num(-2), x), p), of(expr.Pow, mul(num(2), x), num(3)), of(expr.Pow, x, p)} {
		if !apart(none).Equal(none) {
			t.Errorf("%v became %v", none, apart(none))
		}
	}
}
