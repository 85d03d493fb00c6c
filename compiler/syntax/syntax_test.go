package syntax

import (
	"strings"
	"testing"

	"likc/compiler/expr"
)

const expr2 = `// Expression 2 of the paper: 25 nodes, lambda = 3
model expr2 {
  trial  rt                       // a column of the data, one value a trial (seconds)
  choice c                        // the response column: +1 upper boundary, -1 lower boundary
  param  v in [-3, 3]             // drift rate
  param  a in [0.3, 2.5]          // boundary half-separation
  param  z in [0.1, 0.9]          // relative start point
  param  t in [0, 2]              // non-decision time (seconds)
  support t < rt                  // outside: log-likelihood -Inf, gradient 0
  lower  { v = -v   z = 1 - z }   // reflection: a lower-boundary trial is scored at these values
  let tau = rt - t
  let D   = a^2 * exp(-2*z)
  loglik = (a - tau*((D/tau - v)^2 + exp(z^2))) / a
}
`

func read(t *testing.T, text string) *expr.Model {
	t.Helper()
	models, err := Read("test.lik", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return models[0]
}

func TestReadSharesLets(t *testing.T) {
	m := read(t, expr2)
	if got := len(m.Params); got != 4 {
		t.Errorf("%d parameters, want 4", got)
	}
	below := map[*expr.Expr]bool{}
	for _, n := range expr.Order(m.LogLik) {
		below[n] = true
	}
	for _, l := range m.Lets {
		if !below[l.Value] {
			t.Errorf("let %s is not a node of the log-likelihood", l.Name)
		}
	}
	want := "(a - (rt - t) * ((a^2 * exp(-2 * z) / (rt - t) - v)^2 + exp(z^2))) / a"
	if got := m.LogLik.String(); got != want {
		t.Errorf("loglik = %s, want %s", got, want)
	}
}
