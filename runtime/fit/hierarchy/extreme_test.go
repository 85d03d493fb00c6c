package hierarchy

import (
	"math"
	"slices"
	"strings"
	"testing"

	"likc/runtime/fit/formula"
	"likc/runtime/fit/nuts"
	"likc/runtime/model/bound/boundtest"
)

// TestHugeColumn: a covariate whose standard deviation is no number has a prior.
func TestHugeColumn(t *testing.T) {
	m, b := boundtest.Open(t, "ddm")
	x := []float64{1e308, -1e308, 1}
	d := Data{Columns: [][]float64{{0.5, 0.6, 0.7}}, Choice: []float64{1, -1, 1},
		Table: formula.Table{Rows: 3, Columns: []formula.DataColumn{{Name: "x", Numeric: x}}}}
	if _, err := New(m, b, Spec{Params: map[string]Regression{"v": regression(t, "v ~ 1 + x")}}, d); err != nil {
		t.Error(err)
	}
	if got := numericOf(x).unit; !(got > 0 && !math.IsInf(got, 1)) {
		t.Errorf("unit %v", got)
	}
}

// TestStartsFromABound: if the mode lies at an end of a range, chains start inside the range.
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

// TestGradientWithoutCorrelation: the gradient equals finite differences where a correlation is 0.
func TestGradientWithoutCorrelation(t *testing.T) {
	for _, form := range []Form{Centred, NonCentred} {
		s, none := newStudy(t, "expr2", form, "v ~ x * cond + (1 + x + cond | subject)"), 0
		for i, name := range s.Names() {
			if strings.HasSuffix(name, "_cor") {
				q := somewhere(s)
				q[i] = 0
				checkGradient(t, s, q)
				none++
			}
		}
		if none != 3 {
			t.Errorf("%d correlations among %v, want 3", none, s.Names())
		}
	}
}

// TestTwoCorrelatedEffects: two effects are correlated by default, and sampling them uses the careful target of acceptance.
func TestTwoCorrelatedEffects(t *testing.T) {
	s := newStudy(t, "expr2", NonCentred, "v ~ x + (1 + x | subject)")
	if !slices.ContainsFunc(s.Names(), func(name string) bool { return strings.HasSuffix(name, "_cor") }) {
		t.Errorf("no correlation among %v", s.Names())
	}
	p, err := s.Prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sample := func(delta float64) []float64 {
		settings := nuts.DefaultSettings()
		settings.NumChains, settings.NumWarmup, settings.NumSamples, settings.Delta = 1, 60, 5, delta
		r, err := p.Sample(t.Context(), settings)
		if err != nil {
			t.Fatal(err)
		}
		return r.Draws.Chains[0].Params[0]
	}
	if own := sample(0); !slices.Equal(own, sample(carefulDelta)) || slices.Equal(own, sample(0.8)) {
		t.Errorf("draws do not aim at %v", carefulDelta)
	}
}
