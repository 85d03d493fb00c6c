package compiler

import (
	"strings"
	"testing"

	"likc/compiler/expr"
	"likc/compiler/ir"
	"likc/compiler/syntax"
)

// TestRootsOfExponentials: the loop over trials computes no root of an exponential, however the model is written, and its results
// agree with those of the model as written.
func TestRootsOfExponentials(t *testing.T) {
	for _, text := range []string{"sqrt(exp(v * rt - sqrt(rt - t)))", "sqrt(sqrt(exp(v * rt))) * (v - log(rt - t))", "v / sqrt(exp(rt * v + t))"} {
		models, err := syntax.Read("m.lik", strings.NewReader("model m { trial rt param v in [-3, 3] param t in [0, 0.2] support t < rt loglik = "+text+" }"))
		if err != nil {
			t.Fatal(err)
		}
		u, err := Compile(models[0], Options{Check: true})
		if err != nil {
			t.Fatal(err)
		}
		p := u.Program
		for _, k := range ir.Kernels(p, ir.Analyse(p), p.Live(p.Roots())) {
			for _, id := range k.Body {
				if v := p.Values[id]; v.Op == expr.Sqrt && p.Values[v.Args[0]].Op == expr.Exp {
					t.Errorf("%s: a root of an exponential in the loop", text)
				}
			}
		}
		if e := disagreement(NewTreeBinder(u.Model), p); !(e <= separationTolerance) {
			t.Errorf("%s: %v from the model as written", text, e)
		}
	}
}
