package lan

import (
	"math"
	"math/rand/v2"
	"testing"

	"likc/runtime/model/kernel"
)

// Trials have the same outputs and gradients in blocks and one by one, and agree with trials that are bound separately.
func TestRows(t *testing.T) {
	n := randomNetwork(rand.New(rand.NewPCG(1, 1)), 4, 20, 20)
	teacher := &Teacher{n}
	const trials = 75 // two whole blocks and a part of a third, with both choices
	rt, choice := make([]float64, trials), make([]float64, trials)
	for i := range rt {
		rt[i], choice[i] = 0.3+0.02*float64(i), float64(1-2*(i%3%2))
	}
	rows, err := teacher.Rows(kernel.Responses(rt, choice))
	if err != nil {
		t.Fatal(err)
	}
	logp, single := make([]float64, trials), make([]float64, trials)
	grad := make([][]float64, n.Dim())
	for j := range grad {
		grad[j] = make([]float64, trials)
	}
	for _, theta := range [][]float64{{0.5, 1, 0.5, 0.1}, {-1, 0.4, 0.3, 0.2}} {
		rows.Each(kernel.Fixed(theta), logp, nil)
		rows.Each(kernel.Fixed(theta), single, grad)
		for i := range rt {
			bound, err := teacher.Sum(kernel.Responses(rt[i:i+1], choice[i:i+1]))
			if err != nil {
				t.Fatal(err)
			}
			slope := make([]float64, n.Dim())
			want := bound.LogLikGrad(theta, slope)
			if logp[i] != want || single[i] != want {
				t.Errorf("trial %d at %v: %v in a block, %v alone, want %v", i, theta, logp[i], single[i], want)
			}
			for j := range slope {
				if grad[j][i] != slope[j] {
					t.Errorf("trial %d at %v: derivative %d is %v, want %v", i, theta, j, grad[j][i], slope[j])
				}
			}
		}
	}
	rows.Each(kernel.Fixed([]float64{math.NaN(), 1, 0.5, 0.1}), logp, nil)
	if !math.IsNaN(logp[0]) {
		t.Errorf("at NaN: %v", logp[0])
	}
	at := kernel.Fixed([]float64{0.5, 1, 0.5, 0.1})
	if allocations := testing.AllocsPerRun(20, func() { rows.Each(at, logp, nil) }); allocations > 0 {
		t.Errorf("%v allocations an evaluation", allocations)
	}
}
