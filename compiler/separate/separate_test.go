package separate

import (
	"math"
	"strings"
	"testing"

	"likc/compiler/expr"
	"likc/compiler/syntax"
)

// header declares what the cases use; the support makes rt - t positive.
const header = `model h {
  trial rt
  trial x
  param v in [-3, 3]
  param a in [0.3, 2.5]
  param t in [0, 2]
  support t < rt
  let tau = rt - t
  loglik = rt
}`

func model(t *testing.T, text string) (*expr.Model, expr.Group) {
	t.Helper()
	models, err := syntax.Read("h.lik", strings.NewReader(header))
	if err != nil {
		t.Fatal(err)
	}
	m, err := syntax.ParseExpr(text, models[0])
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return m, m.Groups()[0]
}

func TestSplit(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"constant", "v", "v * sum[all](1)"},
		{"statistic", "v*rt", "v * sum[all](rt)"},
		{"product of columns", "v*rt*x", "v * sum[all](rt * x)"},
		{"square multiplied out", "(rt - v)^2", "sum[all](rt^2) - (v + v) * sum[all](rt) + v^2 * sum[all](1)"},
		{"divisor stays whole", "v/tau", "v * sum[all](inv(rt - t))"},
		{"divisor cancels", "tau*(v/tau)^2", "v^2 * sum[all](inv(rt - t))"},
		{"orientation", "v/(t - rt)", "-(v * sum[all](inv(rt - t)))"},
		{"positive power of a divisor is statistics", "1/tau + a*tau", "sum[all](inv(rt - t)) + a * sum[all](rt) - a * t * sum[all](1)"},
		{"log of a positive product", "log(a*tau^3)", "log(a) * sum[all](1) + 3 * sum[all](log(rt - t))"},
		{"log of a half power", "log(2*tau^1.5)", "log(2) * sum[all](1) + 1.5 * sum[all](log(rt - t))"},
		{"log of what may be negative stays", "log(v*x)", "sum[all](log(v * x))"},
		{"square root of a positive product", "sqrt(a*tau)", "sqrt(a) * sum[all](sqrt(rt - t))"},
		{"whole power of a square root", "(v/sqrt(tau))^2 + 1/tau", "(v^2 + 1) * sum[all](inv(rt - t))"},
		{"exp stays whole: its parts may overflow alone", "exp(v + x)", "sum[all](exp(v + x))"},
		{"sixth powers are taken apart", "(v*rt)^6", "(v^2 * v)^2 * sum[all]((rt^2 * rt)^2)"},
		{"seventh powers of sums are not", "(rt + v)^7 + v", "sum[all]((rt + v)^7) + v * sum[all](1)"},
		{"a negative power of a product", "(v*rt)^(-2)", "inv(v)^2 * sum[all](inv(rt)^2)"},
		{"other functions are atoms", "v*tanh(a*rt)", "v * sum[all](tanh(a * rt))"},
	}
	for _, test := range tests {
		m, g := model(t, test.text)
		got, ok := Split(g.Name, g.LogLik, Know(m, g))
		if !ok {
			t.Errorf("%s: not split", test.name)
			continue
		}
		if got.String() != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, test.want)
		}
	}
}

func TestWhole(t *testing.T) {
	tests := []struct{ text, want string }{
		{"v", "v * sum[all](1)"},
		{"v*exp(a*rt)", "v * sum[all](exp(a * rt))"},
		{"v + x*a + exp(a*rt)", "v * sum[all](1) + a * sum[all](x) + sum[all](exp(a * rt))"},
		{"-(v/exp(a*rt))", "-(v * sum[all](inv(exp(a * rt))))"},
	}
	for _, test := range tests {
		m, g := model(t, test.text)
		if got := Whole(g.Name, g.LogLik, Know(m, g)).String(); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.text, got, test.want)
		}
	}
}

