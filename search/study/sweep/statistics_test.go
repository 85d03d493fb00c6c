package sweep

import (
	"math"
	"slices"
	"testing"

	"likc/runtime/num/finite"
)

func TestAUC(t *testing.T) {
	list := []rated{{1, false, 0}, {2, true, 1}, {2, false, 1}, {3, true, 2}}
	// The passing 2 beats 1 and ties with 2, the 3 beats both: 3.5 of 4 pairs.
	if got := auc(list, []float64{1, 1, 1}); got != 0.875 {
		t.Errorf("AUC %v", got)
	}
	// Without search 1, one pair; with search 0 three times, the passing 2 beats 1 three times and ties once.
	if a, b := auc(list, []float64{1, 0, 1}), auc(list, []float64{3, 1, 0}); a != 1 || b != 3.5/4 {
		t.Errorf("weighted AUC %v, %v", a, b)
	}
	if got := auc(list, []float64{1, 0, 0}); !math.IsNaN(got) {
		t.Errorf("AUC without a pair %v", got)
	}
}

// TestAUCInterval: if all pairs are within one search, every resample has the same AUC. If a passing and a failing expression
// come from two searches, only resamples with both searches have a pair.
func TestAUCInterval(t *testing.T) {
	s := Settings{Resamples: 200, Seed: 3}
	one := []rated{{1, false, 0}, {2, true, 0}, {3, false, 0}, {4, true, 0}}
	if got := aucInterval(one, [][]int{{0}}, s); got != [2]float64{0.75, 0.75} {
		t.Errorf("one search: %v", got)
	}
	if got := aucInterval([]rated{{1, true, 0}, {2, false, 1}}, [][]int{{0, 1}}, s); got != [2]float64{0, 0} {
		t.Errorf("two searches: %v", got)
	}
	// As two strata both are always drawn: 1 and 2 of 3 pairs each. As one, the first alone has AUC 1, the second 1/2.
	mixed := []rated{{1, false, 0}, {2, true, 0}, {3, false, 1}, {4, true, 1}, {5, false, 1}}
	if got := aucInterval(mixed, [][]int{{0}, {1}}, s); got != [2]float64{0.5, 0.5} {
		t.Errorf("two strata: %v", got)
	}
	if got := aucInterval(mixed, [][]int{{0, 1}}, s); got != [2]float64{0.5, 1} {
		t.Errorf("one stratum: %v", got)
	}
}

// TestFewFigures: statistics of one search, of one resample and of nothing are defined.
func TestFewFigures(t *testing.T) {
	if got := bootstrap([]float64{0.3}, Settings{Resamples: 1, Seed: 1}); got != [2]float64{0.3, 0.3} {
		t.Errorf("interval of one search, one resample: %v", got)
	}
	if got := bootstrap(nil, Settings{Resamples: 10}); got != [2]float64{} {
		t.Errorf("interval of nothing: %v", got)
	}
	if share(1, 1) != 1 || share(1, 4) != 0.25 || share(0, 0) != 0 || mean(nil) != 0 || mean([]float64{1, 2, 6}) != 3 {
		t.Errorf("shares %v %v %v, means %v %v", share(1, 1), share(1, 4), share(0, 0), mean(nil), mean([]float64{1, 2, 6}))
	}
	if got := quantile([]float64{8, 1, 4, 2}, 0.5); got != 3 {
		t.Errorf("median %v of 1 2 4 8", got)
	}
}

// TestDoubtsHaveBounds: a weakest correlation is near the criterion within 0.1 of 0.5, including both ends. The worst tenth is
// rounded up, and never contains a 0.
func TestDoubtsHaveBounds(t *testing.T) {
	var pool []Expression
	for name, r := range map[string]finite.Number{"a": 0.39, "b": 0.4, "c": 0.5, "d": 0.6, "e": 0.61, "f": finite.Number(math.NaN())} {
		pool = append(pool, Expression{Text: name, Canonical: name, WeakestR: r})
	}
	_, why := Doubtful(pool)
	for name, near := range map[string]bool{"a": false, "b": true, "c": true, "d": true, "e": false, "f": false} {
		if got := slices.Equal(why[name], []string{NearCriterion}); got != near || !near && len(why[name]) > 0 {
			t.Errorf("%s: %v", name, why[name])
		}
	}
	list := make([]Expression, 11)
	for i := range list {
		list[i].Divergences = i
	}
	marked := worstTenth(list, func(e *Expression) float64 { return float64(e.Divergences) })
	for i, m := range marked {
		if m != (i >= 9) {
			t.Errorf("of 0 to 10 divergences %d is marked: %v", i, m)
		}
	}
	if marked = worstTenth(list[:1], func(e *Expression) float64 { return float64(e.Divergences) }); marked[0] {
		t.Error("no divergence is among the worst")
	}
}
