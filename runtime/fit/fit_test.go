package fit

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"likc/runtime/fit/nuts"
	"likc/runtime/model/bound"
	"likc/runtime/model/bound/boundtest"
	"likc/runtime/model/catalog"
	"likc/runtime/model/trials"
	_ "likc/runtime/model/trials/columnar"
	"likc/runtime/num/chains"
	"likc/runtime/num/finite"
)

// described returns the result of chains with the given numbers of draws, where two chains of 100 draws were asked for. All
// transitions after the 50th diverge.
func described(t *testing.T, lengths ...int) *Result {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	d := &chains.Draws{Names: []string{"one"}}
	for c, n := range lengths {
		trace := chains.NewTrace(1, n)
		for i := range n {
			trace.Params[0] = append(trace.Params[0], rng.NormFloat64())
			trace.Divergent = append(trace.Divergent, i >= 50)
		}
		d.Chains = append(d.Chains, chains.Chain{ID: c + 1, Trace: trace})
	}
	s := nuts.DefaultSettings()
	s.NumChains, s.NumSamples = 2, 100
	r := &Result{}
	r.describe(t.Context(), d, s, nil)
	return r
}

// For chains of different length, the summary uses the draws that all chains have: here 60 a chain, and the divergences among
// them.
func TestPartsAreMarked(t *testing.T) {
	if s := described(t, 100, 60).Summary; !s.Partial || s.Draws != 60 || s.Divergences != 20 || s.DrawsPerChain[0] != 100 || s.DrawsPerChain[1] != 60 || s.Params[0].PerChain != 60 {
		t.Errorf("%+v", s)
	}
	if s := described(t, 100, 100).Summary; s.Partial || s.Divergences != 100 {
		t.Errorf("a whole fit: %+v", s)
	}
	if s := described(t, 100).Summary; !s.Partial {
		t.Error("a chain is missing, and the fit is whole")
	}
}

func open(t *testing.T, name string) (*catalog.Model, *bound.Prepared) {
	t.Helper()
	return boundtest.Open(t, name)
}

// specOf returns the Spec for a model and a user's wishes.
func specOf(t *testing.T, m *catalog.Model, w Wishes) *Spec {
	t.Helper()
	s, err := NewSpec(m, w)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func subjects(t *testing.T, m *catalog.Model, labels ...string) (all []Subject) {
	t.Helper()
	for _, label := range labels {
		table, err := trials.Read("../../testdata/banks/test-60/trials.parquet", trials.Options{Trials: m.Trials, Choice: m.Choice, Only: label})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, Subject{Label: label, Columns: table.Columns, Choice: table.Choice})
	}
	return all
}

// The exact ddm is fitted to a subject that never gave the rarer response, so that a and z vary along a curved ridge. With the
// default settings, hardly any transition diverges.
func TestSubjectWithoutMinorityResponses(t *testing.T) {
	m, b := open(t, "ddm")
	s := nuts.DefaultSettings()
	s.Seed = 2
	r := Run(t.Context(), specOf(t, m, Wishes{}), b, subjects(t, m, "26"), Settings{Sampler: s})[0]
	if !r.IsComplete() {
		t.Fatal(r.Err)
	}
	if r.Summary.Divergences > 8 { // 0 to 2 in three seeds, and 33 to 78 with steps that aim at 0.8
		t.Errorf("%d divergences", r.Summary.Divergences)
	}
	for _, p := range r.Summary.Params {
		if !(p.Rhat < 1.03) {
			t.Errorf("%s: R-hat %v", p.Name, p.Rhat)
		}
	}
}

// A subject has the same draws if it is fitted alone or with others, on one thread or on several. If one subject cannot be bound,
// only that one fails.
func TestRunManySubjects(t *testing.T) {
	m, b := open(t, "ddm")
	s := nuts.DefaultSettings()
	s.NumChains, s.NumWarmup, s.NumSamples = 2, 50, 20
	all := subjects(t, m, "1", "2", "3")
	all[1].Choice = append([]float64{0.5}, all[1].Choice[1:]...)
	var told []int
	together := Run(t.Context(), specOf(t, m, Wishes{}), b, all, Settings{Sampler: s, Threads: 1, Finished: func(done, total int) { told = append(told, done, total) }})
	alone := Run(t.Context(), specOf(t, m, Wishes{}), b, all[2:], Settings{Sampler: s, Threads: 2})[0]
	if together[1].Err == nil || together[1].Kept() || !together[0].IsComplete() || !together[2].IsComplete() {
		t.Fatalf("%v, %v, %v", together[0].Err, together[1].Err, together[2].Err)
	}
	for c := range alone.Draws.Chains {
		for j, column := range alone.Draws.Chains[c].Params {
			for k, x := range column {
				if other := together[2].Draws.Chains[c].Params[j][k]; other != x {
					t.Fatalf("chain %d, parameter %d, draw %d: %v alone, %v among others", c+1, j, k, x, other)
				}
			}
		}
	}
	if len(told) != 6 || told[4] != 3 || told[5] != 3 {
		t.Errorf("progress %v", told)
	}
	if kept := Keep(together); !kept.Partial || len(kept.Kept) != 2 {
		t.Errorf("%d are kept, partial %v", len(kept.Kept), kept.Partial)
	}
}

// An error of Save ends the run: subjects that have not begun are not fitted.
func TestRunEndsWhenNothingCanBeSaved(t *testing.T) {
	m, b := open(t, "ddm")
	s := Settings{Mode: true, Threads: 1, Save: func(context.Context, *Result, int) error { return errors.New("disk full") }}
	all := Run(t.Context(), specOf(t, m, Wishes{}), b, subjects(t, m, "1", "2"), s)
	if all[0].Unsaved == nil || all[0].Mode == nil || !all[1].Interrupted() || all[1].Kept() {
		t.Errorf("%v, %v", all[0].Unsaved, all[1].Err)
	}
}

func TestParsePriorsRefuses(t *testing.T) {
	m, _ := open(t, "ddm")
	for want, texts := range map[string][]string{
		"want NAME=PRIOR":   {"normal(0,1)"},
		"no such parameter": {"speed=normal(0,1)"},
		"given twice":       {"v=uniform", "v=uniform"},
		"sd must be":        {"v=normal(0,-1)"},
	} {
		if _, err := NewSpec(m, Wishes{Priors: texts}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", texts, err, want)
		}
	}
}

// Parameters keep the model's order in JSON, and undefined numbers are null.
func TestSummariesInJSON(t *testing.T) {
	mode := &Mode{Format: Format, Model: "m", Subject: `"1"`, N: 7, Params: ModeParams{{Name: "z", Mode: 1, SD: 2}, {Name: "a", Mode: 3, SD: finite.Number(math.Inf(1)), AtBound: true}}}
	got, err := json.Marshal(Subjects{Partial: true, Kept: []*Result{{Subject: Subject{Label: `"1"`}, Mode: mode}}})
	want := `{"format":1,"partial":true,"subjects":{"\"1\"":{"format":1,"model":"m","subject":"\"1\"","n":7,"params":{"z":{"mode":1,"sd":2},"a":{"mode":3,"sd":null,"at_bound":true}},` +
		`"log_density":0,"gradients":0,"seconds":0}}}`
	if err != nil || string(got) != want {
		t.Errorf("%s\nwant %s, %v", got, want, err)
	}
}
