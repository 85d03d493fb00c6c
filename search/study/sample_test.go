package study

import (
	"context"
	"math"
	"testing"

	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/num/chains"
	"likc/search/study/bank"

	"gonum.org/v1/gonum/floats"
)

// TestSample compares weighted positions around the draws of short chains with long chains of NUTS. In two subjects of the race the start and
// the threshold replace one another, so that their posterior is skewed: positions around its mode had standard deviations 20 to 25 % too
// small there.
func TestSample(t *testing.T) {
	for name, subjects := range map[string][]int{"ddm": {0, 1, 2}, "rdm2": {0, 6, 7}} {
		s, err := bank.NewSettings("test-60", name, "", 6)
		if err != nil {
			t.Fatal(err)
		}
		s.Subjects = 8
		s.SetTrials(300)
		b, err := bank.Make(context.Background(), s, 1)
		if err != nil {
			t.Fatal(err)
		}
		m, err := catalog.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		ctx := context.Background()
		all, _, err := bound.PrepareAll(ctx, []*catalog.Model{m}, bound.Auto, 1)
		if err != nil {
			t.Fatal(err)
		}
		of := func(chains, draws int) Draws {
			return Draws{Bind: Binding(m, all[0].Prepared), Sampler: Sampling{Chains: chains, Warmup: 500, Draws: draws}.NUTS(1)}
		}
		spent, whole, ratios := 0, 0, []float64(nil)
		for _, i := range subjects {
			c := caseOf(b, i)
			got := Reweighed{Draws: of(2, 500)}.sample(ctx, &c)
			long := of(4, 1500).fitted(ctx, &c)
			spent, whole = spent+got.Gradients, whole+long.Gradients/4 // a quarter is as many as 2 chains of 500 + 500 need
			for j, p := range got.Draws.Names {
				mean, sd := chains.Mean(got.Draws.Param(j)), chains.SD(got.Draws.Param(j))
				want, wide := chains.Mean(long.Draws.Param(j)), chains.SD(long.Draws.Param(j))
				ratios = append(ratios, math.Log(sd/wide))
				// 200 effective draws have errors of 0.07 and 0.05, those of a skewed posterior 0.1; those of long chains have half as much
				if !(math.Abs(mean-want) < 0.25*wide && math.Abs(math.Log(sd/wide)) < 0.3) {
					t.Errorf("%s, subject %d: %s is %.4f ± %.4f, by long chains %.4f ± %.4f", name, i, p, mean, sd, want, wide)
				}
			}
		}
		if mean := floats.Sum(ratios) / float64(len(ratios)); math.Abs(mean) > 0.08 {
			t.Errorf("%s: standard deviations are %.0f %% off in the mean", name, 100*mean)
		}
		if t.Logf("%s: %d gradients; whole chains need %d", name, spent, whole); spent*2 > whole {
			t.Errorf("%s: %d gradients; whole chains need %d", name, spent, whole)
		}
	}
}
