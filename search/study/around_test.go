package study

import (
	"context"
	"math"
	"testing"

	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	_ "likc/runtime/model/plugins" // evaluations in another process would take most of the time
	"likc/runtime/num/chains"
	"likc/search/study/bank"
)

// caseOf returns a subject of a bank.
func caseOf(b *bank.Bank, i int) Case {
	c := Case{ID: b.Subjects[i].ID, Truth: b.Subjects[i].Theta}
	for _, p := range b.Settings.Params {
		c.Names = append(c.Names, p.Name)
	}
	c.Columns, c.Choice = [][]float64{b.Subjects[i].RT}, b.Subjects[i].Choice
	return c
}

// TestAround compares weights on the draws of two formulas, a near one and a farther one, and on positions around them, with draws of the
// exact density by NUTS.
func TestAround(t *testing.T) {
	b, err := bank.Open("../../testdata/banks/test-60")
	if err != nil {
		t.Fatal(err)
	}
	var models []*catalog.Model
	for _, name := range []string{"ddm", "found57", "found60"} {
		m, err := catalog.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		models = append(models, m)
	}
	ctx := context.Background()
	all, _, err := bound.PrepareAll(ctx, models, bound.Auto, 1)
	if err != nil {
		t.Fatal(err)
	}
	of := func(k, draws int) Draws {
		return Draws{Bind: Binding(models[k], all[k].Prepared), Sampler: Sampling{Chains: 2, Warmup: 500, Draws: draws}.NUTS(1)}
	}
	reference := of(0, 2000)
	const subjects = 12
	trusted, mended := 0, 0
	for i := range subjects {
		c := caseOf(b, i)
		exact := reference.fitted(ctx, &c)
		for k := 1; k < len(models); k++ {
			r := Reweighed{Draws: of(k, 500)}
			sampled := r.fitted(ctx, &c)
			known := newValued(sampled)
			got := r.around(ctx, known, reference.Bind, &c, LeastOfReference)
			if got == nil {
				t.Logf("%s, subject %d: not trusted", models[k].Name, i)
				continue
			}
			if trusted++; got.Draws.Len()*len(got.Draws.Chains) > known.most(LeastOfReference) {
				mended++
			}
			for j, p := range got.Draws.Names {
				mean, sd := chains.Mean(got.Draws.Param(j)), chains.SD(got.Draws.Param(j))
				draws := exact.Draws.Param(j)
				want, wide := chains.Mean(draws), chains.SD(draws)
				// four standard errors: of 100 effective draws, and of the draws by NUTS, of which few are effective for parameter a of some subjects
				errMean, errSD := math.Hypot(wide/10, chains.MCSEMean(draws)), math.Hypot(wide/math.Sqrt(200), chains.MCSESD(draws))
				if !(chains.MeanESS(draws) >= 100 && math.Abs(mean-want) < 4*errMean && math.Abs(sd-wide) < 4*errSD) {
					t.Errorf("%s, subject %d: %s is %.4f ± %.4f, by NUTS %.4f ± %.4f", models[k].Name, i, p, mean, sd, want, wide)
				}
			}
		}
	}
	if trusted < 2*subjects-1 || mended == 0 {
		t.Errorf("of %d, %d are trusted, %d of which only with positions around the draws", 2*subjects, trusted, mended)
	}
}
