package diff

import (
	"math"
	"math/cmplx"
	"slices"
	"strings"
	"testing"

	"likc/compiler/expr"
	"likc/compiler/expr/exprtest"
	"likc/compiler/syntax"

	"pgregory.net/rapid"
)

// parse reads a bare expression over rt, v, a, z, t.
func parse(t testing.TB, text string) *expr.Expr {
	t.Helper()
	header := "model h { trial rt param v in [-3,3] param a in [0.3,2.5] param z in [0.1,0.9] param t in [0,2] loglik = rt }"
	models, err := syntax.Read("h.lik", strings.NewReader(header))
	if err != nil {
		t.Fatal(err)
	}
	m, err := syntax.ParseExpr(text, models[0])
	if err != nil {
		t.Fatal(err)
	}
	return m.LogLik
}

func TestGradient(t *testing.T) {
	tests := []struct{ text, symbol, want string }{
		{"v", "v", "1"},
		{"a", "v", "0"},
		{"v + v", "v", "2"},
		{"v - a", "a", "-1"},
		{"v * a", "v", "a"},
		{"v^2", "v", "2 * v"},
		{"exp(v)", "v", "exp(v)"},
		{"log(v)", "v", "inv(v)"},
		{"sqrt(v)", "v", "0.5 / sqrt(v)"},
		{"1 / v", "v", "-(1 / v / v)"},
		{"v^3", "v", "3 * v^2"},
		{"-v * a", "v", "-a"},
		{"exp(a) * exp(a)", "a", "exp(a)^2 + exp(a)^2"},
		{"less(v, a)", "v", "0"},
		{"a / exp(v)", "v", "-(a / exp(v))"},
		{"t / (a * exp(2 * v))", "a", "-(t / (a * exp(2 * v)) / a)"},
	}
	for _, test := range tests {
		if got := Gradient(parse(t, test.text), []string{test.symbol})[0].String(); got != test.want {
			t.Errorf("d(%s)/d%s = %s, want %s", test.text, test.symbol, got, test.want)
		}
	}
}

// TestGradientBeyondOverflow: where an exponential in a divisor overflows, the quotient and its derivatives are 0, and not 0·Inf = NaN.
func TestGradientBeyondOverflow(t *testing.T) {
	for _, text := range []string{"rt / exp(v)", "1 / exp(v)", "(1 + v) / (a * exp(v))", "1 / (exp(v) * (a * exp(a * v)))", "a / exp(v)^2", "1 / (a * exp(a * v)^3)^2", "1 / sqrt(a * exp(v))"} {
		e := parse(t, text)
		values := append(Gradient(e, []string{"v", "a"}), e)
		got, _ := expr.NewTape([]string{"rt", "v", "a"}, values...).Eval(nil, []float64{2, 1000, 0.8})
		for _, x := range got {
			if x != 0 {
				t.Errorf("%s beyond overflow: derivatives and value %v, want 0", text, got)
			}
		}
	}
}

func TestGradientOfSums(t *testing.T) {
	sum := func(text string) *expr.Expr { return expr.SumOver("all", parse(t, text)) }
	e := expr.New(expr.Mul, parse(t, "a^2"), sum("1/(rt - t)"))
	tests := []struct{ symbol, want string }{
		{"a", "2 * (sum[all](1 / (rt - t)) * a)"},
		{"t", "a^2 * sum[all](1 / (rt - t) / (rt - t))"},
		{"v", "0"},
	}
	for _, test := range tests {
		if got := Gradient(e, []string{test.symbol})[0].String(); got != test.want {
			t.Errorf("d/d%s = %s, want %s", test.symbol, got, test.want)
		}
	}
}

