package simplify

import (
	"testing"

	"likc/compiler/expr"
	"likc/compiler/syntax"
)

// names are the symbols of the tests' expressions.
var names = []string{"rt", "v", "a", "z", "t", "x", "y", "w", "h", "tau", "b", "c"}

func header() *expr.Model {
	m := &expr.Model{Name: "test", LogLik: expr.Num(0)}
	for _, n := range names {
		m.Params = append(m.Params, expr.Param{Name: n, Lower: 0, Upper: 1})
	}
	return m
}

func parse(t testing.TB, text string) *expr.Expr {
	t.Helper()
	m, err := syntax.ParseExpr(text, header())
	if err != nil {
		t.Fatal(err)
	}
	return m.LogLik
}

func TestTry(t *testing.T) {
	for _, text := range []string{"x+x", "x-x", "h + (-h)", "2*a+2*b", "x/x", "a/sqrt(a)", "sqrt(x^2)", "sqrt(x)^2", "(x^2)^3", "x^2*x^2",
		"(a-b)^2-(b-a)^2", "(b-a)/(a-b)", "exp(x)*exp(y)", "exp(x)^2", "exp(2*x)", "exp(log(x))", "log(exp(x))", "log(x^2)", "log(1/x)", "log(x^2)-2*log(abs(x))",
		"a^2*exp(-2*z)", "(a/exp(z))^2", "(a - tau*((a^2*exp(-2*z)/tau - v)^2 + exp(z^2))) / a", "x*0", "0-x", "-(-x)", "a-(-b)", "(z+z)^4", "x*(y*(x*y))", "1-z", "z-1", "x+1", "-x-1",
		"inv(x)", "fma(x,y,a)", "sqrt(x*y)*sqrt(x*y)", "x/3+x/3", "x/2", "abs(x*y^2)", "cbrt(x^3)", "cbrt(x)^3", "tanh(-x)", "cos(b-a)", "min(x,x)", "x^-2", "exp(-x)", "y*exp(-x)", "sqrt(exp(x))", "exp(2*log(x)+y)"} {
		r := Simplify(parse(t, text), Options{})
		t.Logf("%-40s %-30s %v %v", text, r.Expr, r.Fired, r.Dropped)
	}
}
