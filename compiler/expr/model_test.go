package expr_test

import (
	"math"
	"strings"
	"testing"

	"likc/compiler/expr"
	"likc/compiler/expr/exprtest"
	"likc/compiler/syntax"

	"pgregory.net/rapid"
)

func read(t *testing.T, text string) *expr.Model {
	t.Helper()
	models, err := syntax.Read("model", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return models[0]
}

const swap = `model swap {
  trial rt; choice c; param p in [0, 1]; param q in [0, 1]; param r in [0, 1]
  support p < rt
  lower { p = q  q = -p }
  let d = p - 2*q
  loglik = (d*rt + r) * exp(c)
}`

// TestGroups: the groups' values are compared with those of the model itself at the substituted values.
func TestGroups(t *testing.T) {
	m := read(t, swap)
	groups := m.Groups()
	if len(groups) != 2 || groups[0].Name != expr.Upper || groups[1].Name != expr.Lower || groups[0].Choice != 1 || groups[1].Choice != -1 {
		t.Fatalf("groups %+v, want upper at 1 and lower at -1", groups)
	}
	symbols := []string{"rt", "p", "q", "r", "c"}
	rt, p, q, r := 0.7, 0.3, 0.8, 0.4
	for i, at := range [][]float64{{rt, p, q, r, 1}, {rt, q, -p, r, -1}} {
		want, _ := expr.NewTape(symbols, m.LogLik, m.Support[0].Left, m.Support[0].Right).Eval(nil, at)
		g := groups[i]
		got, _ := expr.NewTape(symbols[:4], g.LogLik, g.Support[0].Left, g.Support[0].Right).Eval(nil, []float64{rt, p, q, r})
		for j := range want {
			if got[j] != want[j] {
				t.Errorf("group %s: value %d is %v, want %v", g.Name, j, got[j], want[j])
			}
		}
		for _, s := range expr.Symbols(g.LogLik) {
			if s == m.Choice {
				t.Errorf("group %s still has the choice", g.Name)
			}
		}
	}
}

func TestGroupsWithoutChoice(t *testing.T) {
	m := read(t, "model m { trial x; param p in [0, 1]; support p < x; loglik = x*p }")
	groups := m.Groups()
	if len(groups) != 1 || groups[0].Name != expr.All || groups[0].Choice != 0 || groups[0].LogLik != m.LogLik || len(groups[0].Support) != 1 {
		t.Errorf("groups %+v, want all trials with the model's own expressions", groups)
	}
}

func TestModelNames(t *testing.T) {
	m := read(t, swap)
	if got := strings.Join(m.ParamNames(), " "); got != "p q r" {
		t.Errorf("parameters %s, want p q r", got)
	}
	for name, want := range map[string][2]bool{"p": {true, false}, "rt": {false, true}, "c": {}, "d": {}} {
		if got := [2]bool{m.IsParam(name), m.IsTrial(name)}; got != want {
			t.Errorf("%s is parameter, trial: %v, want %v", name, got, want)
		}
	}
}

// TestModelEqual: a model in which one part is changed is not equal to the original.
func TestModelEqual(t *testing.T) {
	m := read(t, swap)
	changed := []string{"model swap", "model other", "trial rt;", "trial rt; trial x;", "choice c", "choice d", "[0, 1]", "[0, 2]", "param r",
		"param s", "p < rt", "p < 2*rt", "support p < rt", "", "p = q", "p = -q", "q = -p", "", "let d", "let e", "- 2*q", "- 3*q", "+ r", "- r"}
	for i := 0; i < len(changed); i += 2 {
		text := strings.Replace(swap, changed[i], changed[i+1], 1)
		switch changed[i] { // changes that the change of a name requires
		case "choice c":
			text = strings.Replace(text, "exp(c)", "exp(d2)", 1)
			text = strings.Replace(text, "choice d", "choice d2", 1)
		case "param r":
			text = strings.Replace(text, "+ r", "+ s", 1)
		case "let d":
			text = strings.Replace(text, "(d*rt", "(e*rt", 1)
		}
		if o := read(t, text); m.Equal(o) || o.Equal(m) {
			t.Errorf("changing %q to %q makes an equal model", changed[i], changed[i+1])
		}
	}
	if !m.Equal(read(t, swap)) {
		t.Error("the model does not equal itself")
	}
}

func TestTapeValues(t *testing.T) {
	m := read(t, "model m { trial rt; param v in [0, 1]; param a in [0, 1]; let tau = rt - 0.25; loglik = a*tau + exp(v)/tau }")
	tape := expr.NewTape([]string{"rt", "v", "a"}, m.LogLik, m.Lets[0].Value)
	got, scale := tape.Eval([]float64{9}, []float64{1.25, 0, -3})
	if len(got) != 3 || got[0] != 9 || got[1] != -2 || got[2] != 1 {
		t.Errorf("values %v, want 9 (kept), -2 and 1", got)
	}
	// rt 1.25, number 0.25, tau 1, a 3, a*tau 3, v 0, exp(v) 1, exp(v)/tau 1, sum 2
	if want := 12.5; scale != want {
		t.Errorf("scale %v, want %v", scale, want)
	}
}

// TestComplexTails: log Φ of complex numbers keeps its digits in both tails, as log Φ of real numbers does.
func TestComplexTails(t *testing.T) {
	for _, x := range []float64{-30, -9, -3, -2.8, 0, 2.8, 3, 9, 30} {
		tape := expr.NewTape([]string{"x"}, expr.New(expr.LogNormCDF, expr.Var("x")))
		want, _ := tape.Eval(nil, []float64{x})
		if got := tape.EvalComplex(nil, []complex128{complex(x, 0)}); !(math.Abs(real(got[0])-want[0]) <= 1e-12*math.Abs(want[0])) {
			t.Errorf("log Φ(%v) = %v, want %v", x, got[0], want[0])
		}
	}
}

// TestTapeComplex: at real numbers EvalComplex agrees with Eval wherever Eval is finite.
func TestTapeComplex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := exprtest.Expr(exprtest.Searchable(), 15).Draw(t, "e")
		tape := expr.NewTape(exprtest.Names, e)
		var x []float64
		var z []complex128
		for range exprtest.Names {
			v := rapid.Float64Range(-2, 2).Draw(t, "value")
			x, z = append(x, v), append(z, complex(v, 0))
		}
		want, scale := tape.Eval(nil, x)
		if !finite(want[0]) || !(scale < 1e3) {
			return
		}
		got := tape.EvalComplex(nil, z)
		if !(math.Abs(real(got[0])-want[0]) <= 1e-6) {
			t.Fatalf("%v at %v = %v, want %v", e, x, got[0], want[0])
		}
	})
}
