package ir

import (
	"math"
	"math/rand/v2"
	"testing"

	"likc/compiler/expr"
)

// chained returns a program whose value needs an operator without a kernel, a minimum over trials, and more intermediate values than are alive at once.
func chained() *Program {
	b := NewBuilder()
	rt := b.Add(Value{Kind: Column})
	v, w := b.Add(Value{Kind: Param}), b.Add(Value{Kind: Param, Index: 1})
	x := b.Apply(expr.Max, w, b.Apply(expr.Exp, b.Apply(expr.Mul, b.Apply(expr.Neg, v), rt)))
	for range 20 {
		x = b.Apply(expr.Sub, b.Apply(expr.Mul, x, x), b.Apply(expr.Inv, b.Apply(expr.Add, rt, w)))
	}
	x = b.Apply(expr.Pow, b.Apply(expr.Abs, x), v)
	total := func(x ID) ID { return b.Add(Value{Kind: Total}, x) }
	least := b.Add(Value{Kind: Least}, b.Apply(expr.Mul, rt, v))
	group := Group{Choice: 1, LogLik: total(x), Grad: []ID{total(b.Apply(expr.Add, x, x)), least}, Support: []Cond{{w, least}}}
	return &Program{
		Model: "chained", Params: []expr.Param{{Name: "v", Lower: 0, Upper: 2}, {Name: "w", Lower: 0, Upper: 5}}, Trials: []string{"rt"}, Choice: "c",
		Values: b.Values(), Groups: []Group{group},
	}
}

// TestBlocksReplaceLoops compares sums by blocks with sums trial by trial, for blocks that are full, that are not, and one behind a full one.
func TestBlocksReplaceLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, blockRows - 1, blockRows, blockRows + 1, 1000} {
		rt, choice := make([]float64, n), make([]float64, n)
		for i := range rt {
			rt[i], choice[i] = 1+rng.Float64(), 1
		}
		p := chained()
		loops, err := Bind(p, [][]float64{rt}, choice)
		if err != nil {
			t.Fatal(err)
		}
		blocks, err := Bind(p, [][]float64{rt}, choice, InBlocks())
		if err != nil {
			t.Fatal(err)
		}
		for _, theta := range [][]float64{{0.5, 0.4}, {1.3, 0.9}, {0.1, 4}} {
			want, got := make([]float64, 2), make([]float64, 2)
			value, scale := loops.LogLikGrad(theta, want), loops.Scale(theta)
			if x := blocks.LogLikGrad(theta, got); x != value && !(math.Abs(x-value) <= 1e-13*scale) {
				t.Errorf("%d trials at %v: %v by blocks, %v trial by trial", n, theta, x, value)
			}
			if x := blocks.LogLik(theta); x != value && !(math.Abs(x-value) <= 1e-13*scale) {
				t.Errorf("%d trials at %v: %v by blocks without the gradient, %v trial by trial", n, theta, x, value)
			}
			for j := range got {
				if !(math.Abs(got[j]-want[j]) <= 1e-13*scale) {
					t.Errorf("%d trials at %v: derivative %d is %v by blocks, %v trial by trial", n, theta, j, got[j], want[j])
				}
			}
			if s := blocks.Scale(theta); s != scale {
				t.Errorf("%d trials at %v: scale %v, was %v", n, theta, s, scale)
			}
		}
		if allocs := testing.AllocsPerRun(20, func() { blocks.LogLik([]float64{0.5, 0.4}) }); allocs != 0 {
			t.Errorf("an evaluation allocates %v times", allocs)
		}
	}
}

// TestRegistersAreUsedAgain: a loop needs as many registers as values are alive at once, and not one for each value.
func TestRegistersAreUsedAgain(t *testing.T) {
	b, err := Bind(chained(), [][]float64{{1, 2}}, []float64{1, 1}, InBlocks())
	if err != nil {
		t.Fatal(err)
	}
	if l := b.blocks[&b.loops[forBoth][0]]; len(l.steps) < 40 || l.registers > 8 {
		t.Errorf("%d registers for %d steps", l.registers, len(l.steps))
	}
}
