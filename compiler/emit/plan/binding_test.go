package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"likc/compiler/emit"
	"likc/compiler/emit/plan"
	"likc/compiler/syntax"
)

// TestBinding compares the tables of a small binding function with tables written by hand.
func TestBinding(t *testing.T) {
	models, err := syntax.Read("m.lik", strings.NewReader(`model m {
  trial rt
  choice c
  param p in [1, 2]
  param q in [1, 2]
  lower { p = q }
  loglik = -p*rt - q
  normalise
  bind {
    input p*q
    input 3*q
    shift q { 4 1 0; 5 0 3; 6 1 0 }
    tilt { 7 0 3; 8 0 0 }
  }
}`))
	if err != nil {
		t.Fatal(err)
	}
	b := plan.BindingOf(&emit.Binding{Model: models[0], Columns: [][]float64{{1, 2, 4, 1, 2, 4}, {3, 5, 6, 3, 5, 6}}, Choice: []float64{1, 1, 1, -1, -1, -1}})
	if got, want := fmt.Sprint(b.Values, b.Places, b.Degree, b.Choices), "[p q tilt] [1 2] 3 [1 -1]"; got != want {
		t.Errorf("values, places, degree and choices: %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(b.Products), "[{[0 0] [0 8]} {[0 3] [5 7]} {[1 0] [10 0]}]"; got != want {
		t.Errorf("products: %s, want %s", got, want)
	}
	var slopes []string
	for _, s := range b.Slopes {
		slopes = append(slopes, fmt.Sprintf("d%d/d%d = %s", s.Input, s.Param, s.Value))
	}
	if got, want := strings.Join(slopes, ", "), "d0/d0 = q, d0/d1 = p, d1/d1 = 3"; got != want {
		t.Errorf("slopes: %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(b.U, b.LogWeight), "[1 2 4] [3 5 6]"; got != want {
		t.Errorf("grid: %s, want %s, the points of one choice", got, want)
	}
}
