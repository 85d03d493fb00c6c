package ppc

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"likc/runtime/fit"
	"likc/runtime/fit/formula"
	"likc/runtime/model/catalog"
	"likc/runtime/model/trials"
	"likc/runtime/num/chains"
	"likc/runtime/num/statistic"

	"gonum.org/v1/gonum/stat"
)

// normal returns a predictor of lognormal trials, and draws around mu = 0 and sigma = 1.
func normal(t *testing.T, seed uint64) (*fit.Predictor, *chains.Draws) {
	t.Helper()
	m, err := catalog.Open("lognormal")
	if err != nil {
		t.Fatal(err)
	}
	spec, err := fit.NewSpec(m, fit.Wishes{})
	if err != nil {
		t.Fatal(err)
	}
	study, err := spec.Unbound(&fit.Subject{Columns: [][]float64{make([]float64, 100)}})
	if err != nil {
		t.Fatal(err)
	}
	d := &chains.Draws{Names: study.Names(), Chains: []chains.Chain{{ID: 1, Trace: chains.NewTrace(2, 500)}}}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		for j, x := range []float64{0.05 * rng.NormFloat64(), 1 + 0.03*rng.NormFloat64()} {
			d.Chains[0].Params[j] = append(d.Chains[0].Params[j], x)
		}
	}
	simulate := fit.Simulate(func(_ context.Context, rng *rand.Rand, theta, rt, _ []float64) error {
		for i := range rt {
			rt[i] = math.Exp(theta[0] + theta[1]*rng.NormFloat64())
		}
		return nil
	})
	return &fit.Predictor{Study: study, Simulate: simulate.Rows(), Seed: seed}, d
}

// Distances from a predictive, and from it without each fold, equal Kolmogorov-Smirnov distances.
func TestPredictiveDistances(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		p, parts := &predictive{before: make([][folds]int32, 1)}, [1 + folds][]float64{}
		for i := range 60 {
			x := float64(i/2) / 10 // ties
			fold := rng.IntN(folds)
			next := p.before[i]
			next[fold]++
			p.times, p.before = append(p.times, x), append(p.before, next)
			for k := range parts {
				if k != fold+1 {
					parts[k] = append(parts[k], x)
				}
			}
		}
		var x []float64
		for range 1 + rng.IntN(30) {
			x = append(x, float64(rng.IntN(40)-5)/10)
		}
		got := p.distances(x)
		for k, y := range parts {
			if want := statistic.KolmogorovSmirnov(x, y); math.Abs(got[k]-want) > 1e-15 {
				t.Fatalf("fold %d: %v, want %v", k, got[k], want)
			}
		}
	}
}

// The printed Monte Carlo error of p equals its standard deviation over seeds, both for trials with a middling p and for trials
// with a small one.
func TestErrorOfP(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, c := range []struct {
		name  string
		shift float64
	}{{"as predicted", 0}, {"shifted", 0.2}} { // in this order: both take numbers from one source
		name, shift := c.name, c.shift
		times := make([]float64, 100)
		for i := range times {
			times[i] = math.Exp(shift + rng.NormFloat64())
		}
		var shares, variances []float64
		for seed := range uint64(30) {
			p, d := normal(t, seed)
			one, err := compare(t.Context(), p, d, &fit.Subject{Columns: [][]float64{times}}, 4_000, 200)
			if err != nil {
				t.Fatal(err)
			}
			shares, variances = append(shares, float64(one.P)), append(variances, float64(one.MCSE*one.MCSE))
		}
		said, is := math.Sqrt(stat.Mean(variances, nil)), stat.StdDev(shares, nil)
		t.Logf("%s: p %.3f, error %.4f, over seeds %.4f", name, stat.Mean(shares, nil), said, is)
		if ratio := said / is; !(ratio >= 0.6 && ratio <= 1.6) { // a standard deviation of 30 has an error of 13 %
			t.Errorf("%s: p is %.3f, and its error %.4f; over seeds it is %.4f", name, stat.Mean(shares, nil), said, is)
		}
	}
}

