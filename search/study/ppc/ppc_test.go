package ppc

import (
	"context"
	"math"
	"slices"
	"testing"

	"likc/runtime/model/posterior"
	"likc/runtime/model/ssm"
	"likc/runtime/num/finite"
	"likc/search/study"
	"likc/search/study/bank"
	"likc/search/study/banked"
)

func smallBank(t *testing.T, subjects int) *bank.Bank {
	t.Helper()
	s, err := bank.NewSettings("test-60", "ddm", "exact", 7)
	if err != nil {
		t.Fatal(err)
	}
	s.Subjects = subjects
	s.SetTrials(300)
	b, err := bank.Make(context.Background(), s, 1)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// exact returns the check of the density that the bank was simulated from.
func exact(t *testing.T, b *bank.Bank, s Settings) *question {
	t.Helper()
	sim, err := SimulatorOf(b)
	if err != nil {
		t.Fatal(err)
	}
	q := &question{Settings: s, model: "ddm", bank: b, sim: sim}
	var ranges []posterior.Parameter
	for _, p := range b.Settings.Params {
		q.params = append(q.params, p.Name)
		ranges = append(ranges, posterior.Parameter{Name: p.Name, Lower: p.Lower, Upper: p.Upper})
	}
	q.fitter = s.fitter(func(c *study.Case) (study.Problem, error) {
		lik, err := ssm.DDM.Bind(c.Columns[0], c.Choice)
		if err != nil {
			return study.Problem{}, err
		}
		params := slices.Clone(ranges)
		return study.Problem{Sum: lik, Params: params}, posterior.CapUpper(params, "t", slices.Min(c.Columns[0]))
	})
	return q
}

// TestExact checks the exact density: its predictive is as good as that at the truth, and better than the fair null's.
func TestExact(t *testing.T) {
	b, s := smallBank(t, 20), DefaultSettings()
	s.Warmup, s.Draws, s.Trials, s.Replicates = 150, 150, 300, 9
	q := exact(t, b, s)
	subjects, err := q.run(t.Context(), study.InMemory(0))
	if err != nil {
		t.Fatal(err)
	}
	got, err := q.summarise(t.Context(), subjects)
	if err != nil {
		t.Fatal(err)
	}
	if !(math.Abs(float64(got.KS-got.KSTruth)) <= 0.02) || got.KSTruth < 0.04 || got.KSTruth > 0.1 {
		t.Errorf("KS %.3f, at the truth %.3f; want both near 0.83 √(2/300) = 0.068", got.KS, got.KSTruth)
	}
	if !got.Beats || !got.Single.Beats || got.Failed > 0 {
		t.Errorf("KS %.3f against the nulls' %.3f and %.3f, %d failed", got.KS, got.KSNull, got.Single.KSNull, got.Failed)
	}
	for _, p := range got.Params {
		if !(math.Abs(float64(p.R-p.NullR)) <= 1e-3) {
			t.Errorf("%s: the null recovers it with r = %.4f, the fits with %.4f", p.Name, p.NullR, p.R)
		}
	}
	again, err := study.Each(banked.Source(b), q.fitter, q.compare)(t.Context(), 3)
	if err != nil || again.KS != subjects[3].KS {
		t.Errorf("fitted twice: KS %v and %v, %v", subjects[3].KS, again.KS, err)
	}
}

// TestNull: noise stays within the range, and more noise predicts worse.
func TestNull(t *testing.T) {
	b := smallBank(t, 40)
	sim, _ := SimulatorOf(b)
	s := DefaultSettings()
	s.Trials, s.Replicates = 300, 5
	last := 0.0
	for _, r := range []float64{0.999, 0.9, 0.6} {
		null, err := newNull(context.Background(), sim, b, []float64{r, r, r, r}, s)
		if err != nil {
			t.Fatal(err)
		}
		for j, p := range b.Settings.Params {
			for _, replicate := range perturb(b, j, null.SD[j], s) {
				for _, x := range replicate {
					if x < p.Lower || x > p.Upper {
						t.Fatalf("%s = %v is outside [%v, %v]", p.Name, x, p.Lower, p.Upper)
					}
				}
			}
		}
		out := Summary{Subjects: make([]Subject, len(b.Subjects))}
		out.addNull(null)
		if float64(out.KSNull) <= last {
			t.Errorf("r = %v: KS %v, and %v with less noise", r, out.KSNull, last)
		}
		if out.Single.KSNull <= out.KSNull {
			t.Errorf("r = %v: one error a subject gives KS %v, errors that average out %v", r, out.Single.KSNull, out.KSNull)
		}
		last = float64(out.KSNull)
	}
}

// TestSpanning: the subjects are picked by the share of responses at the upper boundary, among those that were fitted.
func TestSpanning(t *testing.T) {
	var subjects []Subject
	for i := range 21 {
		subjects = append(subjects, Subject{ID: i, Upper: finite.Number(float64(20-i) / 20)})
	}
	if got := Spanning(subjects); got[0] != 18 || got[1] != 10 || got[2] != 2 {
		t.Errorf("picked %v, want 18, 10, 2", got)
	}
	subjects[18].Error = "no"
	if got := Spanning(subjects); got[0] == 18 {
		t.Errorf("picked %v, of which 18 was not fitted", got)
	}
}
