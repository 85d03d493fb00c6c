package text_test

import (
	"strings"
	"testing"

	"likc/compiler/emit"
	"likc/compiler/emit/text"
	"likc/compiler/expr"
)

// TestStanComputesWhatBranchesNeed: a value that one branch needs is computed under the branch's condition, because Stan's derivatives go through
// all values, and the root of a negative number would make them undefined. A value that both branches need has no condition.
func TestStanComputesWhatBranchesNeed(t *testing.T) {
	m := read(t, "m.lik", `
model m {
  trial rt
  param a in [-1, 1]
  let k = sqrt(a)
  let y = rt^2
  let far = if(y < 2, k, 0)
  loglik = if(a < 0, y, k + exp(k) + y*far)
}
`)
	files, err := text.Emitter{Target: expr.Stan}.Emit(nil, emit.Config{Package: "m", Model: m, Source: "m.lik"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"real k = !(a < 0.0) ? sqrt(a) : 0.0;", "real y = square(rt);", "real far = !(a < 0.0) ? (y < 2.0 ? k : 0.0) : 0.0;"} {
		if !strings.Contains(string(files[0].Data), want) {
			t.Errorf("no line %s in\n%s", want, files[0].Data)
		}
	}
}

// TestExponentialsThatOverflow: a language that differentiates all values gets no division by an exponential, which may overflow, and no log of
// exponentials that may all vanish in a term of an integral.
func TestExponentialsThatOverflow(t *testing.T) {
	m := read(t, "m.lik", `
model m {
  trial rt
  param a in [1, 2]
  support 0 < rt
  loglik = log(exp(-a*rt) + a/(exp(2*rt)*(1 + rt)*a) + (a/exp(rt))^2 + (a/exp(rt))^3)
  normalise
}
`)
	_, got, _ := strings.Cut(string(printedBound(t, m, expr.Stan).Data), "functions {")
	_, term, _ := strings.Cut(got, "m_log_term")
	if strings.Contains(got, "/ exp(") || !strings.Contains(term, " != 0.0 ? log(") {
		t.Errorf("divided by an exponential, or a log of 0:\n%s", got)
	}
}
