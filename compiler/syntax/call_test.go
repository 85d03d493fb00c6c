package syntax

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// canonical reads a file and returns the text of its last model without the name. It checks that the text reads as the same model.
func canonical(t *testing.T, text string) string {
	t.Helper()
	models, err := Read("f.lik", strings.NewReader(text))
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	m := models[len(models)-1]
	printed := Format(m)
	again, err := Read("f.lik", strings.NewReader(printed))
	if err != nil || !again[0].Equal(m) {
		t.Errorf("%s\nreads back otherwise: %v", printed, err)
	}
	_, body, _ := strings.Cut(printed, "\n")
	return body
}

// TestCall: a call has the meaning of the called model's expression with the arguments substituted.
func TestCall(t *testing.T) {
	const base = `model base { trial x choice c param p in [0, 1] param q in [0, 1] support q < x
		lower { p = q  q = 1 - p } let d = x - q loglik = p*d + c*q }
	model one { trial x param p in [0, 1] param q in [0, 1] support q < x loglik = p*(x - q) }
	`
	for _, c := range []struct{ what, call, plain string }{
		{"arguments, support and reflection",
			`model m { trial x trial y choice k param a in [0, 2] param q in [0, 1] loglik = base(p = a*y, q) }`,
			`model m { trial x trial y choice k param a in [0, 2] param q in [0, 1]
				support if(0 < k, q, 1 - a*y) < x  lower {}
				loglik = if(0 < k, a*y, q)*(x - if(0 < k, q, 1 - a*y)) + k*if(0 < k, q, 1 - a*y) }`},
		{"a call of a call",
			`model two { trial x choice c param p in [0, 1] loglik = x + (base(p, q = p^2)) }
			 model m { trial x choice c param r in [0, 1] loglik = two(p = 2*r) }`,
			`model m { trial x choice c param r in [0, 1] support if(0 < c, (2*r)^2, 1 - 2*r) < x  lower {}
				loglik = x + (if(0 < c, 2*r, (2*r)^2)*(x - if(0 < c, (2*r)^2, 1 - 2*r)) + c*if(0 < c, (2*r)^2, 1 - 2*r)) }`},
		{"calls inside of functions, where the support is declared",
			`model m { trial x param a in [0, 2] param q in [0, 1] support q < x
				loglik = 2*one(p = a, q) + exp(one(p = q, q)) }`,
			`model m { trial x param a in [0, 2] param q in [0, 1] support q < x
				loglik = 2*(a*(x - q)) + exp(q*(x - q)) }`},
		{"use",
			`model m { use base param s in [0, 1] support s < d }`,
			`model m { trial x choice c param p in [0, 1] param q in [0, 1] param s in [0, 1] support q < x
				lower { p = q  q = 1 - p } let d = x - q support s < d loglik = p*d + c*q }`},
		{"use with another log-likelihood",
			`model m { use base loglik = d^p }`,
			`model m { trial x choice c param p in [0, 1] param q in [0, 1] support q < x lower { p = q  q = 1 - p } let d = x - q loglik = d^p }`},
	} {
		if d := cmp.Diff(canonical(t, c.plain), canonical(t, base+c.call)); d != "" {
			t.Errorf("%s: -want +got\n%s", c.what, d)
		}
	}
}

// TestCallsAreBounded: neither calls side by side nor calls of calls make a model of more nodes than the limit.
func TestCallsAreBounded(t *testing.T) {
	text := "model m0 { trial x param p in [0, 1] loglik = " + strings.Repeat("x*p*p + ", 1000) + "p }\n"
	for i := 1; i < 40; i++ {
		text += fmt.Sprintf("model m%d { trial x param p in [0, 1] loglik = m%d(p = p + 1)*m%d(p = p + 2) }\n", i, i-1, i-1)
	}
	_, err := Read("f.lik", strings.NewReader(text))
	if e, ok := err.(*Error); !ok || !strings.Contains(e.Msg, "nodes") {
		t.Errorf("%v, want an error on the number of nodes", err)
	}
	deep := "model m { trial x param p in [0, 1] loglik = p } model n { trial x param p in [0, 1] loglik = "
	deep += strings.Repeat("m(p = ", MaxDepth+1) + "p" + strings.Repeat(")", MaxDepth+1) + " }"
	if _, err := Read("f.lik", strings.NewReader(deep)); err == nil || !strings.Contains(err.Error(), "nested deeper") {
		t.Errorf("%v, want an error on the depth", err)
	}
	if _, err := Read("f.lik", strings.NewReader(strings.Replace(strings.Replace(deep, "m(p = ", "", 2), ")", "", 2))); err != nil {
		t.Errorf("at the limit: %v", err)
	}
}
