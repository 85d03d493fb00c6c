package objective_test

import (
	"math"
	"os"
	"testing"

	"likc/search/find/objective"
)

// TestCondensedRecovery: recovery computed from a thousand trials is nearly the same as from the few points that replace them.
func TestCondensedRecovery(t *testing.T) {
	both, err := simulated()
	if err != nil {
		t.Fatal(err)
	}
	r, s := rows(t), objective.Improved()
	r.Both = both
	s.JointGroups = 40
	if os.Getenv("LIKC_LONG") == "" {
		s.JointGroups = 15
	}
	every := s
	every.JointPoints = 0
	for _, name := range []string{"expr1", "expr2", "expr3", "wald"} {
		few, all := make([]float64, 8), make([]float64, 8)
		m := model(t, name)
		loss(t, r, m, s).NewScorer().(objective.Refiner).Refine(treeOf(t, m), few)
		loss(t, r, m, every).NewScorer().(objective.Refiner).Refine(treeOf(t, m), all)
		for i := range few {
			if !(math.Abs(few[i]-all[i]) <= 0.03) {
				t.Errorf("%s: %.3f from points, %.3f from all trials", name, few, all)
				break
			}
		}
		t.Logf("%s: %.3f from points, %.3f from all trials", name, few, all)
	}
}

// Points preserve the number of trials of each choice, the sum of their times and the fastest time.
func TestCondensedMoments(t *testing.T) {
	both, err := simulated()
	if err != nil {
		t.Fatal(err)
	}
	for g, rt := range both.RT[:20] {
		x, choice, weight := objective.Condensed(rt, both.Choice[g], 16)
		if len(x) > 16+3 {
			t.Errorf("subject %d: %d points", g, len(x))
		}
		for _, side := range []float64{1, -1} {
			n, sum, fastest := moments(rt, both.Choice[g], nil, side)
			m, condensed, first := moments(x, choice, weight, side)
			if n != m || !(math.Abs(sum-condensed) <= 1e-9*sum) || fastest != first {
				t.Errorf("subject %d, choice %v: %v trials, sum %v, fastest %v; of points %v, %v, %v", g, side, n, sum, fastest, m, condensed, first)
			}
		}
	}
}

// moments returns the sum of the weights, the weighted sum and the smallest of the times of one choice. Without weights, each is
// 1.
func moments(x, choice, weight []float64, side float64) (n, sum, least float64) {
	least = math.Inf(1)
	for k, v := range x {
		if choice[k] != side {
			continue
		}
		w := 1.0
		if weight != nil {
			w = weight[k]
		}
		n, sum, least = n+w, sum+w*v, min(least, v)
	}
	return n, sum, least
}
