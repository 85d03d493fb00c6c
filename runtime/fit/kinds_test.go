package fit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"likc/runtime/fit/formula"
	"likc/runtime/fit/nuts"
	"likc/runtime/model/bound/boundtest"
	"likc/runtime/num/chains"
)

// normals returns trials with lognormal times. means holds the mean log time of each condition.
func normals(rng *rand.Rand, label string, each int, means map[string]float64, sd float64) Subject {
	s := Subject{Label: label, Columns: [][]float64{nil}}
	var cond []string
	for _, name := range []string{"A", "B", "C"} {
		mean, has := means[name]
		for range each {
			if has {
				s.Columns[0], cond = append(s.Columns[0], math.Exp(mean+sd*rng.NormFloat64())), append(cond, name)
			}
		}
	}
	s.Table = formula.Table{Columns: []formula.DataColumn{{Name: "cond", Labels: cond}}}
	return s
}

// TestFormulasOfEachSubject: a formula is fitted to each of several subjects. Posterior means are the known ones for normal
// samples. A subject without trials in a condition has no coefficient for it.
func TestFormulasOfEachSubject(t *testing.T) {
	m, b := open(t, "lognormal")
	rng := rand.New(rand.NewPCG(1, 2))
	all := []Subject{normals(rng, "1", 60, map[string]float64{"A": 0, "B": 0.5, "C": -0.5}, 0.4), normals(rng, "2", 60, map[string]float64{"A": 0.2, "C": 0.1}, 0.3)}
	s := nuts.DefaultSettings()
	s.NumChains, s.NumWarmup, s.NumSamples = 2, 400, 1500
	spec := specOf(t, m, Wishes{Formulas: []string{"mu ~ 0 + cond"}, Priors: []string{"mu_cond[A]=normal(0,50)", "mu_cond[B]=normal(0,50)", "mu_cond[C]=normal(0,50)"}})
	if _, err := Check(spec, all[1:]); err == nil {
		t.Error("a prior of a coefficient that a subject does not have is no error")
	}
	spec = specOf(t, m, Wishes{Formulas: []string{"mu ~ 0 + cond"}, PriorPreset: "flat"})
	results := Run(t.Context(), spec, b, all, Settings{Sampler: s, LOO: true})
	if names := Keep(results).Names(); !slices.Equal(names, []string{"mu_cond[A]", "mu_cond[B]", "mu_cond[C]", "sigma"}) {
		t.Errorf("names %v", names)
	}
	for i, r := range results {
		if r.Err != nil || r.Summary.LOO == nil || r.Summary.Regression == nil {
			t.Fatal(r.Err, r.Summary.LOO)
		}
		column := all[i].Table.Columns[0].Labels
		for _, cond := range []string{"A", "B", "C"} {
			var logs []float64
			for row, of := range column {
				if of == cond {
					logs = append(logs, math.Log(all[i].Columns[0][row]))
				}
			}
			p := r.Summary.Params.Named("mu_cond[" + cond + "]")
			if logs == nil {
				if p.Name != "" {
					t.Errorf("subject %s has a coefficient of a condition that it has not", r.Label)
				}
				continue
			}
			want := chains.Mean([][]float64{logs}) // the posterior of a mean with a flat prior is symmetric about that of the sample
			if !(math.Abs(p.Mean-want) < 5*p.MCSEMean) {
				t.Errorf("subject %s, %s: mean %v ± %v, want %v", r.Label, p.Name, p.Mean, p.MCSEMean, want)
			}
		}
	}
}

// TestPriorsBeforeData: draws from the priors of a regression cover the whole ranges, because no trial limits them.
func TestPriorsBeforeData(t *testing.T) {
	m, b := boundtest.Open(t, "ddm")
	of := Subject{Columns: [][]float64{{0.5, 0.6, 0.9, 0.7}}, Choice: []float64{1, -1, 1, 1}, Table: formula.Table{Columns: []formula.DataColumn{{Name: "x", Numeric: []float64{1, 2, 3, 4}}}}}
	s := Settings{Sampler: nuts.DefaultSettings(), PriorOnly: true}
	for _, w := range []Wishes{{}, {Formulas: []string{"v ~ x"}}} {
		r := Run(t.Context(), specOf(t, m, w), b, []Subject{of}, s)[0]
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		p := r.Summary.Params.Named("t") // uniform from 0 to 2
		if !(math.Abs(p.Mean-1) < 5*p.MCSEMean) || !(math.Abs(p.SD-2/math.Sqrt(12)) < 0.02) {
			t.Errorf("formulas %q: t %v ± %v, want 1 and %v", w.Formulas, p.Mean, p.SD, 2/math.Sqrt(12))
		}
	}
}
