package lower

import (
	"math"
	"strings"
	"testing"

	"likc/compiler/expr"
	"likc/compiler/ir"
	"likc/compiler/syntax"
)

// bound lowers a model without a choice and with constant derivatives, and binds it.
func bound(t *testing.T, text string, columns ...[]float64) *ir.Bound {
	t.Helper()
	models, err := syntax.Read("m.lik", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	m := models[0]
	g := m.Groups()[0]
	grad := make([]*expr.Expr, len(m.Params))
	for i := range grad {
		grad[i] = expr.Num(0)
	}
	p, err := Program(m, []Group{{Name: g.Name, Total: expr.SumOver(g.Name, g.LogLik), Grad: grad, Support: g.Support}})
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(p); err != nil {
		t.Fatal(err)
	}
	b, err := ir.Bind(p, columns, nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestSupport: whatever its form, a support condition holds for a group exactly if it holds at each of the group's trials.
func TestSupport(t *testing.T) {
	rt, x := []float64{0.5, 0.7, 2}, []float64{1, -1, 3}
	tests := []struct {
		support string
		t       float64
		inside  bool
	}{
		{"t < rt", 0.49, true},
		{"t < rt", 0.5, false},
		{"x < t", 3.5, true},
		{"x < t", 3, false},
		{"t < 1", 0.5, true},
		{"t < 1", 1, false},
		{"t < rt + x*x", 1.4, true},
		{"t*x < rt + x", 0.5, true}, // 0.5 < 1.5, -0.5 < -0.3, 1.5 < 5
		{"t*x < rt + x", 0.3, false},
		{"t < rt", math.NaN(), false},
	}
	for _, test := range tests {
		b := bound(t, "model m { trial rt trial x param t in [0, 2] support "+test.support+" loglik = rt }", rt, x)
		got := !math.IsInf(b.LogLik([]float64{test.t}), -1)
		if got != test.inside {
			t.Errorf("%s at t = %v: inside is %v", test.support, test.t, got)
		}
	}
}

// TestSupportIsReadOnce: a side of a condition that depends only on trials becomes a minimum, computed when data are bound. A side that
// depends on no trial needs no minimum. The test compares what the left and the right side are: a parameter, a constant, or a value of a stage.
func TestSupportIsReadOnce(t *testing.T) {
	for support, want := range map[string]string{
		"t < rt":       "param data",
		"x < t":        "prologue data", // -t < min(-x)
		"t < rt + x*x": "param data",
		"t + t < 1":    "prologue const",
		"t*x < rt":     "const body",
	} {
		models, err := syntax.Read("m.lik", strings.NewReader("model m { trial rt trial x param t in [0, 2] support "+support+" loglik = rt }"))
		if err != nil {
			t.Fatal(err)
		}
		m := models[0]
		p, err := Program(m, []Group{{Name: expr.All, Total: expr.SumOver(expr.All, m.LogLik), Grad: []*expr.Expr{expr.Num(0)}, Support: m.Support}})
		if err != nil {
			t.Fatal(err)
		}
		facts := ir.Analyse(p)
		side := func(id ir.ID) string {
			switch v := p.Values[id]; {
			case v.Kind == ir.Param:
				return "param"
			case v.Kind == ir.Const:
				return "const"
			case v.Kind == ir.Least:
				id = v.Args[0]
			}
			return map[ir.Stage]string{ir.Data: "data", ir.Prologue: "prologue", ir.Body: "body", ir.Epilogue: "epilogue"}[facts.Stage[id]]
		}
		c := p.Groups[0].Support[0]
		if got := side(c.Left) + " " + side(c.Right); got != want {
			t.Errorf("%s: %s, want %s\n%s", support, got, want, p)
		}
	}
}

// TestConstantsFold: an operator of constants becomes a constant if its value is finite.
func TestConstantsFold(t *testing.T) {
	for text, want := range map[string]string{
		"exp(0) + rt": "1 + rt", "log(0) * rt": "log(0) * rt", "exp(1000) * rt": "exp(1000) * rt", "sqrt(-4) * rt": "sqrt(-4) * rt", "2^3 * rt": "8 * rt",
	} {
		models, err := syntax.Read("m.lik", strings.NewReader("model m { trial rt param t in [0, 2] loglik = rt }"))
		if err != nil {
			t.Fatal(err)
		}
		m, err := syntax.ParseExpr(text, models[0])
		if err != nil {
			t.Fatal(err)
		}
		p, err := Program(m, []Group{{Name: expr.All, Total: expr.SumOver(expr.All, m.LogLik), Grad: []*expr.Expr{expr.Num(0)}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Expr(p.Groups[0].LogLik).String(); got != "sum[all]("+want+")" {
			t.Errorf("%s becomes %s, want the sum of %s", text, got, want)
		}
	}
}

// TestErrorsOfEveryPart: an unknown symbol is an error in every part of a group.
func TestErrorsOfEveryPart(t *testing.T) {
	known, nobody := expr.SumOver(expr.All, expr.Var("rt")), expr.Var("nobody")
	m := &expr.Model{Name: "m", Trials: []string{"rt"}}
	for name, g := range map[string]Group{
		"total":    {Name: expr.All, Total: nobody},
		"gradient": {Name: expr.All, Total: known, Grad: []*expr.Expr{nobody}},
		"left":     {Name: expr.All, Total: known, Support: []expr.Support{{Left: nobody, Right: expr.Num(1)}}},
		"right":    {Name: expr.All, Total: known, Support: []expr.Support{{Left: expr.Num(1), Right: nobody}}},
	} {
		if _, err := Program(m, []Group{g}); err == nil || !strings.Contains(err.Error(), "nobody") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNamesOfLets(t *testing.T) {
	models, err := syntax.Read("m.lik", strings.NewReader("model m { trial rt param t in [0, 2] let tau = rt - t loglik = log(tau) }"))
	if err != nil {
		t.Fatal(err)
	}
	m := models[0]
	p, err := Program(m, []Group{{Name: expr.All, Total: expr.SumOver(expr.All, m.LogLik), Grad: []*expr.Expr{expr.Num(0)}, Lets: m.Lets}})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range p.Values {
		if v.Kind == ir.Apply && v.Op == expr.Sub && v.Name != "tau" {
			t.Errorf("rt - t is called %q", v.Name)
		}
	}
}

func TestUnknownSymbol(t *testing.T) {
	m := &expr.Model{Name: "m", Trials: []string{"rt"}}
	_, err := Program(m, []Group{{Name: expr.All, Total: expr.SumOver(expr.All, expr.Var("nobody"))}})
	if err == nil || err.Error() != "lower: nobody is neither a trial column nor a parameter" {
		t.Errorf("got %v", err)
	}
}

// TestOneTrial evaluates a group of a single trial.
func TestOneTrial(t *testing.T) {
	b := bound(t, "model m { trial rt param t in [0, 2] support t < rt loglik = rt*t }", []float64{0.75})
	if got := b.LogLik([]float64{0.5}); got != 0.375 {
		t.Errorf("one trial: %v, want 0.375", got)
	}
}
