package ir

import (
	"math"
	"strings"
	"testing"

	"likc/compiler/expr"
)

// overNodes returns the program of Σ over trials of change(x, Σ over two nodes of weight·exp(a·x·rt)). Some changes break the program.
func overNodes(change func(b *Builder, x, sum ID) ID) *Program {
	b := NewBuilder()
	rt, a := b.Add(Value{Kind: Column}), b.Add(Value{Kind: Param})
	x, weight := b.Add(Value{Kind: Node}), b.Add(Value{Kind: Node, Index: 1})
	term := b.Apply(expr.Mul, weight, b.Apply(expr.Exp, b.Apply(expr.Mul, b.Apply(expr.Mul, a, x), rt)))
	sum := b.Add(Value{Kind: NodeSum}, term)
	out, zero := b.Add(Value{Kind: Total}, change(b, x, sum)), b.Num(0)
	return &Program{
		Model: "nodes", Params: []expr.Param{{Name: "a"}}, Trials: []string{"rt"}, Values: b.Values(),
		Groups: []Group{{Name: expr.All, LogLik: out, Grad: []ID{zero}}},
		Tables: []expr.Table{{Name: "t", Symbols: []string{"x", "w"}, Columns: [][]float64{{0.25, 0.5}, {2, 3}}}},
	}
}

// TestNodes compares interpreted sums over nodes with sums that the test computes.
func TestNodes(t *testing.T) {
	p := overNodes(func(b *Builder, x, sum ID) ID { return b.Apply(expr.Log, sum) })
	if err := Verify(p); err != nil {
		t.Fatal(err)
	}
	b, err := Bind(p, [][]float64{{0.5, 2}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := 0.0
	for _, rt := range []float64{0.5, 2} {
		want += math.Log(2*math.Exp(1.5*0.25*rt) + 3*math.Exp(1.5*0.5*rt))
	}
	if got := b.LogLik([]float64{1.5}); !(math.Abs(got-want) <= 1e-14*want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if k := Kernels(p, Analyse(p), p.Live(p.Roots()))[0]; len(k.Nodes) != 1 || len(k.Inputs) != 0 || !k.HasNodes(p) {
		t.Errorf("the loop over trials is given %d arrays and %d numbers, want a·x alone", len(k.Nodes), len(k.Inputs))
	}
}

// TestVerifyNodes: Verify reports a sum over nodes whose term does not depend on nodes, nested sums over nodes, and a value of a node that
// is not summed over nodes.
func TestVerifyNodes(t *testing.T) {
	for want, change := range map[string]func(b *Builder, x, sum ID) ID{
		"a sum over nodes of what has none": func(b *Builder, x, sum ID) ID { return b.Add(Value{Kind: NodeSum}, sum) },
		"a node's value depends on a sum": func(b *Builder, x, sum ID) ID {
			return b.Add(Value{Kind: NodeSum}, b.Apply(expr.Mul, x, b.Apply(expr.Exp, sum)))
		},
		"over trials of what has": func(b *Builder, x, sum ID) ID { return x },
		"table 1 out of range":    func(b *Builder, x, sum ID) ID { return b.Add(Value{Kind: NodeSum, Group: 1}, x) },
	} {
		if err := Verify(overNodes(change)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