// TestGradientOfChoices: if(c, x, y) has the derivative if(c, x', y'). The derivative of a choice between constants is 0. The condition
// adds nothing to a derivative, although the value jumps where it changes.
func TestGradientOfChoices(t *testing.T) {
	tests := []struct{ text, symbol, want string }{
		{"if(v < a, v^2, exp(a))", "v", "if(less(v, a), 2 * v, 0)"},
		{"if(v < a, v^2, exp(a))", "a", "if(less(v, a), 0, exp(a))"},
		{"if(v < a, v^2, exp(a))", "z", "0"},
		{"if(v < a, 1, 2)", "v", "0"},
		{"z * if(v < a, a, v)", "a", "z * if(less(v, a), 1, 0)"},
		{"z * if(v < a, a, v)", "z", "if(less(v, a), a, v)"},
		{"if(v < a, z, t) + if(v < a, z, t)", "z", "if(less(v, a), 1, 0) + if(less(v, a), 1, 0)"},
	}
	for _, test := range tests {
		got := Gradient(parse(t, test.text), []string{test.symbol})[0].String()
		if want := parse(t, test.want).String(); got != want {
			t.Errorf("d(%s)/d%s = %s, want %s", test.text, test.symbol, got, want)
		}
	}
}

// TestGradientOfFlatSums: a summand that contains a symbol but does not change with it adds nothing to the derivative of the sum. A sign
// or constant factor of the whole summand is moved in front of the sum, so that sums that differ only in these share a node.
func TestGradientOfFlatSums(t *testing.T) {
	sum := func(text string) *expr.Expr { return expr.SumOver("all", parse(t, text)) }
	for _, test := range []struct {
		e            *expr.Expr
		symbol, want string
	}{
		{sum("less(rt, v) * rt"), "v", "0"},
		{sum("less(rt, v) + a * rt"), "a", "sum[all](rt)"},
		{sum("0*v + rt"), "v", "0"},
		{sum("-(a * rt)"), "a", "-sum[all](rt)"},
		{sum("3 * exp(a * rt)"), "a", "sum[all](3 * exp(a * rt) * rt)"},
		{sum("a * 3 * rt"), "a", "3 * sum[all](rt)"},
		{sum("rt * (v - a) - 2 * rt * a"), "a", "-sum[all](2 * rt + rt)"},
	} {
		if got := Gradient(test.e, []string{test.symbol})[0].String(); got != test.want {
			t.Errorf("d(%s)/d%s = %s, want %s", test.e, test.symbol, got, test.want)
		}
	}
}

// TestGradientSharesNodes: a subexpression that value and gradient have in common is one node, not two.
func TestGradientSharesNodes(t *testing.T) {
	e := parse(t, "exp(v*a)")
	grad := Gradient(e, []string{"v", "a"})
	n := len(expr.Order(append(grad, e)...))
	if n != 6 { // v, a, v*a, exp(v*a), a*exp(v*a), v*exp(v*a)
		t.Errorf("value and gradient have %d nodes, want 6", n)
	}
}

// TestGradientOfDeepSharing: an expression with 2^60 paths is differentiated node by node.
func TestGradientOfDeepSharing(t *testing.T) {
	e := expr.Var("v")
	for i := 0; i < 60; i++ {
		e = expr.New(expr.Add, e, e)
	}
	g := Gradient(e, []string{"v"})[0]
	if !g.IsNum(math.Pow(2, 60)) {
		t.Errorf("gradient %.60s, want 2^60", g)
	}
}

// TestVanished: where all exponentials of a sum vanish, so does the exponential of its log, and its derivative is 0 and not 0/0.
func TestVanished(t *testing.T) {
	of, v, a, z := expr.New, expr.Var("v"), expr.Var("a"), expr.Var("z")
	sum := of(expr.Add, of(expr.Exp, of(expr.Mul, expr.Num(-900), v)), of(expr.Exp, of(expr.Mul, expr.Num(-800), of(expr.Mul, v, a))))
	log := of(expr.Log, sum)
	thrice := of(expr.Sub, of(expr.Mul, expr.Num(2), log), of(expr.Neg, log))
	e := of(expr.Exp, of(expr.Sub, of(expr.Add, thrice, z), of(expr.Mul, a, z)))
	tape := expr.NewTape([]string{"v", "a", "z"}, append(Gradient(e, []string{"v", "a", "z"}), e)...)
	for _, at := range [][]float64{{1, 1, 0.5}, {0.01, 0.7, 2}, {2, 3, 1}} {
		got, _ := tape.Eval(nil, at)
		first, second := math.Exp(-900*at[0]), math.Exp(-800*at[0]*at[1])
		rest := math.Exp(at[2]-at[1]*at[2]) * (first + second) * (first + second)
		value := (first + second) * rest
		want := []float64{-3 * (900*first + 800*at[1]*second) * rest, -3*800*at[0]*second*rest - at[2]*value, (1 - at[1]) * value, value}
		for j := range want {
			if !(math.Abs(got[j]-want[j]) <= 1e-12*math.Abs(want[j])) {
				t.Errorf("at %v: %v, want %v", at, got, want)
				break
			}
		}
	}
}

