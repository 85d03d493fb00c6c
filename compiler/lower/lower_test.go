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

// TestSupport: each form of condition holds exactly where it holds at every trial.
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