// A fit belongs only to its own trials, also if it has no PSIS-LOO. A fit by an older version belongs to its own data file.
func TestOfTrials(t *testing.T) {
	m, err := catalog.Open("ddm")
	if err != nil {
		t.Fatal(err)
	}
	own := &fit.Subject{Columns: [][]float64{{0.5, 0.7}}, Choice: []float64{1, -1}}
	other := &fit.Subject{Columns: [][]float64{{0.5, 0.8}}, Choice: []float64{1, -1}}
	turned := &fit.Subject{Columns: [][]float64{{0.5, 0.7}}, Choice: []float64{-1, 1}}
	fewer := &fit.Subject{Columns: [][]float64{{0.5}}, Choice: []float64{1}}
	now := &fit.Summary{N: 2, Prediction: fit.Prediction{Responses: fit.ResponsesSum(m, own)}}
	older := &fit.Summary{N: 2, Record: &fit.Record{Data: &trials.Source{SHA256: "abc"}}}
	for _, c := range []struct {
		what string
		s    *fit.Summary
		of   *fit.Subject
		sum  string
		want bool
	}{
		{"its own", now, own, "any", true}, {"others", now, other, "abc", false}, {"other codes", now, turned, "abc", false},
		{"fewer", now, fewer, "abc", false},
		{"older, its own file", older, own, "abc", true}, {"older, another file", older, own, "abd", false}, {"older, fewer", older, fewer, "abc", false},
	} {
		if got := ofTrials(c.s, m, c.of, c.sum); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
}

// A regression's trials are predicted with the parameters of their rows, and trials without a response count. p is not small if
// the draws are the true values. It is near 0 if the conditions, or the share of omissions, differ.
func TestOwnOfRegressionsAndDeadlines(t *testing.T) {
	m, err := catalog.Open("lognormal")
	if err != nil {
		t.Fatal(err)
	}
	spec, err := fit.NewSpec(m, fit.Wishes{Formulas: []string{"mu ~ 0 + cond"}})
	if err != nil {
		t.Fatal(err)
	}
	simulate := fit.Simulate(func(_ context.Context, rng *rand.Rand, theta, rt, _ []float64) error {
		for i := range rt {
			rt[i] = math.Exp(theta[0] + theta[1]*rng.NormFloat64())
		}
		return nil
	})
	const n, deadline = 400, 1.5
	rng := rand.New(rand.NewPCG(9, 10))
	share := func(drawnA, drawnB, late float64) float64 {
		of := fit.Subject{Columns: [][]float64{make([]float64, n)}, Choice: make([]float64, n), Deadlines: make([]float64, n)}
		var cond []string
		for i := range n {
			name, mu := "A", -0.5
			if i >= n/2 {
				name, mu = "B", 0.3
			}
			cond = append(cond, name)
			of.Deadlines[i] = deadline
			if of.Columns[0][i] = math.Exp(mu + 0.3*rng.NormFloat64()); of.Columns[0][i] > late {
				of.Columns[0][i], of.Choice[i] = deadline, trials.Omitted
			}
		}
		of.Table = formula.Table{Columns: []formula.DataColumn{{Name: "cond", Labels: cond}}}
		r := fit.Result{Subject: of}
		if r.Study, err = spec.Unbound(&of); err != nil {
			t.Fatal(err)
		}
		d := &chains.Draws{Names: r.Study.Names(), Chains: []chains.Chain{{ID: 1, Trace: chains.NewTrace(3, 50)}}}
		for range 50 {
			for j, x := range []float64{drawnA, drawnB, 0.3} {
				d.Chains[0].Params[j] = append(d.Chains[0].Params[j], x)
			}
		}
		one, err := compare(t.Context(), r.Predictor(&fit.Simulator{Trials: simulate}, 3), d, &of, 20_000, 200)
		if err != nil {
			t.Fatal(err)
		}
		return float64(one.P)
	}
	right := 0.0
	for range 10 {
		right += share(-0.5, 0.3, deadline) / 10
	}
	if !(right > 0.25 && right < 0.75) { // p is uniform there: its mean of 10 has a standard deviation of 0.09
		t.Errorf("p of the truth is %v on average", right)
	}
	if p := share(-0.1, -0.1, deadline); p > 0.02 {
		t.Errorf("both conditions in the middle: p is %v", p)
	}
	if p := share(-0.5, 0.3, 1.2); p > 0.02 { // responses from 1.2 s on are omissions too
		t.Errorf("too many omissions: p is %v", p)
	}
}
