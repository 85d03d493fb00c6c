package syntax

import (
	"math"
	"strings"
	"testing"

	"likc/compiler/expr"
	"likc/compiler/expr/exprtest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestPrintLayout(t *testing.T) {
	want := `model expr2 {
  trial  rt
  choice c
  param  v in [-3, 3]
  param  a in [0.3, 2.5]
  param  z in [0.1, 0.9]
  param  t in [0, 2]
  support t < rt
  lower  { v = -v   z = 1 - z }
  let tau = rt - t
  let D   = a^2 * exp(-2 * z)
  loglik = (a - tau * ((D / tau - v)^2 + exp(z^2))) / a
}
`
	if diff := cmp.Diff(want, Format(read(t, expr2))); diff != "" {
		t.Error(diff)
	}
}

// TestPrintOrder: support conditions that use no let come before the lets, and the others after them. A let whose value is a
// symbol, a number or another let is printed, but expressions do not use its name.
func TestPrintOrder(t *testing.T) {
	text := `model m { trial x; param p in [0, 1]
  let k = x; let two = 2; let s = x + p; let same = s
  support x < 3; support p < s; support 0 < x
  loglik = k * two * same }`
	want := `model m {
  trial  x
  param  p in [0, 1]
  support x < 3
  let k    = x
  let two  = 2
  let s    = x + p
  let same = s
  support p < s
  support 0 < x
  loglik = x * 2 * s
}
`
	if diff := cmp.Diff(want, Format(read(t, text))); diff != "" {
		t.Error(diff)
	}
}

// checkRoundTrip prints a model, reads the text, and fails the test if the model that was read differs.
func checkRoundTrip(t rapid.TB, m *expr.Model) {
	t.Helper()
	text := Format(m)
	models, err := Read("printed.lik", strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if len(models) != 1 || !models[0].Equal(m) {
		t.Fatalf("the text reads as another model:\n%s\n%s", text, Format(models[0]))
	}
	if again := Format(models[0]); again != text {
		t.Fatalf("printed again, the text changes:\n%s\n%s", text, again)
	}
}

func TestRoundTrip(t *testing.T) {
	for name, ops := range map[string][]expr.Op{
		"searchable": exprtest.Searchable(),
		"all":        exprtest.Writable(),
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { checkRoundTrip(t, exprtest.Model(ops, 40).Draw(t, "model")) })
		})
	}
}

func TestRoundTripConstants(t *testing.T) {
	header := read(t, expr2)
	check := func(t rapid.TB, v float64) {
		m := *header
		m.LogLik = expr.New(expr.Pow, expr.Num(v), expr.New(expr.Sub, expr.Var("v"), expr.Num(v)))
		checkRoundTrip(t, &m)
	}
	for _, v := range []float64{0, math.Copysign(0, -1), 5e-324, -math.MaxFloat64, 1e21, 1e20, 0.1, 1e-7, 2} {
		check(t, v)
	}
	rapid.Check(t, func(t *rapid.T) { check(t, rapid.Float64().Draw(t, "v")) })
}

// TestFewestParentheses: if any one pair of parentheses is removed from a printed expression, it no longer parses, or it has another meaning.
func TestFewestParentheses(t *testing.T) {
	header := read(t, expr2)
	rapid.Check(t, func(t *rapid.T) {
		e := exprtest.Expr(exprtest.Writable(), 25).Draw(t, "e")
		text := e.String()
		for _, shorter := range withoutOnePair(text) {
			if m, err := ParseExpr(shorter, header); err == nil && m.LogLik.Equal(e) {
				t.Fatalf("%s is also %s", text, shorter)
			}
		}
	})
}

// withoutOnePair returns text without each matched pair of parentheses in turn.
func withoutOnePair(text string) []string {
	var list []string
	var open []int
	for i, r := range text {
		switch r {
		case '(':
			open = append(open, i)
		case ')':
			start := open[len(open)-1]
			open = open[:len(open)-1]
			list = append(list, text[:start]+" "+text[start+1:i]+" "+text[i+1:])
		}
	}
	return list
}

