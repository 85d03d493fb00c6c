package loo

import (
	"context"
	"math"
	"slices"
	"testing"

	"likc/runtime/model/ssm"
)

// posteriors are the likelihoods whose draws and reference values are in testdata.
var posteriors = map[string]func(t testing.TB) likelihood{
	"eight_schools": func(t testing.TB) likelihood {
		data := table(t, "eight_schools.csv")
		return likelihood{8, func(i int, effect []float64) float64 { return normal(data["y"][i], effect[i], data["sigma"][i]) }}
	},
	"garch11": func(t testing.TB) likelihood {
		y := table(t, "garch11.csv")["y"]
		return likelihood{len(y), func(i int, p []float64) float64 {
			variance := 0.25
			for _, before := range y[:i] {
				variance = p[1] + p[2]*(before-p[0])*(before-p[0]) + p[3]*variance
			}
			return normal(y[i], p[0], math.Sqrt(variance))
		}}
	},
	"kidscore": func(t testing.TB) likelihood {
		data := table(t, "kidscore.csv")
		return likelihood{len(data["kid_score"]), func(i int, p []float64) float64 {
			school, iq := data["mom_hs"][i], data["mom_iq"][i]
			return normal(data["kid_score"][i], p[0]+p[1]*school+p[2]*iq+p[3]*school*iq, p[4])
		}}
	},
	"ddm": func(t testing.TB) likelihood {
		data := table(t, "ddm.csv")
		return likelihood{len(data["rt"]), func(i int, p []float64) float64 {
			return ssm.DDM.LogDensity(data["rt"][i], data["choice"][i], p)
		}}
	},
}

// reference returns the estimate for a posterior of testdata.
func reference(t testing.TB, name string, threads int) *Result {
	t.Helper()
	r, err := Estimate(context.Background(), posteriors[name](t), draws(t, name+"_draws.csv"), Settings{Chains: 4, Threads: threads})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// fields are the reference columns of a trial, with tolerances. R's numbers have 15 digits, and the recomputed log densities
// differ from R's by rounding.
var fields = []struct {
	column    string
	of        func(*Trial) float64
	tolerance float64
}{
	{"elpd", func(t *Trial) float64 { return t.ELPD }, 1e-9},
	{"p", func(t *Trial) float64 { return t.P }, 1e-9},
	{"k", func(t *Trial) float64 { return t.K }, 1e-7},
	{"ess", func(t *Trial) float64 { return t.ESS }, 1e-5},
	{"reff", func(t *Trial) float64 { return t.REff }, 1e-9},
	{"mcse", func(t *Trial) float64 { return t.MCSE }, 1e-9},
	{"waic", func(t *Trial) float64 { return t.WAIC }, 1e-9},
	{"pwaic", func(t *Trial) float64 { return t.PWAIC }, 1e-9},
}

// Every figure of every trial, and the sums, equal those of R's package loo.
func TestEqualsR(t *testing.T) {
	totals, names := table(t, "totals.csv"), records(t, "totals.csv")[1:]
	for row, record := range names {
		name := record[0]
		r, want := reference(t, name, 1), table(t, name+"_loo.csv")
		for _, f := range fields {
			if len(want[f.column]) != len(r.Trials) {
				t.Fatalf("%s: %d trials, R has %d", name, len(r.Trials), len(want[f.column]))
			}
			for i := range r.Trials {
				if got := f.of(&r.Trials[i]); !(math.Abs(got-want[f.column][i]) <= f.tolerance) {
					t.Errorf("%s, trial %d: %s is %v, R has %v", name, i+1, f.column, got, want[f.column][i])
				}
			}
		}
		for column, got := range map[string]float64{
			"elpd": r.ELPD.Value, "elpd_se": r.ELPD.SE, "p": r.P.Value, "p_se": r.P.SE, "mcse": r.MCSE,
			"waic": r.WAIC.Value, "waic_se": r.WAIC.SE, "pwaic": r.PWAIC.Value, "pwaic_se": r.PWAIC.SE,
		} {
			if want := totals[column][row]; !(math.Abs(got-want) <= 1e-8) {
				t.Errorf("%s: %s is %v, R has %v", name, column, got, want)
			}
		}
	}
}

// permuted returns the log densities shape·log(u) of one trial, where u is a permutation of (1 to draws - 0.5)/draws, as in
// reference.R.
func permuted(draws int, shape float64) (likelihood, [][]float64) {
	theta := make([][]float64, draws)
	for s := range theta {
		theta[s] = []float64{shape * math.Log((float64(7*(s+1)%(draws+1))-0.5)/float64(draws))}
	}
	return likelihood{1, func(_ int, at []float64) float64 { return at[0] }}, theta
}

// Few draws and heavy tails, some with shapes far above the threshold, give the same estimates as R.
func TestTailsEqualR(t *testing.T) {
	want := table(t, "tails.csv")
	for i, n := range want["draws"] {
		lik, theta := permuted(int(n), want["shape"][i])
		r, err := Estimate(context.Background(), lik, theta, Settings{Chains: 2})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range fields[:6] {
			if got := f.of(&r.Trials[0]); !(math.Abs(got-want[f.column][i]) <= f.tolerance) {
				t.Errorf("%v draws, shape %v: %s is %v, R has %v", n, want["shape"][i], f.column, got, want[f.column][i])
			}
		}
		if over := want["k"][i] > Threshold(int(n)); over != math.IsNaN(r.MCSE) || over != (len(r.Exceed()) == 1) {
			t.Errorf("%v draws, shape %v: k %v, standard error %v, exceeding %v", n, want["shape"][i], want["k"][i], r.MCSE, r.Exceed())
		}
	}
}

// The comparison of four regressions equals R's. R's weights are less exact, and do not predict better.
func TestCompareEqualsR(t *testing.T) {
	names := records(t, "stacking.csv")[0]
	var results []*Result
	var density [][]float64
	for _, name := range names {
		var trials []Trial
		for _, v := range table(t, "stacking.csv")[name] {
			trials = append(trials, Trial{ELPD: v, P: v / -100})
		}
		results, density = append(results, NewResult(1000, trials)), append(density, table(t, "stacking.csv")[name])
	}
	rows, err := Compare(names, results)
	if err != nil {
		t.Fatal(err)
	}
	want, theirs := table(t, "compare.csv"), make([]float64, len(names))
	for i, row := range rows {
		if record := records(t, "compare.csv")[i+1]; row.Name != record[0] {
			t.Fatalf("model %d is %s, R has %s", i+1, row.Name, record[0])
		}
		theirs[slices.Index(names, row.Name)] = want["weight"][i]
		for column, got := range map[string]float64{"elpd": row.ELPD, "se": row.SE, "diff": row.Diff, "diff_se": row.DiffSE} {
			if !(math.Abs(got-want[column][i]) <= 1e-8) {
				t.Errorf("%s: %s is %v, R has %v", row.Name, column, got, want[column][i])
			}
		}
		if !(math.Abs(row.Weight-want["weight"][i]) <= 1e-4) {
			t.Errorf("%s: weight %v, R has %v", row.Name, row.Weight, want["weight"][i])
		}
	}
	s := newStack(density)
	if ours, r := s.score(Stack(density)), s.score(theirs); !(ours >= r-1e-12) {
		t.Errorf("mean log density %v, with R's weights %v", ours, r)
	}
}

// score returns the mean log density of a mixture, up to a constant.
func (s *stack) score(weights []float64) float64 {
	sum := 0.0
	for _, p := range s.trials {
		sum += math.Log(dot(weights, p))
	}
	return sum / float64(len(s.trials))
}
