package loo

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Weights are optimal if, for no model, the mean ratio of its density to the mixture's exceeds 1. The mean log density is concave
// in the weights, so that the excess bounds what any other weights could gain.
func TestStackIsOptimal(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct{ models, trials int }{{1, 5}, {2, 1}, {2, 50}, {3, 400}, {6, 30}, {10, 2000}} {
		for _, spread := range []float64{0.01, 1, 30} {
			density := make([][]float64, c.models)
			for k := range density {
				for range c.trials {
					density[k] = append(density[k], spread*rng.NormFloat64()-1000)
				}
			}
			weights, s := Stack(density), newStack(density)
			sum := 0.0
			for _, w := range weights {
				if sum += w; !(w >= 0) {
					t.Fatalf("%v, spread %v: weights %v", c, spread, weights)
				}
			}
			if !(math.Abs(sum-1) < 1e-12) {
				t.Errorf("%v, spread %v: weights add up to %v", c, spread, sum)
			}
			for k := range density {
				ratio := 0.0
				for _, p := range s.trials {
					ratio += p[k] / dot(weights, p) / float64(len(s.trials))
				}
				if !(ratio <= 1+1e-10) {
					t.Errorf("%v, spread %v: more of model %d gains up to %v", c, spread, k+1, ratio-1)
				}
			}
		}
	}
}

func TestStackOfLikeModels(t *testing.T) {
	x := noise(100, 1)
	for k, w := range Stack([][]float64{x, x, x}) {
		if !(math.Abs(w-1./3) < 1e-9) {
			t.Errorf("model %d has weight %v", k+1, w)
		}
	}
	without := Stack([][]float64{{0, -2, -1}, {-1, 0, -2}})
	if w := Stack([][]float64{{math.Inf(-1), 0, -2, -1}, {math.Inf(-1), -1, 0, -2}}); w[0] == 0.5 || !(math.Abs(w[0]-without[0]) < 1e-9) {
		t.Errorf("weights %v with a trial that every model calls impossible, and %v without", w, without)
	}
	if w := Stack([][]float64{{math.Inf(-1)}, {math.Inf(-1)}}); w[0] != 0.5 {
		t.Errorf("no possible trial: %v", w)
	}
}

func TestCompareWithImpossibleTrial(t *testing.T) {
	good := estimated(t, 1, noise(100, 1), noise(100, 2))
	bad := estimated(t, 1, append([]float64{math.Inf(-1)}, noise(99, 3)...), noise(100, 4))
	rows, err := Compare([]string{"bad", "good"}, []*Result{bad, good})
	if err != nil {
		t.Fatal(err)
	}
	if rows[0].Name != "good" || rows[0].Diff != 0 || !math.IsInf(rows[1].Diff, 1) || !math.IsInf(rows[1].DiffSE, 1) || !(rows[1].Weight < 1) || rows[1].Exceed == 0 {
		t.Errorf("%+v", rows)
	}
	if _, err := Compare([]string{"one", "two"}, []*Result{good, estimated(t, 1, noise(100, 1))}); err == nil {
		t.Error("models of 2 trials and of 1 are compared")
	}
	for _, c := range []struct {
		names   []string
		results []*Result
	}{{[]string{"one"}, nil}, {nil, nil}, {[]string{"one", "two"}, []*Result{good}}, {[]string{"one"}, []*Result{good, bad}}} {
		if _, err := Compare(c.names, c.results); err == nil {
			t.Errorf("%d names of %d models are compared", len(c.names), len(c.results))
		}
	}
}
