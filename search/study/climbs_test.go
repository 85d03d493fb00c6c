package study

import (
	"context"
	"testing"

	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/ssm"
	"likc/runtime/num/chains"
)

// TestClimbs: the posterior of slow passages has a second, lower part with fast passages and long exponential times. Short chains that start at
// modes nearly always draw in the part of the truth.
func TestClimbs(t *testing.T) {
	m, err := catalog.Open("exwald")
	if err != nil {
		t.Fatal(err)
	}
	truth, rt, choice := []float64{0.45, 0.75, 0.31}, make([]float64, 100), make([]float64, 100)
	s, _ := m.Simulator()
	if err := s.Process.Simulate(ssm.NewRand(3, 0), truth, ssm.ExactScheme(), rt, choice); err != nil {
		t.Fatal(err)
	}
	b, err := bound.Open(m, bound.Ready)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	c, wrong := Case{}, 0
	c.Columns = [][]float64{rt}
	for seed := range uint64(20) {
		d := Draws{Bind: Binding(m, b), Sampler: Sampling{Chains: 2, Warmup: 75, Draws: 125}.NUTS(seed), Climbs: shortClimbs}
		f, err := d.Fit(context.Background(), &c)
		if err != nil {
			t.Fatal(err)
		}
		if chains.Mean(f.Draws.Param(0)) > 1 { // the drift rate of the lower part is about 6
			wrong++
		}
	}
	if wrong > 3 { // 1 when this was written, and 17 from random starts
		t.Errorf("of 20 fits %d are in the lower part", wrong)
	}
}