// TestPrintDeepSharing prints an expression that, written out as a tree, would have 2^200 nodes.
func TestPrintDeepSharing(t *testing.T) {
	m := read(t, "model m { trial x; param t0 in [0, 1]; let t2 = x + t0; loglik = t2 }")
	e := m.LogLik
	for range 200 {
		e = expr.New(expr.Mul, e, expr.New(expr.Sub, e, expr.Num(1)))
	}
	m.LogLik = e
	m.Support = []expr.Support{{Left: e.Args[0], Right: expr.New(expr.Exp, e.Args[0])}}
	checkExpressions(t, m, 20_000)
	if text := Format(m); !strings.Contains(text, "let t1  ") || strings.Count(text, "let t2  ") != 1 || strings.Contains(text, "let t0 ") || !strings.Contains(text, "= x + t0\n") {
		t.Errorf("the new names should be t1, t3, … and the let t2 should stay as it is:\n%s", text)
	}
}

// TestPrintDeepNesting: the printer adds lets where nesting would be deeper than the parser allows.
func TestPrintDeepNesting(t *testing.T) {
	for _, op := range []expr.Op{expr.Exp, expr.Neg, expr.Square, expr.Sub, expr.Pow} {
		m := read(t, "model m { trial x; param p in [0, 1]; let k = x*p; loglik = p }")
		e := m.Lets[0].Value
		for range 5_000 {
			if op.Info().Arity == 1 {
				e = expr.New(op, e)
			} else {
				e = expr.New(op, expr.Var("p"), e)
			}
		}
		m.LogLik = e
		checkExpressions(t, m, 100_000)
		m.Lets[0].Value = e
		checkExpressions(t, m, 100_000)
	}
}

// checkExpressions does what checkRoundTrip does, for a model to which the printer must add lets. size is the largest allowed length of the
// text, in bytes.
func checkExpressions(t *testing.T, m *expr.Model, size int) {
	t.Helper()
	text := Format(m)
	if len(text) == 0 || len(text) > size {
		t.Fatalf("%d bytes, want at most %d", len(text), size)
	}
	got := read(t, text)
	if len(got.Lets) <= len(m.Lets) {
		t.Errorf("%d lets, want more than %d", len(got.Lets), len(m.Lets))
	}
	got.Lets = m.Lets
	if !got.Equal(m) {
		t.Errorf("the text reads as another model:\n%s", text)
	}
}

func TestPrintRefuses(t *testing.T) {
	shared := expr.Var("p")
	for range 30 {
		shared = expr.New(expr.Add, shared, shared)
	}
	deep := expr.Var("p")
	for range 1000 {
		deep = expr.New(expr.Exp, deep)
	}
	cases := []struct {
		want   string
		change func(*expr.Model)
	}{
		{`print model "m": no loglik`, func(m *expr.Model) { m.LogLik, m.Lets = nil, []expr.Let{{Name: "q", Value: expr.Var("p")}} }},
		{`print model "a b": name "a b" is not an identifier`, func(m *expr.Model) { m.Name = "a b" }},
		{`print model "m": name "x }\n" is not an identifier`, func(m *expr.Model) { m.Trials = []string{"x }\n"} }},
		{`print model "m": name "let" is not an identifier`, func(m *expr.Model) { m.Params[0].Name = "let" }},
		{`print model "m": operator sum is not in the language`, func(m *expr.Model) { m.LogLik = expr.SumOver("all", m.LogLik) }},
		{`print model "m": constant +Inf is not finite`, func(m *expr.Model) { m.LogLik = expr.Num(math.Inf(1)) }},
		{`print model "m": constant NaN is not finite`, func(m *expr.Model) { m.Lower[0].Value = expr.Num(math.NaN()) }},
		{`print model "m": symbol "q" is not declared`, func(m *expr.Model) { m.LogLik = expr.Var("q") }},
		{`print model "m": lower value of p is too large`, func(m *expr.Model) { m.Lower[0].Value = shared }},
		{`print model "m": lower value of p is nested too deep`, func(m *expr.Model) { m.Lower[0].Value = deep }},
	}
	for _, c := range cases {
		m := read(t, "model m { trial x; choice c; param p in [0, 1]; lower { p = -p } loglik = p }")
		c.change(m)
		var b strings.Builder
		if err := Print(&b, m); err == nil || err.Error() != c.want || b.Len() > 0 {
			t.Errorf("got %v and %q, want %s", err, b.String(), c.want)
		}
	}
}
