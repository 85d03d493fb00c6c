package confuse

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"likc/runtime/model/catalog"
	"likc/runtime/num/finite"
	"likc/search/study"

	"github.com/google/go-cmp/cmp"
)

func models(t *testing.T, names ...string) (all []*catalog.Model) {
	t.Helper()
	for _, name := range names {
		m, err := catalog.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	return all
}

// Trials of a first passage with little spread are never confused with trials of a lognormal with a large one.
func TestDifferentModelsAreTold(t *testing.T) {
	s := study.Settings{Subjects: 3, Trials: 150, Seed: 1, Sampling: study.Sampling{Chains: 2, Warmup: 120, Draws: 120},
		Ranges: []string{"v=3,5", "b=1,2", "s=1.5,2"}}
	p, err := New(models(t, "shifted_wald", "shifted_lognormal"), s)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	all, err := study.Run(t.Context(), study.InMemory(0), p, p, p.compare)
	if err != nil {
		t.Fatal(err)
	}
	found, err := p.summarise(all)
	if err != nil {
		t.Fatal(err)
	}
	if want := [][]finite.Number{{1, 0}, {0, 1}}; !reflect.DeepEqual(found.Confusion, want) || !reflect.DeepEqual(found.Inversion, want) {
		t.Errorf("confusion %v, inversion %v", found.Confusion, found.Inversion)
	}
	again, err := study.Each(p, p, p.compare)(t.Context(), 4)
	if d := cmp.Diff(all[4], again); d != "" || err != nil {
		t.Errorf("%v; a subject differs when it is done again:\n%s", err, d)
	}
	if diff := math.Abs(float64(again.ELPD[0] - again.ELPD[1])); diff != float64(again.Diff) && !(math.Abs(diff-float64(again.Diff)) < 1e-9) {
		t.Errorf("elpd %v, but diff %v", again.ELPD, again.Diff)
	}
}

// Counts, shares by row and by column, failures and flags are computed from invented subjects.
func TestSummarise(t *testing.T) {
	p := &Plan{Settings: study.Settings{Subjects: 4}, models: models(t, "exgaussian", "shifted_wald", "shifted_lognormal")}
	best := func(k int, diff, se finite.Number) Subject {
		return Subject{Best: k, Diff: diff, DiffSE: se, Rhat: 1}
	}
	bad := best(1, 3, 1) // a difference below 4 is not clear
	bad.KBad, bad.Divergences, bad.Rhat = 2, 1, finite.Number(math.NaN())
	failed := Subject{Best: -1, Error: "shifted_wald: no draws"}
	found, err := p.summarise([]Subject{
		best(0, 9, 2), best(0, 9, 5), best(0, 5, 1), bad,
		failed, best(1, 5, 1), best(0, 5, 1), failed,
		best(1, 4, 1), best(1, 8, 1), best(1, 8, 1), best(1, 8, 1),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []Row{
		{Model: "exgaussian", Preferred: []int{3, 1, 0}, Clear: []int{2, 0, 0}, KBad: 1, RhatHigh: 1, Divergent: 1},
		{Model: "shifted_wald", Preferred: []int{1, 1, 0}, Clear: []int{1, 1, 0}, Failed: 2, Why: "shifted_wald: no draws"},
		{Model: "shifted_lognormal", Preferred: []int{0, 4, 0}, Clear: []int{0, 3, 0}},
	}
	if d := cmp.Diff(want, found.Rows); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if want := [][]finite.Number{{0.75, 0.25, 0}, {0.5, 0.5, 0}, {0, 1, 0}}; !reflect.DeepEqual(found.Confusion, want) {
		t.Errorf("confusion %v", found.Confusion)
	}
	if got := found.Inversion; got[0][0] != 0.75 || got[1][0] != 0.25 || !(math.Abs(float64(got[2][1])-4./6) < 1e-15) || !math.IsNaN(float64(got[0][2])) {
		t.Errorf("inversion %v", got)
	}
	if clear, right := want[1].Clearness(1); clear != 1 || right != 0.5 {
		t.Errorf("clear %v, right %v", clear, right)
	}
	if _, err := p.summarise(slices.Repeat([]Subject{failed}, 12)); err == nil || !strings.Contains(err.Error(), "no subject of exgaussian could be compared: shifted_wald: no draws") {
		t.Error(err)
	}
}

func TestRefused(t *testing.T) {
	s := study.Settings{Subjects: 1, Trials: 10, Sampling: study.Sampling{Chains: 1, Warmup: 10, Draws: 10}}
	for want, names := range map[string][]string{
		"1 models: want 2 to 20":                                  {"ddm"},
		"lnr2: has the choices 0 1, but ddm has the choices 1 -1": {"ddm", "lnr2"},
		"ddm: has the choices 1 -1, but exgaussian has no choice": {"exgaussian", "ddm"},
		"ddm: two models have this name":                          {"ddm", "ddm"},
		"drift: has 2 trial columns":                              {"ddm", "drift"},
		"expr2 is no density":                                     {"ddm", "expr2"},
	} {
		if _, err := New(models(t, names...), s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", names, err, want)
		}
	}
	s.Fixed = []string{"tau=0.1"}
	if _, err := New(models(t, "shifted_wald", "shifted_lognormal"), s); err == nil || err.Error() != "fix tau: no model has such a parameter" {
		t.Error(err)
	}
}