// TestZeroButNotVanished: a difference that is 0, or a factor, is no exponential that vanishes, and the derivative is not 0 silently.
func TestZeroButNotVanished(t *testing.T) {
	of, v, z := expr.New, expr.Var("v"), expr.Var("z")
	decay := of(expr.Exp, of(expr.Neg, v))
	for _, w := range []*expr.Expr{of(expr.Sub, expr.Num(1), decay), of(expr.Mul, v, decay)} {
		got, _ := expr.NewTape([]string{"v", "z"}, Gradient(of(expr.Exp, of(expr.Add, of(expr.Log, w), z)), []string{"v"})...).Eval(nil, []float64{0, 0})
		if got[0] == 0 { // it is 1; NaN shows that it is not known
			t.Errorf("exp(log(%s) + z) has the derivative %v at v = 0", w, got[0])
		}
	}
}

// TestEdgesOfVanishing: a product may vanish before its exponential does, or after it, and a quotient by its divisor. Where a log of 0 is
// subtracted, the derivative is not 0.
func TestEdgesOfVanishing(t *testing.T) {
	of, x, y, num := expr.New, expr.Var("x"), expr.Var("y"), expr.Num
	exp := func(e *expr.Expr) *expr.Expr { return of(expr.Exp, e) }
	fall := exp(of(expr.Neg, x))
	plus := func(w, u *expr.Expr) *expr.Expr { return exp(of(expr.Add, of(expr.Log, w), u)) }
	for name, c := range map[string]struct {
		e    *expr.Expr
		at   []float64
		want float64 // derivative in x
	}{
		"before":     {plus(of(expr.Mul, num(0.001), fall), y), []float64{740, 1}, 0},
		"after":      {plus(of(expr.Square, of(expr.Mul, num(1e20), fall)), y), []float64{380, 600}, -2 * math.Exp(600+40*math.Log(10)-760)},
		"by divisor": {plus(of(expr.Div, of(expr.Add, exp(y), exp(of(expr.Mul, num(2), y))), exp(x)), y), []float64{800, 1}, 0},
		"power":      {plus(of(expr.Add, of(expr.Pow, of(expr.Mul, y, fall), num(3)), fall), y), []float64{900, 1}, 0},
		"subtracted": {exp(of(expr.Sub, y, of(expr.Mul, num(2), of(expr.Log, of(expr.Add, fall, exp(of(expr.Mul, num(-2), x))))))), []float64{800, -100}, math.Inf(1)},
	} {
		got, _ := expr.NewTape([]string{"x", "y"}, Gradient(c.e, []string{"x"})...).Eval(nil, c.at)
		if d := math.Abs(got[0] - c.want); !(d <= 1e-10*math.Abs(c.want)) && !(math.IsInf(c.want, 1) && got[0] != 0) {
			t.Errorf("%s: the derivative of %v at %v is %v, want %v", name, c.e, c.at, got[0], c.want)
		}
	}
}

