package distil

import (
	"slices"
	"testing"

	"likc/compiler/expr"
	"likc/runtime/model/honesty"
	"likc/search/study/judge"
)

// TestFinalists: which candidates are judged again, of candidates that are ever longer and nearer.
func TestFinalists(t *testing.T) {
	const no, open, yes = honesty.NotHonest, honesty.Undecided, honesty.Honest
	for _, c := range []struct {
		verdicts []honesty.Verdict
		want     []int
	}{
		{[]honesty.Verdict{no, open, yes, yes}, []int{2, 3}},
		{[]honesty.Verdict{no, yes, open}, []int{1}},
		{[]honesty.Verdict{no, open, open}, []int{2}},
		{[]honesty.Verdict{open, open, no}, []int{1}},
		{[]honesty.Verdict{no, no}, []int{1}},
	} {
		r := &run{}
		for i, v := range c.verdicts {
			r.shown = append(r.shown, shown{candidate{line: i}, &judge.Verdict{Honest: v}})
		}
		var got []int
		for _, s := range r.finalists() {
			got = append(got, s.line)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: candidates %v are judged again, want %v", c.verdicts, got, c.want)
		}
	}
}

// TestByLength: which candidates are judged only if no shorter one is honest, and which one is sampled.
func TestByLength(t *testing.T) {
	sum := func(nodes int) *expr.Expr { // of x and numbers; each adds two nodes
		e := expr.Var("x")
		for i := 1; i < nodes; i += 2 {
			e = expr.New(expr.Add, e, expr.Num(float64(i+1)))
		}
		return e
	}
	for _, c := range []struct {
		nodes         []int
		usual, sample int
	}{
		{[]int{61, 73, 89, 143}, 4, 2},
		{[]int{119, 345, 811}, 2, 0},
		{[]int{149}, 1, 0},
	} {
		var all []candidate
		for i, n := range c.nodes {
			all = append(all, candidate{i, &expr.Model{LogLik: sum(n)}})
			if got := len(expr.Order(all[i].model.LogLik)); got != n {
				t.Fatalf("%d nodes, want %d", got, n)
			}
		}
		usual, long := byLength(all)
		if len(usual) != c.usual || len(usual)+len(long) != len(all) || toSample(usual) != c.sample {
			t.Errorf("%v: %d usual, %d long, candidate %d is sampled", c.nodes, len(usual), len(long), toSample(usual))
		}
	}
}
