package bound

import (
	"math"
	"os"
	"strings"
	"testing"

	"likc/compiler/emit"
	"likc/compiler/normal"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
)

// A normalised model can be rewritten as one expression that contains its integral. The expression has the same log-likelihood and
// gradient, with and without lapses. It is interpreted here; a long test also compiles it to a package.
func TestWhole(t *testing.T) {
	columns, choice := simulated(t, 40)
	engine := IR
	if os.Getenv("LIKC_LONG") != "" {
		engine = Go
	}
	plain := found60(t)
	for _, m := range []*catalog.Model{plain, model(t, strings.Replace(plain.Origin.Text, "  normalise\n", "  normalise\n  lapse 0.02 until 8\n", 1))} {
		written, err := normal.Whole(m.Model)
		if err != nil {
			t.Fatal(err)
		}
		if written.Normalise || written.Lapse != nil || len(written.Params) != 4 {
			t.Errorf("%+v", written)
		}
		grad, other := make([]float64, 4), make([]float64, 4)
		whole, apart := openAndBind(t, catalog.OfExpression(written), engine, columns, choice), openAndBind(t, m, Ready, columns, choice)
		for _, theta := range [][]float64{{0.7, 1.1, 0.4, 0.02}, {-2.8, 2.4, 0.85, 0}, {1.5, 0.35, 0.15, 0.05}} {
			got, want := whole.LogLikGrad(theta, grad), apart.LogLikGrad(theta, other)
			if !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) {
				t.Errorf("at %v: %v, with an integral of its own %v", theta, got, want)
			}
			for j := range grad {
				if !(math.Abs(grad[j]-other[j]) <= 1e-8*(1+math.Abs(other[j])+math.Abs(want))) {
					t.Errorf("at %v: derivative %d is %v, with an integral of its own %v", theta, j, grad[j], other[j])
				}
			}
		}
	}
}

// Models that cannot be rewritten as one expression are refused with the reason.
func TestWholeRefuses(t *testing.T) {
	for text, want := range map[string]string{
		gammaText: "gamma: the log of its integral is ",
		`model m { trial rt choice c param k in [1, 2] lower { k = 2*k } loglik = -k*rt normalise }`: "m: its integral at k=1.001 changes when the parameters take their values at the lower boundary",
		boundText: "bound: it is evaluated at a binding function of its parameters",
	} {
		if _, err := normal.Whole(model(t, text).Model); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func openAndBind(t testing.TB, m *catalog.Model, e Engine, columns [][]float64, choice []float64) kernel.Sum {
	t.Helper()
	b, err := Open(m, e)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	lik, err := b.Bind(kernel.Trials{Columns: columns, Choice: choice}, Design{})
	if err != nil {
		t.Fatal(err)
	}
	return lik
}

// If the binding function is substituted into the expression, the density agrees with one written by hand: with lapses and a
// reflection, and with a tilt.
func TestInlined(t *testing.T) {
	for text, want := range map[string]func(rt, choice float64, theta []float64) float64{
		boundText:  boundDensity,
		tiltedText: func(rt, _ float64, theta []float64) float64 { return tiltedDensity(rt, theta) },
	} {
		m := model(t, text)
		written, err := normal.Inlined(m.Model)
		if err != nil {
			t.Fatal(err)
		}
		points := boundPoints
		if len(m.Params) == 2 {
			points = [][]float64{{1.3, 0.2}, {0.6, 0}}
		}
		for _, theta := range points {
			for i, rt := range boundTimes {
				c := emit.Case{Theta: theta, Columns: [][]float64{{rt}}}
				if m.Choice != "" {
					c.Choice = boundChoices[i : i+1]
				}
				c.Evaluate(written)
				if exact := want(rt, boundChoices[i], theta); !(math.Abs(c.LogLik-exact) <= 1e-4) {
					t.Errorf("%s at %v, %v: %v, want %v", m.Name, theta, rt, c.LogLik, exact)
				}
			}
		}
	}
}

// A model without a binding function is written out as one whose function changes no parameter.
func TestInlinedWithoutBinding(t *testing.T) {
	m := found60(t)
	written, err := normal.Inlined(m.Model)
	if err != nil {
		t.Fatal(err)
	}
	theta := []float64{1, 1.2, 0.45, 0.3}
	for i, rt := range boundTimes {
		columns, choice := [][]float64{{rt}}, boundChoices[i:i+1]
		c := emit.Case{Theta: theta, Columns: columns, Choice: choice}
		c.Evaluate(written)
		if want := openAndBind(t, m, Tree, columns, choice).LogLik(theta); !(math.Abs(c.LogLik-want) <= 1e-9) && c.LogLik != want {
			t.Errorf("at %v: %v, likc eval has %v", rt, c.LogLik, want)
		}
	}
}