// TestDeepExponents: exponents with 2^60 paths are differentiated node by node.
func TestDeepExponents(t *testing.T) {
	deep := expr.Var("z")
	for range 60 {
		deep = expr.New(expr.Add, deep, deep)
	}
	for _, e := range []*expr.Expr{expr.New(expr.Exp, deep), expr.New(expr.Exp, expr.New(expr.Log, deep))} {
		got, _ := expr.NewTape([]string{"z"}, Gradient(e, []string{"z"})...).Eval(nil, []float64{math.Pow(2, -60)})
		want := math.Pow(2, 60) // times exp(1) for the first
		if e.Args[0] == deep {
			want *= math.E
		}
		if !(math.Abs(got[0]-want) < 1e-9*want) {
			t.Errorf("%v, want %v", got[0], want)
		}
	}
}

const step = 1e-30

// complexStep returns the derivative of e in symbol j, Im f(x + i·h)/h: exact to rounding, and independent of every derivative rule
// [squire1998]. Each operator's real part is its real value, so that a power or comparison at its jump is on the side where
// [expr.Tape.Eval] is: 0^lgamma(1) is 1 there, and 0 after a rounding error. It is NaN where there is no derivative.
func complexStep(e *expr.Expr, at []float64, j int) float64 {
	values := map[*expr.Expr]complex128{}
	var x [3]float64
	var z [3]complex128
	for _, n := range expr.Order(e) {
		switch n.Op {
		case expr.Const:
			values[n] = complex(n.Value, 0)
		case expr.Sym:
			k := slices.Index(exprtest.Names, n.Name)
			values[n] = complex(at[k], 0)
			if k == j {
				values[n] += complex(0, step)
			}
		default:
			for i, arg := range n.Args {
				z[i] = values[arg]
				x[i] = real(z[i])
			}
			if kinked(n.Op, x) {
				return math.NaN()
			}
			values[n] = complex(n.Op.Info().Eval(x), imag(n.Op.Info().Complex(z)))
		}
	}
	y := values[e]
	if cmplx.IsNaN(y) || cmplx.IsInf(y) {
		return math.NaN()
	}
	return imag(y) / step
}

// kinked reports whether the operator has different slopes on the two sides of x.
func kinked(op expr.Op, x [3]float64) bool {
	switch op {
	case expr.Abs:
		return x[0] == 0
	case expr.Min, expr.Max:
		return x[0] == x[1]
	}
	return false
}

// maxScale returns the error scale up to which derivatives of e are compared. At larger scales the arguments of sin and erfc have no exact
// digits left. The slope of inverse_mills is a difference of nearly equal numbers, so it loses its digits at a smaller scale.
func maxScale(e *expr.Expr) float64 {
	for _, sub := range expr.Order(e) {
		if sub.Op == expr.InverseMills {
			return 1e4
		}
	}
	return 1e8
}

// TestGradientAgainstComplexStep compares on random expressions, relative to the running error scale.
func TestGradientAgainstComplexStep(t *testing.T) {
	for name, ops := range map[string][]expr.Op{"search": exprtest.Searchable(), "table": exprtest.Writable()} {
		compared := 0
		rapid.Check(t, func(t *rapid.T) {
			e := exprtest.Expr(ops, 40).Draw(t, "e")
			at := point(t)
			tape := expr.NewTape(exprtest.Names, append(Gradient(e, exprtest.Names), e)...)
			got, scale := tape.Eval(nil, at)
			for j := range at {
				want := complexStep(e, at, j)
				if scale > maxScale(e) {
					continue
				}
				if math.IsNaN(want) || math.IsInf(want, 0) || math.IsNaN(scale) || math.IsInf(scale, 0) || math.IsNaN(got[j]) || math.IsInf(got[j], 0) {
					continue
				}
				compared++
				if !(math.Abs(got[j]-want) <= 1e-9*(scale+math.Abs(want))) {
					t.Fatalf("%s\nd/d%s = %v, complex step %v, scale %v, at %v", e, exprtest.Names[j], got[j], want, scale, at)
				}
			}
		})
		if compared == 0 {
			t.Errorf("%s: nothing compared", name)
		}
	}
}

func point(t *rapid.T) []float64 {
	at := make([]float64, len(exprtest.Names))
	for i := range at {
		at[i] = rapid.Float64Range(0.05, 3).Draw(t, exprtest.Names[i])
	}
	return at
}
