package recovery

import (
	"math"
	"slices"
	"testing"

	"likc/runtime/num/finite"
	"likc/search/study"
)

// TestFiguresOfFour: of four estimates, 1 and 3 intervals hold the truth, and the errors are 2, 0, -1 and 4.
func TestFiguresOfFour(t *testing.T) {
	got := Compare([]Estimate{
		{Truth: 1, Mean: 3, In50: Interval{2, 4}, In90: Interval{1, 5}},
		{Truth: 2, Mean: 2, In50: Interval{1, 3}, In90: Interval{0, 4}},
		{Truth: 3, Mean: 2, In50: Interval{1, 2.5}, In90: Interval{0, 3}},
		{Truth: 4, Mean: 8, In50: Interval{7, 9}, In90: Interval{6, 10}},
	})
	if got.Bias != 1.25 || !(math.Abs(float64(got.RMSE)-math.Sqrt(21./4)) <= 1e-15) || got.Covered50 != 0.25 || got.Covered90 != 0.75 {
		t.Errorf("%+v", got)
	}
	if n := Normal(5, 2, 0.5); n != (Interval{4, 6}) {
		t.Errorf("two standard deviations of 0.5 around 5: %v", n)
	}
}

// TestPower: of five intervals two exclude 0; ends belong to an interval, and one that ends at NaN holds nothing.
func TestPower(t *testing.T) {
	nan := math.NaN()
	for want, all := range map[finite.Number][]Interval{0.4: {{0, 1}, {-1, 0}, {-1, 1}, {0.5, 1}, {-2, -1}}, 1: {{nan, 1}, {-1, nan}}} {
		var estimates []Estimate
		for _, in := range all {
			estimates = append(estimates, Estimate{In50: Interval{-9, 9}, In90: in})
		}
		if got := Power(estimates); got != want {
			t.Errorf("%v: %v, want %v", all, got, want)
		}
	}
}

// TestAddCounts: a fit counts as not converged if its R-hat is above 1.01 or NaN, and as divergent if it has a divergence.
// Intervals are between quantiles.
func TestAddCounts(t *testing.T) {
	s := Summary{Params: Params{{Name: "a"}}}
	for i, rhat := range []float64{1, 1.01, 1.02, math.NaN(), 1.5} {
		s.add(&Subject{Truth: []finite.Number{2}, Mean: []finite.Number{3}, Quantiles: [][]float64{{1, 2, 4, 8}}, Rhat: finite.Number(rhat), Divergences: i - i%2 - i/4})
	}
	if s.RhatHigh != 3 || s.Divergent != 3 {
		t.Errorf("%d with a high R-hat, %d with divergences", s.RhatHigh, s.Divergent)
	}
	want := Estimate{Truth: 2, Mean: 3, In50: Interval{2, 4}, In90: Interval{1, 8}}
	if all := s.Params[0].Estimates; len(all) != 5 || all[3] != want {
		t.Errorf("%+v, want %+v", all, want)
	}
}

// TestSubjectIsSummarised: the quantiles of a subject's draws are in order around its mean, and its R-hat is the worst of two.
func TestSubjectIsSummarised(t *testing.T) {
	p := plan(t, "lognormal", study.Settings{Subjects: 1, Trials: 50, Seed: 1, Sampling: study.Sampling{Chains: 2, Warmup: 100, Draws: 100}})
	s, err := study.Each(p, p, compare)(t.Context(), 0)
	if err != nil || s.Error != "" {
		t.Fatal(err, s.Error)
	}
	if !(s.Rhat > 0.98 && s.Rhat < 1.2) {
		t.Errorf("R-hat %v", s.Rhat)
	}
	for j, q := range s.Quantiles {
		if len(q) != 4 || !slices.IsSorted(q) || !(q[1] < float64(s.Mean[j]) && float64(s.Mean[j]) < q[2]) || !(q[0] < q[1] && q[2] < q[3]) {
			t.Errorf("parameter %d: mean %v, quantiles %v", j, s.Mean[j], q)
		}
	}
}

// TestSummaryOfFailures: figures use only the subjects that were fitted. The first failure is reported. Omissions are a share of
// all trials, including those of all subjects of a study.
func TestSummaryOfFailures(t *testing.T) {
	fitted := Subject{Truth: []finite.Number{2, 0}, Mean: []finite.Number{3, 1}, Quantiles: [][]float64{{1, 2, 4, 8}, {-1, 0.5, 1, 2}}, Rhat: 1, Omitted: 3}
	all := []Subject{{Error: "first", Omitted: 1}, fitted, {Error: "second"}, fitted, fitted}
	for studies, share := range map[int]float64{0: 10. / (5 * 10), 5: 10. / (5 * 10 * 5)} {
		p := &Plan{names: []string{"a", "b"}, hasZero: func(name string) bool { return name == "b" },
			summary: Summary{Settings: study.Settings{Subjects: 5, Trials: 10}, Studies: studies}}
		s, err := p.summarise(all)
		if err != nil || s.Failed != 2 || s.Why != "first" || !(math.Abs(s.Omitted-share) <= 1e-15) {
			t.Errorf("%d failed, the first because %q, %v of the trials omitted, %v", s.Failed, s.Why, s.Omitted, err)
		}
		if s.Params[0].Power != nil || s.Params[1].Power == nil || *s.Params[1].Power != 0 {
			t.Errorf("power %v and %v", s.Params[0].Power, s.Params[1].Power)
		}
		// of three honest 90 % intervals none holds the truth in 1 of 1000 cases, and at most one in 28
		if !slices.Equal(s.Band50, []float64{0, 1}) || !slices.Equal(s.Band90, []float64{1. / 3, 1}) {
			t.Errorf("bands %v and %v", s.Band50, s.Band90)
		}
	}
	p := &Plan{names: []string{"a"}}
	if _, err := p.summarise(all[:1]); err == nil || err.Error() != ": no subject could be fitted: first" {
		t.Error(err)
	}
}
