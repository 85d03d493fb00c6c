package emit

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"likc/compiler/syntax"
)

const wald = `model wald {
  trial rt
  choice c
  param v in [-3, 3]
  param a in [0.3, 2.5]
  param t in [0, 2]
  support t < rt
  lower { v = -v }
  let tau = rt - t
  loglik = log(a) - 1.5*log(tau) - (a - v*tau)^2/(2*tau)
}`

// TestMakeCases compares the cases with the model worked out by hand, and their gradients with finite differences.
func TestMakeCases(t *testing.T) {
	models, err := syntax.Read("wald.lik", strings.NewReader(wald))
	if err != nil {
		t.Fatal(err)
	}
	cases := MakeCases(models[0], 7)
	if len(cases) != len(caseSizes) {
		t.Fatalf("%d cases, want %d", len(cases), len(caseSizes))
	}
	if again := MakeCases(models[0], 7); !reflect.DeepEqual(cases, again) {
		t.Error("the same seed gave other cases")
	}
	for k, c := range cases {
		if len(c.Columns[0]) != caseSizes[k] || len(c.Choice) != caseSizes[k] {
			t.Errorf("case %d has %d trials, want %d", k, len(c.Columns[0]), caseSizes[k])
		}
		if want := byHand(c, c.Theta); !(math.Abs(c.LogLik-want) <= 1e-13*c.Scale) {
			t.Errorf("case %d: %v, by hand %v", k, c.LogLik, want)
		}
		for j := range c.Theta {
			const h = 1e-6
			up, down := append([]float64{}, c.Theta...), append([]float64{}, c.Theta...)
			up[j], down[j] = up[j]+h, down[j]-h
			if want := (byHand(c, up) - byHand(c, down)) / (2 * h); !(math.Abs(c.Grad[j]-want) <= 1e-6*c.Scale) {
				t.Errorf("case %d: derivative %d = %v, finite difference %v", k, j, c.Grad[j], want)
			}
		}
	}
	c := cases[0]
	c.Theta = []float64{1, 1, 50}
	if c.Evaluate(models[0]); !math.IsInf(c.LogLik, -1) || c.Grad[0] != 0 || c.Grad[1] != 0 || c.Grad[2] != 0 {
		t.Errorf("outside the support: %v, gradient %v", c.LogLik, c.Grad)
	}
}

func byHand(c Case, theta []float64) float64 {
	sum := 0.0
	for i, rt := range c.Columns[0] {
		tau, d := rt-theta[2], theta[1]-c.Choice[i]*theta[0]*(rt-theta[2])
		sum += math.Log(theta[1]) - 1.5*math.Log(tau) - d*d/(2*tau)
	}
	return sum
}

// TestCasesWhereDefined: a model that has a value only at some trials gets cases of every size, made of such trials.
func TestCasesWhereDefined(t *testing.T) {
	models, err := syntax.Read("partly.lik", strings.NewReader("model partly { trial x param q in [0, 3] loglik = q*sqrt(x - 1) }"))
	if err != nil {
		t.Fatal(err)
	}
	cases := MakeCases(models[0], 1)
	if len(cases) != len(caseSizes) {
		t.Fatalf("%d cases, want %d", len(cases), len(caseSizes))
	}
	for _, c := range cases {
		sum := 0.0
		for _, x := range c.Columns[0] {
			sum += c.Theta[0] * math.Sqrt(x-1)
		}
		if !(math.Abs(c.LogLik-sum) <= 1e-12*c.Scale) {
			t.Errorf("%d trials: %v, by hand %v", len(c.Columns[0]), c.LogLik, sum)
		}
	}
}
