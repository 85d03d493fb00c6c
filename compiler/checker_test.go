package compiler

import (
	"strings"
	"testing"

	"likc/compiler/syntax"
)

// A statistic of the data is large though nothing is left to sum at an evaluation: its own rounding is no fault of a pass.
func TestStatisticsCountInTheErrorScale(t *testing.T) {
	models, err := syntax.Read("large.lik", strings.NewReader(`model large {
  trial rt
  param v in [-3, 3]
  loglik = (log(log(exp((((rt * rt^2)^2)^2)^2)))^2)^2
}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Compile(models[0], Options{Check: true}); err != nil {
		t.Error(err)
	}
}
