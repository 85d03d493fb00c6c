package study

import (
	"context"
	"math"
	"testing"

	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/num/chains"
	"likc/search/study/bank"
)

// TestNearMode compares draws near the mode with draws by NUTS, for the exact density of a diffusion process and a race.
func TestNearMode(t *testing.T) {
	for name, least := range map[string]int{"ddm": 5, "rdm2": 4} {
		s, err := bank.NewSettings("test-60", name, "", 5)
		if err != nil {
			t.Fatal(err)
		}
		s.Subjects = 6
		s.SetTrials(400)
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
		r := Reweighed{Draws: Draws{Bind: Binding(m, all[0].Prepared), Sampler: Sampling{Chains: 2, Warmup: 500, Draws: 1000}.NUTS(1)}}
		drawn, spent, wanted := 0, 0, 0
		for i := range s.Subjects {
			c := caseOf(b, i)
			got := r.nearMode(ctx, &c)
			if got == nil {
				continue
			}
			drawn++
			nuts := r.fitted(ctx, &c)
			spent, wanted = spent+got.Gradients, wanted+nuts.Gradients
			for j, p := range got.Draws.Names {
				mean, sd := chains.Mean(got.Draws.Param(j)), chains.SD(got.Draws.Param(j))
				want, wide := chains.Mean(nuts.Draws.Param(j)), chains.SD(nuts.Draws.Param(j))
				// 200 effective draws have errors of 0.07 and 0.05, and those of NUTS as large ones; there are some 100 figures
				if !(math.Abs(mean-want) < 0.35*wide && math.Abs(sd/wide-1) < 0.3) {
					t.Errorf("%s, subject %d: %s is %.4f ± %.4f, by NUTS %.4f ± %.4f", name, i, p, mean, sd, want, wide)
				}
			}
		}
		t.Logf("%s: %d of %d subjects, %d gradients; NUTS needs %d", name, drawn, s.Subjects, spent, wanted)
		if drawn < least || spent*20 > wanted {
			t.Errorf("%s: %d of %d subjects, %d gradients; NUTS needs %d", name, drawn, s.Subjects, spent, wanted)
		}
	}
}
