package study

import (
	"math"
	"testing"

	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
)

// TestSimulatesSessions: for a model of sessions, all columns are simulated, coded as the model binds them.
func TestSimulatesSessions(t *testing.T) {
	m, err := catalog.Open("stop_signal")
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewSubjects(m, Settings{Subjects: 1, Trials: 400, Seed: 1, Sampling: Sampling{Chains: 1, Warmup: 1, Draws: 1}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	of, err := p.Case(t.Context(), 0)
	if err != nil || len(of.Columns) != 2 || len(of.Choice) != 400 {
		t.Fatalf("%v: %d columns", err, len(of.Columns))
	}
	signals, silent := 0, 0
	for i, choice := range of.Choice {
		if of.Columns[1][i] < 1000 {
			signals++
		}
		if choice == 0 {
			silent++
		}
	}
	if signals != 100 || silent == 0 || silent == 400 {
		t.Errorf("%d signals, %d without a response", signals, silent)
	}
	lik, err := p.binder.Bind(kernel.Trials{Columns: of.Columns, Choice: of.Choice}, bound.Design{})
	if err != nil {
		t.Fatal(err)
	}
	if v := lik.LogLik(of.Truth); math.IsNaN(v) || math.IsInf(v, 0) {
		t.Errorf("the log-likelihood of the truth is %v", v)
	}
}
