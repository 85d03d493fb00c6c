package main

import (
	"math"
	"slices"
	"testing"

	"likc/search/evolve"
	postfix "likc/search/tree"
)

// saying is a scorer that says what it is told.
type saying struct {
	evolve.Scorer
	loss  float64
	terms []float64
}

func (s saying) Score(_ postfix.Tree, _ float64, dst []float64) float64 {
	copy(dst, s.terms)
	return s.loss
}

var polishTerms = []string{"mse", "robust", "rho_v", "rho_a", "edge_v", "edge_a", "joint_v", "joint_a", "joint_edge_v", "joint_edge_a", "R", "B"}

// What the joint proxy did not look at comes after all that it did, however badly that did.
func TestPolishPrefersWhatIsMeasured(t *testing.T) {
	first, end := jointTerms(polishTerms)
	nan := math.NaN()
	for _, c := range []struct {
		name          string
		loss          float64
		terms         []float64
		want          float64
		weakest, last string
	}{
		{"not measured", 50, []float64{1, 1, .9, .2, 0, .1, 0, 0, 0, 0, .025, 0}, math.Inf(1), "-", "-"},
		{"badly", 90, []float64{1, 1, .9, .5, 0, .1, .1, -.2, 0, .9, -.8, 0}, 90, "-1.10", "-1.10"},
		{"at edges alone", 95, []float64{1, 1, .9, .5, 0, .1, 0, 0, 0, 1, -.8, 0}, 95, "-1.00", "-1.00"},
		{"well", 5, []float64{1, 1, .9, .8, 0, .1, .9, .95, 0, .01, .9, 0}, 5, "0.90", "0.94"},
		{"ended in the data", 70, []float64{nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, 0}, 70, "NaN", "NaN"},
	} {
		dst := make([]float64, len(polishTerms))
		if got := (measuring{saying{loss: c.loss, terms: c.terms}, first, end}).Score(postfix.Tree{}, 60, dst); got != c.want {
			t.Errorf("%s: loss %v, want %v", c.name, got, c.want)
		}
		if got := jointly(c.terms, polishTerms, []string{"v", "a"}); got[0] != c.weakest || got[2] != c.last || !slices.Contains(got[1:], got[0]) {
			t.Errorf("%s: shown as %q", c.name, got)
		}
	}
}
