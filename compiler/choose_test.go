package compiler

import (
	"strings"
	"testing"

	"likc/compiler/expr"
	"likc/compiler/ir"
	"likc/compiler/syntax"
)

// TestTablesAreNoLoop: a sum is multiplied out if tables can then evaluate a part of it: that part does not count as cost of the loop. Here
// the logarithm comes from a table, and the remaining loop over trials computes none.
func TestTablesAreNoLoop(t *testing.T) {
	const text = "model m { trial rt param v in [-3, 3] param a in [0.3, 2.5] param t in [0, 2] support t < rt " +
		"loglik = v - log(rt - t) - sqrt(a + (rt + exp(v)) / sqrt(a)) }"
	models, err := syntax.Read("m.lik", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	u, err := Compile(models[0], Options{Check: true})
	if err != nil {
		t.Fatal(err)
	}
	p, f := u.Program, ir.Analyse(u.Program)
	tables := ir.Tabulations(p, f)[0]
	if !u.Separation.Accepted || len(tables) != 1 {
		t.Fatalf("separated: %v (%s), %d tables", u.Separation.Accepted, u.Separation.Reason, len(tables))
	}
	k := ir.Kernels(p, f, p.Live(p.Roots()))[0]
	rest := k.Only(p, f, k.Untabulated(tables))
	if len(rest.Outs) == 0 {
		t.Error("nothing is left to loop over, but the root depends on two parameters")
	}
	for _, id := range rest.Body {
		if p.Values[id].Op == expr.Log {
			t.Error("the loop takes the logarithm that the table serves")
		}
	}
}
