package hierarchy

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"likc/runtime/fit/formula"
	"likc/runtime/model/bound"
	"likc/runtime/model/bound/boundtest"
	"likc/runtime/model/catalog"
	"likc/runtime/num/chains"
)

// simulated returns a model and random trials in groups of equal size, with columns x (a number), cond (two labels) and subject.
func simulated(t *testing.T, model string, groups, trials int) (*catalog.Model, *bound.Prepared, Data) {
	t.Helper()
	m, b := boundtest.Open(t, model)
	rng := rand.New(rand.NewPCG(11, 12))
	d := Data{Columns: [][]float64{nil}, Table: formula.Table{Rows: groups * trials}}
	x, cond, subject := []float64(nil), []string(nil), []string(nil)
	for g := range groups {
		for i := range trials {
			d.Columns[0] = append(d.Columns[0], 0.4+rng.ExpFloat64())
			d.Choice = append(d.Choice, float64(2*rng.IntN(2)-1))
			x, cond, subject = append(x, rng.NormFloat64()), append(cond, []string{"easy", "hard"}[i%2]), append(subject, strconv.Itoa(g))
		}
	}
	d.Table.Columns = []formula.DataColumn{{Name: "x", Numeric: x}, {Name: "cond", Labels: cond}, {Name: "subject", Labels: subject}}
	return m, b, d
}

func regression(t *testing.T, text string) Regression {
	t.Helper()
	f, err := formula.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return Regression{Formula: f}
}

func newStudy(t *testing.T, model string, form Form, formulas ...string) *Study {
	t.Helper()
	m, b, d := simulated(t, model, 5, 20)
	spec := Spec{Params: map[string]Regression{}, Form: form}
	for _, text := range formulas {
		r := regression(t, text)
		spec.Params[r.Formula.Param] = r
	}
	s, err := New(m, b, spec, d)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// everyModel lists a model of each kind: an exact density, an expression and a teacher.
var everyModel = []string{"ddm", "expr2", "../../../testdata/teacher/spline"}

// manyFormulas holds studies that reach every way of binding: with and without columns of many values, links and correlations.
var manyFormulas = [][]string{
	{"v ~ 1 + x + (1 | subject)"},
	{"v ~ 0 + cond + (0 + cond || subject)", "a ~ 1 + (1 | subject)", "z ~ 1 + (1 | subject)", "t ~ 1 + (1 | subject)"},
	{"v ~ x * cond + (1 + x + cond | subject)", "a ~ cond"},
	{"v ~ 1 + offset(x)", "t ~ 1 + cond + (1 | subject:cond)"},
	{"v ~ 1 + cond + offset(x)"},
	{"v ~ cond", "a ~ 1 + x + (1 | subject)"},
}

// The gradient of the posterior in the unconstrained coordinates equals finite differences, with each parameterisation.
func TestGradient(t *testing.T) {
	for _, formulas := range manyFormulas {
		for _, model := range everyModel {
			for _, share := range []float64{0, 0.4, 1} {
				s := newStudy(t, model, Auto, formulas...)
				for _, g := range s.groups {
					g.setShares(share)
					g.shares[0], g.shares[len(g.shares)-1] = 0.7, 0.1
				}
				checkGradient(t, s, somewhere(s))
			}
		}
	}
}

// somewhere returns a random point in the unconstrained coordinates.
func somewhere(s *Study) []float64 {
	rng := rand.New(rand.NewPCG(1, 2))
	q := make([]float64, len(s.coords))
	for i := range q {
		q[i] = 0.5 * rng.NormFloat64()
	}
	for i, x := range s.onsets() {
		q[i] = x + 0.1*q[i] - 1 // offsets may be large
	}
	for _, g := range s.groups {
		for i, w := range g.shares { // centred coordinates lie around the mean
			if mean := g.effects[i%len(g.effects)].mean; mean >= 0 {
				q[g.first+i] += w * q[mean]
			}
		}
	}
	return q
}

func checkGradient(t *testing.T, s *Study, q []float64) {
	t.Helper()
	target, err := s.Target()
	if err != nil {
		t.Fatal(err)
	}
	grad, other := make([]float64, target.Dim()), make([]float64, target.Dim())
	if _, err := target.LogDensityGrad(q, grad); err != nil {
		t.Fatal(err)
	}
	for i, at := range q {
		const h = 1e-5
		q[i] = at + h
		high, _ := target.LogDensityGrad(q, other)
		q[i] = at - h
		low, _ := target.LogDensityGrad(q, other)
		q[i] = at
		if slope := (high - low) / (2 * h); !(math.Abs(slope-grad[i]) <= 1e-5*(1+math.Abs(slope))) {
			t.Errorf("%s: derivative %v, by differences %v", s.coords[i].Name, grad[i], slope)
		}
	}
}

// However trials are bound, the log-likelihood is the sum of the log densities of single trials, at the parameters of their rows.
func TestLikelihoodIsSumOverTrials(t *testing.T) {
	for _, formulas := range manyFormulas {
		for _, model := range everyModel {
			s := newStudy(t, model, NonCentred, formulas...)
			e := s.evaluation()
			rng := rand.New(rand.NewPCG(5, 6))
			d := &chains.Draws{Names: s.Names(), Chains: []chains.Chain{{Trace: chains.NewTrace(len(s.coords), 1)}}}
			for j, c := range s.coords {
				e.coefs[j] = 0.2 * rng.NormFloat64()
				if !math.IsInf(c.Upper, 1) && c.Upper > 0 {
					e.coefs[j] = c.Lower + (c.Upper-c.Lower)/2
				}
				if x, onset := s.onsets()[j]; onset {
					e.coefs[j] += x - 0.5
				}
				d.Chains[0].Params[j] = append(d.Chains[0].Params[j], e.coefs[j])
			}
			density, err := bound.TrialDensity(s.model, s.data.Columns, s.data.Choice)
			if err != nil {
				t.Fatal(err)
			}
			rows, theta, want := s.Rows(), make([]float64, 4), 0.0
			rows.Draw(d, 0, 0)
			for i := range s.Trials() {
				rows.Theta(i, theta)
				want += density(i, theta)
			}
			if got := s.bound.LogLik(e.coefs); math.IsInf(want, 0) || !(math.Abs(got-want) <= 1e-9*math.Abs(want)) {
				t.Errorf("%s, %v: %v, of single trials %v", model, formulas, got, want)
			}
		}
	}
}