// TestSplitKeepsTheValue sums both forms over trials.
func TestSplitKeepsTheValue(t *testing.T) {
	texts := []string{
		"(a - tau*((a^2/tau - v)^2 + exp(v^2)))/a",
		"log(a*tau^3) - (a - v*tau)^2/(2*tau)",
		"(v*sqrt(tau) + a/sqrt(tau))^2*x",
		"(rt + x - v)^3/(a + rt)",
		"exp(v + x - a)*(tau + x)^2/tau^3",
		"v*sqrt(tau^4*a) + x*sqrt(tau^3*a)",
		"(a*tau)^1.5*v - (a*tau)^(-2.5)",
		"v*tau^6/(1 + a) + (rt - t)^5*a",
		"a/(v - 2*rt*v) + (x - a)^4*rt/tau^2",
	}
	rt, x := []float64{1.5, 2.5, 3.25, 9}, []float64{-1, 0.5, 2, 0.1}
	theta := map[string]float64{"v": -0.7, "a": 1.3, "t": 0.9}
	for _, text := range texts {
		m, g := model(t, text)
		k := Know(m, g)
		split, ok := Split(g.Name, g.LogLik, k)
		if !ok {
			t.Fatalf("%s: not split", text)
		}
		a, b := total(split, rt, x, theta), total(Whole(g.Name, g.LogLik, k), rt, x, theta)
		c := total(expr.SumOver(g.Name, g.LogLik), rt, x, theta)
		if !(math.Abs(a-c) <= 1e-12*(1+math.Abs(c))) || !(math.Abs(b-c) <= 1e-12*(1+math.Abs(c))) {
			t.Errorf("%s: split %v, whole %v, want %v", text, a, b, c)
		}
	}
}

// total evaluates an expression that contains sums over trials: it replaces each sum by its value.
func total(e *expr.Expr, rt, x []float64, theta map[string]float64) float64 {
	names := []string{"rt", "x", "v", "a", "t"}
	values := func(i int) []float64 { return []float64{rt[i], x[i], theta["v"], theta["a"], theta["t"]} }
	numeric := expr.Map(e, func(n *expr.Expr, args []*expr.Expr) *expr.Expr {
		if n.Op != expr.Sum {
			return n.With(args)
		}
		sum := 0.0
		for i := range rt {
			y, _ := expr.NewTape(names, n.Args[0]).Eval(nil, values(i))
			sum += y[0]
		}
		return expr.Num(sum)
	})
	y, _ := expr.NewTape(names, numeric).Eval(nil, values(0))
	return y[0]
}

func TestSplitGivesUp(t *testing.T) {
	m, g := model(t, "((rt + v)*(x + a)*(rt + t)*(x + v) + rt)^6")
	if _, ok := Split(g.Name, g.LogLik, Know(m, g)); ok {
		t.Error("a product of thousands of terms was multiplied out")
	}
}

// TestDeepSharing: a graph with 2^60 paths is split node by node.
func TestDeepSharing(t *testing.T) {
	m, g := model(t, "rt*v")
	e := expr.New(expr.Tanh, g.LogLik)
	for i := 0; i < 60; i++ {
		e = expr.New(expr.Mul, e, e)
	}
	if _, ok := Split(g.Name, e, Know(m, g)); !ok {
		t.Error("not split")
	}
}

// TestLinear: a linear combination of functions of the trials is found within products, squares and quotients. An expression in which a
// function mixes trial symbols and parameters is none.
func TestLinear(t *testing.T) {
	for text, want := range map[string]string{
		"(v - rt)^2/a":             "v^2 / a - (v + v) / a * rt + inv(a) * rt^2",
		"v*x + 3":                  "v * x + 3",
		"log(a*x^2) - v*log(rt)":   "",
		"x*(rt - v)^2 + tanh(x*v)": "",
	} {
		m, g := model(t, text)
		got, ok := Linear(g.LogLik, Know(m, g), 4)
		if ok != (want != "") || ok && got.String() != want {
			t.Errorf("%s: %v, %v, want %q", text, got, ok, want)
		}
	}
	m, g := model(t, "(v - rt)^2/a")
	if got, ok := Linear(g.LogLik, Know(m, g), 2); ok {
		t.Errorf("%v has more than two terms", got)
	}
}

// TestSplitSums: every sum within an expression is multiplied out.
func TestSplitSums(t *testing.T) {
	m, g := model(t, "v*(rt - a)*x")
	e := expr.New(expr.Mul, expr.Var("t"), expr.SumOver("all", g.LogLik))
	if got, want := SplitSums(e, Know(m, g)).String(), "t * (v * sum[all](rt * x) - v * a * sum[all](x))"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
