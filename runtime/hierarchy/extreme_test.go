package hierarchy

import (
	"math"
	"slices"
	"testing"

	"likc/compiler/formula"
	"likc/runtime/engine/enginetest"
)

// TestHugeColumn: a covariate whose standard deviation is no number has a prior.
func TestHugeColumn(t *testing.T) {
	m, b := enginetest.Open(t, "ddm")
	x := []float64{1e308, -1e308, 1}
	d := Data{Columns: [][]float64{{0.5, 0.6, 0.7}}, Choice: []float64{1, -1, 1},
		Table: formula.Table{Rows: 3, Columns: []formula.DataColumn{{Name: "x", Numeric: x}}}}
	if _, err := New(m, b, Spec{Params: map[string]Regression{"v": regression(t, "v ~ 1 + x")}}, d); err != nil {
		t.Error(err)
	}
	if got := unit(x); got != math.MaxFloat64 {
		t.Errorf("unit %v", got)
	}
}

// TestStartsFromABound: where the mode lies at the end of a range, chains begin within it.
func TestStartsFromABound(t *testing.T) {
	p, err := newStudy(t, "ddm", NonCentred, "v ~ 1 + (1 | subject)").Prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	post, _, err := p.posterior()
	if err != nil {
		t.Fatal(err)
	}
	_, high := post.Bounds(slices.Index(post.Names(), "a"))
	p.mode[slices.Index(post.Names(), "a")] = high
	starts, err := p.Starts(2, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range starts {
		if lp, err := post.Target().LogDensityGrad(q, make([]float64, len(q))); err != nil || math.IsInf(lp, 0) || math.IsNaN(lp) {
			t.Errorf("log density %v, %v", lp, err)
		}
	}
}
