package likc

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestLibraryPredictsLearners binds a learning model to blocks of trials, fits it, and simulates the trials again in order. Only the first option
// is rewarded, so it must become the usual choice in predictions too.
func TestLibraryPredictsLearners(t *testing.T) {
	m, err := Open("rl_softmax")
	if err != nil {
		t.Fatal(err)
	}
	const n = 60
	columns := map[string][]float64{}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		choice := 1.0
		if rng.Float64() < 0.5*math.Exp(-float64(i%30)/8) {
			choice = -1
		}
		for name, x := range map[string]float64{"c": choice, "reward": (choice + 1) / 2, "block": float64(i / 30), "ra": 1, "rb": 0} {
			columns[name] = append(columns[name], x)
		}
	}
	d, err := m.Bind(columns)
	if err != nil {
		t.Fatal(err)
	}
	f, err := d.Fit(t.Context(), Settings{Chains: 2, Warmup: 200, Draws: 200, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	all, err := f.Predict(t.Context(), 100, 1)
	if err != nil {
		t.Fatal(err)
	}
	late := 0.0
	for _, one := range all {
		if _, ok := one["reward"]; ok || one["block"][40] != 1 {
			t.Fatalf("columns %v: rewards are those of other choices", one)
		}
		for i := 15; i < 30; i++ {
			late += (one["c"][i] + one["c"][i+30]) / 2
		}
	}
	if share := (1 + late/(100*15)) / 2; share < 0.85 {
		t.Errorf("late in a block %.3f choose the first option", share)
	}
	if _, err := m.Simulate(t.Context(), []float64{0.3, 4}, 10, 1); err == nil || !strings.Contains(err.Error(), "Fit.Predict") {
		t.Error(err)
	}
	delete(columns, "ra")
	if d, err = m.Bind(columns); err != nil {
		t.Fatal(err)
	}
	if f, err = d.Fit(t.Context(), Settings{Chains: 1, Warmup: 50, Draws: 50, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Predict(t.Context(), 10, 1); err == nil || !strings.Contains(err.Error(), "no column ra") {
		t.Error(err)
	}
}
