package loo

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// values returns a likelihood and draws such that rows[i] holds the log densities of trial i.
func values(rows ...[]float64) (likelihood, [][]float64) {
	theta := make([][]float64, len(rows[0]))
	for s := range theta {
		for _, row := range rows {
			theta[s] = append(theta[s], row[s])
		}
	}
	return likelihood{len(rows), func(trial int, at []float64) float64 { return at[trial] }}, theta
}

// noise returns n independent standard normal numbers.
func noise(n int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

func estimated(t *testing.T, chains int, rows ...[]float64) *Result {
	t.Helper()
	lik, theta := values(rows...)
	r, err := Estimate(context.Background(), lik, theta, Settings{Chains: chains})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestLeaveOneOutIsExact: in the normal model with known spread and flat prior, the density of a trial given all others has a
// closed form.
func TestLeaveOneOutIsExact(t *testing.T) {
	y := noise(50, 3)
	mean := 0.0
	for _, v := range y {
		mean += v / 50
	}
	theta := make([][]float64, 20000)
	for s, z := range noise(len(theta), 4) {
		theta[s] = []float64{mean + z/math.Sqrt(50)}
	}
	lik := likelihood{len(y), func(i int, at []float64) float64 { return normal(y[i], at[0], 1) }}
	r, err := Estimate(context.Background(), lik, theta, Settings{Chains: 4})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range y {
		others := (50*mean - v) / 49
		want := normal(v, others, math.Sqrt(1+1./49))
		if got := r.Trials[i]; !(math.Abs(got.ELPD-want) < 5*got.MCSE+1e-6) {
			t.Errorf("trial %d: %v ± %v, exact %v", i+1, got.ELPD, got.MCSE, want)
		}
	}
	if !(math.Abs(r.ELPD.Value-r.WAIC.Value) < 0.1) {
		t.Errorf("PSIS-LOO %v, WAIC %v", r.ELPD, r.WAIC)
	}
}

// If all draws give a trial the same density, leaving it out changes nothing.
func TestConstantTrial(t *testing.T) {
	r := estimated(t, 2, slices.Repeat([]float64{-1.5}, 400), noise(400, 1))
	want := Trial{ELPD: -1.5, ESS: 400, REff: 1, WAIC: -1.5}
	got := r.Trials[0]
	for _, d := range []float64{got.ELPD - want.ELPD, got.P, got.K, got.ESS - want.ESS, got.REff - want.REff, got.MCSE, got.WAIC - want.WAIC, got.PWAIC} {
		if !(math.Abs(d) < 1e-11) {
			t.Fatalf("got %+v, want %+v", got, want)
		}
	}
}

// A trial that a draw makes impossible has no density when it is left out, even if other draws allow it. Other trials are not
// affected.
func TestImpossibleTrial(t *testing.T) {
	some, all, x := noise(100, 1), make([]float64, 100), noise(100, 2)
	some[17] = math.Inf(-1)
	for s := range all {
		all[s] = math.Inf(-1)
		x[s] /= 10
	}
	r := estimated(t, 1, some, all, x)
	for i, trial := range r.Trials[:2] {
		if !math.IsInf(trial.ELPD, -1) || !math.IsInf(trial.WAIC, -1) || !math.IsInf(trial.K, 1) || math.IsNaN(trial.P) {
			t.Errorf("trial %d: %+v", i+1, trial)
		}
	}
	if p := [2]float64{r.Trials[0].P, r.Trials[1].P}; p != [2]float64{math.Inf(1), 0} { // the mean density is positive but ELPD is -Inf; then both are -Inf
		t.Errorf("effective parameters %v", p)
	}
	if single := estimated(t, 1, x).Trials[0]; r.Trials[2] != single {
		t.Errorf("after impossible trials %+v, without them %+v", r.Trials[2], single)
	}
	if !math.IsInf(r.ELPD.Value, -1) || !math.IsInf(r.ELPD.SE, 1) || !slices.Equal(r.Exceed(), []int{0, 1}) {
		t.Errorf("sum %v, exceeding %v", r.ELPD, r.Exceed())
	}
}

// With too few draws for a tail, the ratios are used without smoothing, and K is +Inf.
func TestFewDraws(t *testing.T) {
	for _, n := range []int{2, 3, 5, 20} {
		x := noise(n, 9)
		r := estimated(t, 1, x)
		sum := 0.0
		for _, v := range x {
			sum += math.Exp(-v) / float64(n)
		}
		if got := r.Trials[0]; !(math.Abs(got.ELPD+math.Log(sum)) < 1e-12) || !math.IsInf(got.K, 1) || math.IsNaN(got.REff) {
			t.Errorf("%d draws: %+v, harmonic mean %v", n, got, -math.Log(sum))
		}
		if len(r.Exceed()) != 1 || !math.IsNaN(r.MCSE) {
			t.Errorf("%d draws: exceeding %v, standard error %v", n, r.Exceed(), r.MCSE)
		}
	}
}

// Adding a constant to the log densities of a trial adds it to its estimates, even beyond the range of exp.
func TestScaleOfDensity(t *testing.T) {
	x := noise(1000, 5)
	base := estimated(t, 4, x).Trials[0]
	for _, shift := range []float64{-5000, 5000} {
		y := slices.Clone(x)
		for s := range y {
			y[s] += shift
		}
		got := estimated(t, 4, y).Trials[0]
		for _, d := range []float64{got.ELPD - shift - base.ELPD, got.WAIC - shift - base.WAIC, got.P - base.P, got.K - base.K, got.REff - base.REff, got.MCSE - base.MCSE} {
			if !(math.Abs(d) < 1e-9) {
				t.Fatalf("shifted by %v: %+v, before %+v", shift, got, base)
			}
		}
	}
}

// Ties, outliers and huge spreads give numbers, never NaN.
func TestHardRatios(t *testing.T) {
	hard := map[string]func(s int, x float64) float64{
		"two values":         func(s int, _ float64) float64 { return float64(s % 2) },
		"one outlier":        func(s int, _ float64) float64 { return -float64(s / 499 * 50) },
		"rejected proposals": func(s int, _ float64) float64 { return math.Sin(float64(s / 40)) },
		"huge spread":        func(_ int, x float64) float64 { return 1e3 * x },
		"enormous spread":    func(_ int, x float64) float64 { return 1e150 * x },
		"tiny spread":        func(_ int, x float64) float64 { return 1e-15 * x },
		"tail at the top":    func(s int, _ float64) float64 { return -float64(min(s, 300)) },
	}
	for name, f := range hard {
		x := noise(500, 8)
		for s := range x {
			x[s] = f(s, x[s])
		}
		got := estimated(t, 1, x).Trials[0]
		low, high := slices.Min(x), slices.Max(x)
		if !(low <= got.ELPD && got.ELPD <= high+1e-9) || math.IsNaN(got.K) || !(got.ESS > 0) || math.IsNaN(got.WAIC) || !(got.P >= -1e-9) {
			t.Errorf("%s: %+v for log densities from %v to %v", name, got, low, high)
		}
	}
}

func TestThreadsDoNotMatter(t *testing.T) {
	one := reference(t, "kidscore", 1)
	for _, threads := range []int{2, 5} {
		if more := reference(t, "kidscore", threads); !reflect.DeepEqual(one, more) {
			t.Errorf("%d threads give another result than one", threads)
		}
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	var lik Pointwise = posteriors["kidscore"](t)
	theta := draws(t, "kidscore_draws.csv")
	e, trials := newEstimator(len(theta), 4, leastBlock), make([]Trial, leastBlock)
	first := 0
	if n := testing.AllocsPerRun(10, func() {
		if err := e.estimate(trials, lik, theta, first); err != nil {
			t.Fatal(err)
		}
		first = (first + leastBlock) % (lik.N() - leastBlock)
	}); n != 0 {
		t.Errorf("%d trials allocate %v times", leastBlock, n)
	}
}

func TestErrors(t *testing.T) {
	bad := noise(300, 1)
	bad[41] = math.NaN()
	above := noise(300, 1)
	above[7] = math.Inf(1)
	good := noise(300, 2)
	rows := slices.Repeat([][]float64{good}, 200)
	rows[150], rows[70] = bad, above
	for _, c := range []struct {
		what   string
		rows   [][]float64
		chains int
		want   string
	}{
		{"a NaN", [][]float64{good, bad}, 1, "loo: the log density of trial 2 at draw 42 is NaN: want a finite number or -Inf"},
		{"the first of several", rows, 1, "trial 71 at draw 8 is +Inf"},
		{"chains of several lengths", [][]float64{good}, 7, "loo: 300 draws cannot be divided into 7 chains"},
		{"one draw", [][]float64{{1}}, 1, "loo: 1 draws: want at least 2"},
	} {
		lik, theta := values(c.rows...)
		for _, threads := range []int{1, 4} {
			if r, err := Estimate(context.Background(), lik, theta, Settings{Chains: c.chains, Threads: threads}); err == nil || r != nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", c.what, err, c.want)
			}
		}
	}
	if _, err := Estimate(context.Background(), likelihood{}, draws(t, "kidscore_draws.csv"), Settings{}); err == nil {
		t.Error("no trials: no error")
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Estimate(ended, posteriors["eight_schools"](t), draws(t, "eight_schools_draws.csv"), Settings{}); err != context.Canceled {
		t.Errorf("after the context ended: %v", err)
	}
}

func TestThreshold(t *testing.T) {
	for draws, want := range map[int]float64{100: 0.5, 1000: 2. / 3, 2200: 0.7, 4000: 0.7} {
		if got := Threshold(draws); !(math.Abs(got-want) < 1e-3) {
			t.Errorf("%d draws: %v, want %v", draws, got, want)
		}
	}
}

// BenchmarkTrial reports the time for one trial with 4,000 draws.
func BenchmarkTrial(b *testing.B) {
	theta := make([][]float64, 4000)
	for s, z := range noise(len(theta), 4) {
		theta[s] = []float64{z}
	}
	lik := likelihood{leastBlock, func(i int, at []float64) float64 { return -at[0] * at[0] / 4 }}
	e, trials := newEstimator(len(theta), 4, leastBlock), make([]Trial, leastBlock)
	for b.Loop() {
		if err := e.estimate(trials, lik, theta, 0); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*leastBlock), "µs/trial")
}
