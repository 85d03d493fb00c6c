package catalog

import (
	"math"
	"strings"
	"testing"

	"likc/compiler/syntax"
)

// modelOf returns the model that a text declares.
func modelOf(t *testing.T, text string) *Model {
	t.Helper()
	models, err := syntax.Read("test.lik", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return OfExpression(models[0])
}

// The test checks the upper end of t that the support and the data imply, for conditions of every form.
func TestParametersAreCappedByTheSupport(t *testing.T) {
	rt, choice := []float64{0.9, 0.5, 0.7}, []float64{1, -1, 1}
	for _, c := range []struct {
		name, params, support, lower string
		want                         float64
	}{
		{"the fastest trial", "param t in [0, 2]", "support t < rt", "t = t", 0.5},
		{"a range that ends below", "param t in [0, 0.4]", "support t < rt", "t = t", 0.4},
		{"a function of the trial", "param t in [0, 2]", "support t < rt/2 + 0.1", "t = t", 0.35},
		{"no condition", "param t in [0, 2]", "", "t = t", 2},
		{"less another parameter", "param t in [0, 2]  param s in [0, 0.3]", "support t - s/2 < rt", "t = t", 0.65},
		{"less itself", "param t in [0, 2]", "support t - t/2 < rt", "t = t", 2},
		{"a condition on two parameters", "param t in [0, 2]  param a in [1, 2]", "support t < rt*a", "a = a", 2},
		{"a constant", "param t in [0, 2]", "support t < 1.5", "t = t", 1.5},
		{"another at the lower boundary", "param t in [0, 2]", "support t < rt", "t = t/2", 0.7},
	} {
		src := modelOf(t, "model m {\n trial rt\n choice c\n "+c.params+"\n "+c.support+"\n lower { "+c.lower+" }\n loglik = log(1 + rt + t^2)\n}\n")
		params, err := src.Parameters(nil, [][]float64{rt}, choice)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := params[0].Upper; !(math.Abs(got-c.want) <= 1e-15) {
			t.Errorf("%s: t ends at %v, want %v", c.name, got, c.want)
		}
	}
}
