package expr_test

import (
	"math"
	"testing"

	"likc/compiler/expr"
)

// TestSummands: the terms of a sum add up to it, and there is one for each sign.
func TestSummands(t *testing.T) {
	x, y, z := expr.Var("x"), expr.Var("y"), expr.Var("z")
	sum := expr.New(expr.Add, expr.New(expr.Sub, expr.New(expr.Neg, x), y), expr.New(expr.Add, expr.New(expr.Mul, x, z), expr.Num(2)))
	terms := expr.Summands(sum)
	if len(terms) != 4 || !terms[1].Negative || terms[0].Negative {
		t.Errorf("terms of %v: %v", sum, terms)
	}
	got, _ := expr.NewTape([]string{"x", "y", "z"}, expr.SumOf(terms), expr.SumOf(terms[1:])).Eval(nil, []float64{3, 5, 7})
	if got[0] != -3-5+21+2 || got[1] != -5+21+2 {
		t.Errorf("%v: values %v", sum, got)
	}
}

// TestWithNames: lets stand for their values, also within each other, and the whole has the same value.
func TestWithNames(t *testing.T) {
	x := expr.Var("x")
	h := expr.New(expr.Square, x)
	k := expr.New(expr.Add, h, x)
	m := &expr.Model{LogLik: expr.New(expr.Sub, expr.New(expr.Exp, k), h), Lets: []expr.Let{{Name: "h", Value: h}, {Name: "k", Value: k}}}
	loglik, lets := m.WithNames()
	if got := loglik.String(); got != "exp(k) - h" {
		t.Errorf("log density: %s", got)
	}
	if len(lets) != 2 || lets[0].Value.String() != "x^2" || lets[1].Value.String() != "h + x" {
		t.Errorf("lets: %v", lets)
	}
	got, _ := expr.NewTape([]string{"h", "k"}, loglik).Eval(nil, []float64{4, 6})
	if want := math.Exp(6) - 4; got[0] != want {
		t.Errorf("%v, want %v", got[0], want)
	}
}
