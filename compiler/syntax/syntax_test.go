package syntax

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"likc/compiler/expr"

	"github.com/google/go-cmp/cmp"
)

const expr2 = `// Expression 2 of the paper: 25 nodes, lambda = 3
model expr2 {
  trial  rt                       // a column of the data, one value a trial (seconds)
  choice c                        // the response column: +1 upper boundary, -1 lower boundary
  param  v in [-3, 3]             // drift rate
  param  a in [0.3, 2.5]          // boundary half-separation
  param  z in [0.1, 0.9]          // relative start point
  param  t in [0, 2]              // non-decision time (seconds)
  support t < rt                  // outside: log-likelihood -Inf, gradient 0
  lower  { v = -v   z = 1 - z }   // reflection: a lower-boundary trial is scored at these values
  let tau = rt - t
  let D   = a^2 * exp(-2*z)
  loglik = (a - tau*((D/tau - v)^2 + exp(z^2))) / a
}
`

func read(t *testing.T, text string) *expr.Model {
	t.Helper()
	models, err := Read("test.lik", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return models[0]
}

func TestReadExample(t *testing.T) {
	got := read(t, expr2)
	rt, v, a, z, nd := expr.Var("rt"), expr.Var("v"), expr.Var("a"), expr.Var("z"), expr.Var("t")
	tau := expr.New(expr.Sub, rt, nd)
	d := expr.New(expr.Mul, expr.New(expr.Square, a), expr.New(expr.Exp, expr.New(expr.Mul, expr.Num(-2), z)))
	drift := expr.New(expr.Square, expr.New(expr.Sub, expr.New(expr.Div, d, tau), v))
	sum := expr.New(expr.Add, drift, expr.New(expr.Exp, expr.New(expr.Square, z)))
	want := &expr.Model{
		Name:     "expr2",
		Trials:   []string{"rt"},
		Positive: []string{"rt"},
		Choice:   "c",
		Params:   []expr.Param{param("v", -3, 3), param("a", 0.3, 2.5), param("z", 0.1, 0.9), param("t", 0, 2)},
		Support:  []expr.Support{{Left: nd, Right: rt}},
		Lower:    []expr.Assign{{Param: "v", Value: expr.New(expr.Neg, v)}, {Param: "z", Value: expr.New(expr.Sub, expr.Num(1), z)}},
		Lets:     []expr.Let{{Name: "tau", Value: tau}, {Name: "D", Value: d}},
		LogLik:   expr.New(expr.Div, expr.New(expr.Sub, a, expr.New(expr.Mul, tau, sum)), a),
	}
	if !got.Equal(want) {
		t.Errorf("got\n%s\nwant\n%s", Format(got), Format(want))
	}
	if got.LogLik.Size() != 26 {
		t.Errorf("size %d, want 26", got.LogLik.Size())
	}
}

// TestPositive: a trial column is positive if the word "positive" follows it, and the column rt also without the word. Elsewhere the word may
// be a name.
func TestPositive(t *testing.T) {
	m := read(t, "model m { trial rt trial latency positive trial positive; param p in [0, 9] loglik = positive*p - rt }")
	if d := cmp.Diff([]string{"rt", "latency"}, m.Positive); d != "" {
		t.Errorf("positive columns, -want +got:\n%s", d)
	}
	if d := cmp.Diff([]string{"rt", "latency", "positive"}, m.Trials); d != "" {
		t.Errorf("trial columns, -want +got:\n%s", d)
	}
	text := Format(m)
	if !strings.Contains(text, "trial  latency positive\n  trial  positive\n") || !read(t, text).Equal(m) {
		t.Errorf("printed and read again it is another model:\n%s", text)
	}
	if other := read(t, strings.Replace(text, "latency positive", "latency", 1)); other.Equal(m) {
		t.Error("a model is equal to one whose column is not positive")
	}
}

// TestSimulator: a simulator's parameters are expressions of the model's parameters. Without a block they are the model's parameters of the
// same names, including those declared later. The word "simulator" may be a name except where a declaration starts.
func TestSimulator(t *testing.T) {
	const head = "model m { trial x; param q in [0, 9]; %s param simulator in [0, 9] let k = q*simulator loglik = k*x }"
	tests := map[string]struct {
		decl    string
		printed string
		want    []expr.Assign
	}{
		"same names": {"simulator race", "\n  simulator race\n", []expr.Assign{{Param: "q", Value: expr.Var("q")}, {Param: "simulator", Value: expr.Var("simulator")}}},
		"expressions": {"simulator race { drift = -q; bound = exp(q) }", "\n  simulator race { drift = -q   bound = exp(q) }\n",
			[]expr.Assign{{Param: "drift", Value: expr.New(expr.Neg, expr.Var("q"))}, {Param: "bound", Value: expr.New(expr.Exp, expr.Var("q"))}}},
		"none": {"simulator race { }", "\n  simulator race { }\n", nil},
	}
	for name, test := range tests {
		m := read(t, fmt.Sprintf(head, test.decl))
		if !m.Equal(withSimulator(m, &expr.SimulatorUse{Name: "race", Params: test.want})) {
			t.Errorf("%s: resolved as %v", name, m.Simulator)
		}
		if m.Equal(withSimulator(m, nil)) {
			t.Errorf("%s: equal to a model without a simulator", name)
		}
		text := Format(m)
		if !strings.Contains(text, test.printed) || !read(t, text).Equal(m) {
			t.Errorf("%s: printed and read again it is another model:\n%s", name, text)
		}
	}
	if m := read(t, expr2); m.Simulator != nil {
		t.Error("a model that declares no simulator has one")
	}
}

func withSimulator(m *expr.Model, s *expr.SimulatorUse) *expr.Model {
	out := *m
	out.Simulator = s
	return &out
}

func param(name string, lower, upper float64) expr.Param {
	return expr.Param{Name: name, Lower: lower, Upper: upper}
}

// TestReadShares: every symbol is one node, and every let is the same node that the log-likelihood uses.
func TestReadShares(t *testing.T) {
	m := read(t, expr2)
	symbols := map[string]bool{}
	below := map[*expr.Expr]bool{}
	for _, n := range expr.Order(allRoots(m)...) {
		below[n] = true
		if n.Op == expr.Sym && symbols[n.Name] {
			t.Errorf("symbol %s is two nodes", n.Name)
		}
		symbols[n.Name] = true
	}
	for _, n := range expr.Order(m.LogLik) {
		delete(below, n)
	}
	for _, l := range m.Lets {
		if below[l.Value] {
			t.Errorf("let %s is not a node of the log-likelihood", l.Name)
		}
	}
}

func TestReadSeveralModels(t *testing.T) {
	models, err := Read("two.lik", strings.NewReader(expr2+strings.Replace(expr2, "model expr2", "model second", 1)))
	if err != nil || len(models) != 2 || models[1].Name != "second" {
		t.Errorf("got %d models and %v, want expr2 and second", len(models), err)
	}
}

// TestByteOrderMark: a byte order mark at the start of a file is ignored and does not change positions in errors. Anywhere else it is a stray
// character.
func TestByteOrderMark(t *testing.T) {
	if !read(t, "\uFEFF"+expr2).Equal(read(t, expr2)) {
		t.Error("another model with a byte order mark")
	}
	for text, want := range map[string]string{
		"\uFEFFmodel 3":          `f.lik:1:7: unexpected "3", expected a name`,
		"\uFEFF\uFEFFmodel m {}": "f.lik:1:1: stray character \"\\ufeff\"",
	} {
		if _, err := Read("f.lik", strings.NewReader(text)); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestReadFails(t *testing.T) {
	broken := errors.New("disk on fire")
	if _, err := Read("f.lik", iotest.ErrReader(broken)); !errors.Is(err, broken) || err.Error() != "f.lik: disk on fire" {
		t.Errorf("got %v, want the reader's error", err)
	}
}

// TestGrammar: the values of the symbols are such that every wrong grouping of operands gives another result.
func TestGrammar(t *testing.T) {
	header := read(t, "model m { trial x; param a in [0, 9]; param b in [0, 9]; let k = a - b; loglik = x }")
	const x, a, b = 2.0, 3.0, 5.0
	cases := []struct {
		text string
		want float64
	}{
		{"a - b - x", a - b - x},
		{"a - (b - x)", a - (b - x)},
		{"a / b / x", a / b / x},
		{"a / b * x", a / b * x},
		{"a - b + x", a - b + x},
		{"a + b * x", a + b*x},
		{"-a^2", -9},
		{"(-a)^2", 9},
		{"-a * b", -15},
		{"a * -b", -15},
		{"a - -b", 8},
		{"--a", 3},
		{"- - -a", -3},
		{"x^a^x", 512},
		{"(x^a)^x", 64},
		{"x^-x", 0.25},
		{"x^-x^x", 1. / 16},
		{"-x^-x", -0.25},
		{"2^3^2", 512},
		{"-2^2", -4},
		{"k * k", 4},
		{"-k^2", -4},
		{"k - k", 0},
		{"square(a) + pow(b, 2) + pow(x, a)", 42},
		{"fma(a, b, x)", 17},
		{"add(a, b) - sub(a, b) * neg(x)", 4},
		{"max(a, b) + min(a, b) * 10", 35},
		{".5 + 5. + 1e-1 + 1E+1 + 007 + 1.5e2", 172.6},
		{"a // comment\n# another\n + b", 8},
		{"\ta\r\n+\r\nb # at the end", 8},
		{"((((a))))", 3},
	}
	for _, c := range cases {
		m, err := ParseExpr(c.text, header)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		got, _ := expr.NewTape([]string{"x", "a", "b"}, m.LogLik).Eval(nil, []float64{x, a, b})
		if got[0] != c.want {
			t.Errorf("%s = %v, want %v", c.text, got[0], c.want)
		}
	}
}

// TestSpellings: separators are optional, comments may be anywhere, and declarations may be in any order in which names are declared before
// they are used.
func TestSpellings(t *testing.T) {
	want := read(t, expr2)
	spellings := map[string]string{
		"semicolons":  `model expr2{trial rt;choice c;param v in[-3,3];param a in[0.3,2.5];param z in[0.1,0.9];param t in[0,2];support t<rt;lower{v=-v;z=1-z;};let tau=rt-t;let D=a^2*exp(-2*z);loglik=(a-tau*((D/tau-v)^2+exp(z^2)))/a;}`,
		"commas":      strings.Replace(expr2, "v = -v ", "v = -v,", 1),
		"CRLF":        strings.ReplaceAll(expr2, "\n", "\r\n"),
		"hashes":      strings.ReplaceAll(expr2, "//", "#"),
		"numbers":     strings.NewReplacer("[-3, 3]", "[-3.0, .3e1]", "0.9", "90e-2").Replace(expr2),
		"lower late":  strings.Replace(strings.Replace(expr2, "lower  { v = -v   z = 1 - z }", "", 1), "\n}", "\nlower { v = -v z = 1 - z } }", 1),
		"end comment": expr2 + "# the end",
	}
	for name, text := range spellings {
		if got := read(t, text); !got.Equal(want) {
			t.Errorf("%s: got\n%s", name, Format(got))
		}
	}
}

func TestParseExpr(t *testing.T) {
	header := read(t, expr2)
	m, err := ParseExpr("D / tau + exp(c * D) - t", header)
	if err != nil {
		t.Fatal(err)
	}
	whole := read(t, expr2[:strings.Index(expr2, "loglik")]+"loglik = D / tau + exp(c * D) - t }")
	if !m.Equal(whole) {
		t.Errorf("got\n%s\nwant\n%s", Format(m), Format(whole))
	}
	if m.LogLik.Args[0].Args[0].Args[1] != header.Lets[0].Value {
		t.Error("the let tau is not shared with the header")
	}
	if header.LogLik == m.LogLik {
		t.Error("the header has changed")
	}
}

func TestParseExprErrors(t *testing.T) {
	header := read(t, expr2)
	cases := []struct{ text, want string }{
		{"", "expression:1:1: unexpected end, expected an expression"},
		{"\n", "expression:2:1: unexpected end, expected an expression"},
		{"a b", `expression:1:3: unexpected "b", expected an operator or the end`},
		{"a)", `expression:1:2: unexpected ")", expected an operator or the end`},
		{"loglik = a", `expression:1:1: unexpected "loglik", expected an expression`},
		{"a + let", `expression:1:5: unexpected "let", expected an expression`},
		{"a +", "expression:1:4: unexpected end, expected an expression"},
		{"a * q", `expression:1:5: unknown symbol "q", expected one declared above`},
		{"tau(a)", `expression:1:1: symbol "tau" is not a function, expected an operator before "("`},
		{strings.Repeat("-", 1001) + "a", "expression:1:1001: expression is nested deeper than 1000"},
	}
	for _, c := range cases {
		_, err := ParseExpr(c.text, header)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s\n got %v\nwant %s", quote(c.text), err, c.want)
		}
	}
}

func TestParseExprCountsNodes(t *testing.T) {
	header := read(t, expr2)
	big := expr.Var("a")
	for range 99_000 {
		big = expr.New(expr.Add, big, big)
	}
	header.Lets = append(header.Lets, expr.Let{Name: "big", Value: big})
	if _, err := ParseExpr("big"+strings.Repeat("*a", 985), header); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	_, err := ParseExpr("big"+strings.Repeat("*a", 986), header)
	want := `expression:1:1: model "expr2" has 100001 nodes, expected at most 100000`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestHostileNesting: nesting that is too deep is refused before the parser recurses. Text that only looks nested gives an ordinary error.
func TestHostileNesting(t *testing.T) {
	header := read(t, expr2)
	for piece, want := range map[string]string{
		"(":        "nested deeper than 1000",
		"-":        "nested deeper than 1000",
		"a^":       "nested deeper than 1000",
		"exp(":     "nested deeper than 1000",
		"a*-(":     "nested deeper than 1000",
		"fma(a,":   "nested deeper than 1000",
		"(-a)^-(":  "nested deeper than 1000",
		"^":        "nested deeper than 1000",
		")(":       `unexpected ")", expected an expression`,
		"(]":       `unexpected "]", expected an expression`,
		"(-a)*  ":  "unexpected end",
		"-(a)^a/ ": "unexpected end",
	} {
		text := strings.Repeat(piece, 12_000/len(piece))
		if _, err := ParseExpr(text, header); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s…: got %v, want %s", piece, err, want)
		}
		if _, err := Read("hostile.lik", strings.NewReader("model m { loglik = "+text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s… in a model: got %v, want %s", piece, err, want)
		}
	}
}

// TestNormalise: "normalise" is a keyword where a declaration starts and may be a name elsewhere. `use` copies the declaration, and it is
// printed.
func TestNormalise(t *testing.T) {
	text := "model own { trial x; param normalise in [0, 9] loglik = normalise*x normalise } model same { use own } model other { use own loglik = x }"
	models, err := Read("f.lik", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range models {
		if !m.Normalise {
			t.Errorf("%s is not normalised", m.Name)
		}
		back, err := Read("f.lik", strings.NewReader(Format(m)))
		if err != nil || !back[0].Equal(m) {
			t.Errorf("%v: %s", err, Format(m))
		}
	}
	plain := *models[0]
	if plain.Normalise = false; plain.Equal(models[0]) || strings.Contains(Format(&plain), "  normalise\n") {
		t.Error("a model that is not normalised equals one that is")
	}
	called, err := Read("f.lik", strings.NewReader(strings.Replace(text, "use own }", "trial x param p in [0, 1] loglik = own(normalise = p) }", 1)))
	if err != nil || called[1].Called == nil || called[1].Called.Calls[0].Of != called[0] {
		t.Errorf("%v", err)
	}
}
