package compiler

import (
	"strings"
	"testing"

	"likc/compiler/syntax"
)

// TestStatisticsCountInTheErrorScale: the only sum of this model is a large statistic of the data, which is computed before the first
// evaluation. The checker must not take its rounding error for an error of a pass.
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
