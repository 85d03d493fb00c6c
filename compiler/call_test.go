package compiler

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"likc/compiler/emit"
	"likc/compiler/expr"
	"likc/compiler/syntax"
	"likc/testdata"
)

// TestCallOfModel: expr2 with a drift rate that is a function of a covariate, called, is the model drift, written out: the
// same program for each group, and the same values.
func TestCallOfModel(t *testing.T) {
	expr2, _ := testdata.Model("expr2")
	drift, _ := testdata.Model("drift")
	called := readLast(t, expr2+`
model called {
  trial rt  trial x  choice c
  param b0 in [-3, 3]  param b1 in [-1, 1]  param a in [0.3, 2.5]  param z in [0.1, 0.9]  param t in [0, 2]
  loglik = expr2(v = b0 + b1*x, a, z, t)
}`)
	written := readLast(t, drift)
	u, err := Compile(called, Options{Check: true})
	if err != nil {
		t.Fatal(err)
	}
	w, err := Compile(written, Options{Check: true})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(u.Program.Values), len(w.Program.Values); u.AsWritten || got != want {
		t.Errorf("%d values, as written %v; want %d", got, u.AsWritten, want)
	}
	columns, choice := emit.SimulateTrials(written, 50, rand.New(rand.NewPCG(1, 2)))
	a, err := BindTree(called, columns, choice)
	if err != nil {
		t.Fatal(err)
	}
	b, err := BindTree(written, columns, choice)
	if err != nil {
		t.Fatal(err)
	}
	for _, theta := range [][]float64{{0.5, 0.3, 1, 0.4, 0.01}, {-1, 0.7, 2, 0.7, 0.001}, {1, 1, 1, 0.5, 2}} {
		gotGrad, wantGrad := make([]float64, 5), make([]float64, 5)
		got, want := a.LogLikGrad(theta, gotGrad), b.LogLikGrad(theta, wantGrad)
		if got != want && !(math.Abs(got-want) <= 1e-12*math.Abs(want)) {
			t.Errorf("at %v: %v, want %v", theta, got, want)
		}
		for i := range wantGrad {
			if !(math.Abs(gotGrad[i]-wantGrad[i]) <= 1e-12*(1+math.Abs(wantGrad[i]))) {
				t.Errorf("at %v: derivative %d is %v, want %v", theta, i, gotGrad[i], wantGrad[i])
			}
		}
	}
}

func readLast(t *testing.T, text string) *expr.Model {
	t.Helper()
	models, err := syntax.Read("m.lik", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return models[len(models)-1]
}
