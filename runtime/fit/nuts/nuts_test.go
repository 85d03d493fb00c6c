package nuts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"likc/runtime/num/chains"
	"likc/runtime/num/stream"
)

// checkMoments compares means and standard deviations with the truth. Differences may be up to 4.5 Monte Carlo standard errors.
func checkMoments(t *testing.T, d *chains.Draws, mean, sd func(j int) float64) {
	t.Helper()
	for j, s := range d.Summarise() {
		if z := (s.Mean - mean(j)) / s.MCSEMean; !(math.Abs(z) < 4.5) {
			t.Errorf("%s: mean %v, want %v (z %.1f)", s.Name, s.Mean, mean(j), z)
		}
		if z := (s.SD - sd(j)) / s.MCSESD; !(math.Abs(z) < 4.5) {
			t.Errorf("%s: sd %v, want %v (z %.1f)", s.Name, s.SD, sd(j), z)
		}
		if !(s.Rhat < 1.02) {
			t.Errorf("%s: R-hat %v", s.Name, s.Rhat)
		}
	}
}

func zero(int) float64 { return 0 }

func TestIndependentNormals(t *testing.T) {
	for _, target := range []independent{spread(1, 3, 3), spread(2, 1, 1), spread(10, 0.1, 10), spread(30, 0.01, 100), spread(100, 0.5, 2)} {
		for _, m := range []Metric{LowRank, Fisher, Diag} {
			t.Run(fmt.Sprintf("d=%d/%s", target.Dim(), m), func(t *testing.T) {
				s := DefaultSettings()
				s.Metric, s.Seed = m, 7
				checkMoments(t, sample(t, target, s).Draws, zero, func(j int) float64 { return target.sd[j] })
			})
		}
	}
}

func TestCorrelatedNormals(t *testing.T) {
	target := newRotated(10, 0.1, 10, 3) // condition number 1e4
	for _, m := range []Metric{Fisher, Diag, Dense, LowRank} {
		t.Run(string(m), func(t *testing.T) {
			s := DefaultSettings()
			s.Metric, s.Seed = m, 7
			checkMoments(t, sample(t, target, s).Draws, zero, func(j int) float64 { return math.Sqrt(target.variance[j]) })
		})
	}
}

func TestCurvedTargets(t *testing.T) {
	s := DefaultSettings()
	s.NumSamples, s.Delta, s.Seed = 4000, 0.9, 7
	for _, m := range []Metric{Unit, LowRank, Fisher, Diag, Dense} {
		s.Metric = m
		checkMoments(t, sample(t, banana{0.5}, s).Draws, zero, func(j int) float64 { return []float64{1, math.Sqrt(1.5)}[j] })
	}
	s.Metric = LowRank
	r := sample(t, funnel{4, 1}, s)
	checkMoments(t, r.Draws, zero, func(j int) float64 { return []float64{1, math.Exp(0.25), math.Exp(0.25), math.Exp(0.25)}[j] })
}

func TestTheSameSeedGivesTheSameBytesOnAnyThreads(t *testing.T) {
	bytesOf := func(target Target, threads int, seed uint64) []byte {
		s := DefaultSettings()
		s.NumWarmup, s.NumSamples, s.Threads, s.Seed, s.SaveWarmup = 100, 50, threads, seed, true
		r := sample(t, target, s)
		var b bytes.Buffer
		for i := range r.Draws.Chains {
			if err := r.Draws.WriteStan(&b, i); err != nil {
				t.Fatal(err)
			}
		}
		return b.Bytes()
	}
	for _, target := range []Target{banana{1}, spread(150, 0.1, 10)} { // the larger one makes matrix products run in parallel
		one := bytesOf(target, 1, 5)
		if !bytes.Equal(one, bytesOf(target, 4, 5)) || !bytes.Equal(one, bytesOf(target, 0, 5)) {
			t.Errorf("d=%d: threads change the draws", target.Dim())
		}
		if bytes.Equal(one, bytesOf(target, 1, 6)) {
			t.Errorf("d=%d: the seed does not change the draws", target.Dim())
		}
	}
}

func TestChainsDiffer(t *testing.T) {
	s := DefaultSettings()
	s.NumWarmup, s.NumSamples = 20, 5
	d := sample(t, isotropic(2), s).Draws
	if slices.Equal(d.Chains[0].Params[0], d.Chains[1].Params[0]) {
		t.Error("chains 1 and 2 are equal")
	}
}

func TestTransitionsDoNotAllocate(t *testing.T) {
	for _, m := range []Metric{Unit, Diag, Dense, Fisher, LowRank} {
		s := DefaultSettings()
		s.Metric = m
		c := newChain(1, newRotated(6, 0.3, 3, 1), s, new(atomic.Bool), nil)
		if err := errors.Join(c.initialise(), c.warmUp(false)); err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(50, func() { c.tree.transition(c.at, c.eps) }); n != 0 {
			t.Errorf("%s: %v allocations a transition", m, n)
		}
	}
}

// interrupting counts gradients, and calls cancel at number `after`.
type interrupting struct {
	Target
	after  int64
	count  *atomic.Int64
	cancel func()
}

func (t interrupting) LogDensityGrad(q, grad []float64) (float64, error) {
	if t.count.Add(1) == t.after {
		t.cancel()
	}
	return t.Target.LogDensityGrad(q, grad)
}

func TestCancellationKeepsWhatIsDrawn(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	target := interrupting{isotropic(3), 20000, new(atomic.Int64), cancel}
	s := DefaultSettings()
	s.NumWarmup, s.NumSamples, s.NumChains, s.Threads = 100, 1_000_000, 2, 1 // the second never starts
	r, err := Sample(ctx, same(target), s)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("err = %v", err)
	}
	if n := r.Draws.Chains[0].Len(); n == 0 || n >= 1_000_000 || r.Draws.Chains[1].Len() != 0 {
		t.Errorf("chains kept %d and %d draws", n, r.Draws.Chains[1].Len())
	}
	var b bytes.Buffer
	if err := r.Draws.WriteStan(&b, 0); err != nil {
		t.Fatal(err)
	}
	if d, err := chains.Read(&b, "cut"); err != nil || d.Chains[0].Len() != r.Draws.Chains[0].Len() {
		t.Errorf("the file of a run cut short: %v", err)
	}
}

func TestCancellationStopsInsideATrajectory(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	target := interrupting{isotropic(2), 500, new(atomic.Int64), cancel}
	s := DefaultSettings()
	s.NumChains, s.NumWarmup, s.MaxDepth = 1, 0, 30
	s.Reuse = &chains.Adapted{StepSize: 1e-9} // half a turn takes 3e9 leapfrogs
	r, err := Sample(ctx, same(target), s)
	if !errors.Is(err, context.Canceled) || r.Draws.Chains[0].Len() != 0 {
		t.Errorf("err = %v, %d draws", err, r.Draws.Chains[0].Len())
	}
}

func TestNothingIsDrawnAfterCancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	target := interrupting{isotropic(2), -1, new(atomic.Int64), cancel}
	if _, err := Sample(ctx, same(target), DefaultSettings()); !errors.Is(err, context.Canceled) || target.count.Load() != 0 {
		t.Errorf("err = %v after %d gradients", err, target.count.Load())
	}
}

// outside is a recoverable error, as densities return outside their support.
type outside struct{}

func (outside) Error() string     { return "outside the support" }
func (outside) Recoverable() bool { return true }

// wall is a standard normal density that ends at an edge. Beyond the edge, answer gives the result.
type wall struct {
	edge   float64
	answer func() (float64, error)
}

func (wall) Dim() int { return 1 }

func (t wall) LogDensityGrad(q, grad []float64) (float64, error) {
	if q[0] > t.edge {
		return t.answer()
	}
	grad[0] = -q[0]
	return -q[0] * q[0] / 2, nil
}

func TestPointsWithoutDensityAreDivergences(t *testing.T) {
	for name, answer := range map[string]func() (float64, error){
		"recoverable error": func() (float64, error) { return 0, fmt.Errorf("model: %w", outside{}) },
		"-Inf":              func() (float64, error) { return math.Inf(-1), nil },
		"+Inf":              func() (float64, error) { return math.Inf(1), nil },
		"NaN":               func() (float64, error) { return math.NaN(), nil },
	} {
		s := DefaultSettings()
		s.Seed, s.NumSamples = 3, 300
		r := sample(t, wall{1, answer}, s)
		if len(r.Divergences) == 0 || len(r.Divergences) != r.Draws.Divergences() {
			t.Fatalf("%s: %d divergences with their place, %d in the draws", name, len(r.Divergences), r.Draws.Divergences())
		}
		for _, d := range r.Divergences {
			if !(d.At[0] > 1) || d.From[0] > 1 || !math.IsInf(d.Energy, 1) {
				t.Fatalf("%s: divergence %+v", name, d)
			}
			if (name == "recoverable error") != (d.Reason == "model: outside the support") {
				t.Fatalf("%s: reason %q", name, d.Reason)
			}
		}
		for _, x := range r.Draws.Param(0) {
			if slices.Max(x) > 1 {
				t.Errorf("%s: a draw lies beyond the wall", name)
			}
		}
	}
}

func TestFailuresStopTheirChainOnly(t *testing.T) {
	broken := errors.New("disk on fire")
	s := DefaultSettings()
	s.NumWarmup, s.NumSamples, s.NumChains = 50, 50, 3
	r, err := Sample(context.Background(), func(chain int) Target {
		if chain == 1 {
			return wall{-3, func() (float64, error) { return 0, broken }}
		}
		return isotropic(1)
	}, s)
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "chain 2: initial values: disk on fire") {
		t.Errorf("err = %v", err)
	}
	for i, want := range []int{50, 0, 50} {
		if got := r.Draws.Chains[i].Len(); got != want {
			t.Errorf("chain %d has %d draws, want %d", i+1, got, want)
		}
	}
	if got := len(r.Draws.Param(0)); got != 2 {
		t.Errorf("diagnostics see %d chains", got)
	}
}

func TestInitialValues(t *testing.T) {
	s := DefaultSettings()
	s.NumChains, s.NumWarmup, s.NumSamples = 1, 10, 10
	outside := func() (float64, error) { return math.Inf(-1), nil }
	if _, err := Sample(context.Background(), same(wall{-5, outside}), s); err != nil {
		t.Errorf("no start on (-2, 2): %v", err)
	}
	nowhere := wall{-9, outside}
	_, err := Sample(context.Background(), same(nowhere), s)
	if err == nil || !strings.Contains(err.Error(), "100 tries in (-2, 2) and beyond, up to (-8, 8),") || !strings.Contains(err.Error(), "log density is -Inf") {
		t.Errorf("no place: %v", err)
	}
	s.Inits = [][]float64{{-10}}
	if _, err := Sample(context.Background(), same(nowhere), s); err != nil {
		t.Errorf("given initial values: %v", err)
	}
	s.Inits = [][]float64{{-10, 1}}
	if _, err := Sample(context.Background(), same(nowhere), s); err == nil || !strings.Contains(err.Error(), "2 for 1 dimensions") {
		t.Errorf("too many initial values: %v", err)
	}
}

// cliff is a density whose gradient is a given number that is not finite.
type cliff float64

func (cliff) Dim() int { return 1 }

func (c cliff) LogDensityGrad(q, grad []float64) (float64, error) {
	grad[0] = float64(c)
	return 0, nil
}

func TestInitialGradientIsFinite(t *testing.T) {
	s := DefaultSettings()
	for value, name := range map[float64]string{math.Inf(1): "+Inf", math.Inf(-1): "-Inf"} {
		_, err := Sample(context.Background(), same(cliff(value)), s)
		if err == nil || !strings.Contains(err.Error(), "gradient of coordinate 1 is "+name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// slope is a constant, improper density.
type flat struct{}

func (flat) Dim() int { return 1 }

func (flat) LogDensityGrad(q, grad []float64) (float64, error) {
	grad[0] = 0
	return 0, nil
}

func TestImproperDensityIsToldSo(t *testing.T) {
	s := DefaultSettings()
	for _, m := range []Metric{Diag, Fisher} {
		s.Metric = m
		if _, err := Sample(context.Background(), same(flat{}), s); !errors.Is(err, errStepTooLong) {
			t.Errorf("%s: %v", m, err)
		}
	}
}

// TestDefaultsAreStans compares with the defaults of CmdStan's manual, "MCMC Sampling using Hamiltonian Monte Carlo".
func TestDefaultsAreStans(t *testing.T) {
	s := DefaultSettings()
	got := []float64{float64(s.NumChains), float64(s.NumWarmup), float64(s.NumSamples), float64(s.Thin), float64(s.MaxDepth), s.StepSize,
		s.Jitter, float64(s.InitBuffer), float64(s.TermBuffer), float64(s.Window), s.Init}
	if want := []float64{4, 1000, 1000, 1, 10, 1, 0, 75, 50, 25, 2}; !slices.Equal(got, want) {
		t.Errorf("defaults %v, want %v", got, want)
	}
}

func TestSettingsAreValidated(t *testing.T) {
	for want, spoil := range map[string]func(*Settings){
		"num_chains = 0": func(s *Settings) { s.NumChains = 0 },
		"num_warmup":     func(s *Settings) { s.NumWarmup = -1 },
		"num_samples":    func(s *Settings) { s.NumSamples = 0 },
		"delta = 1":      func(s *Settings) { s.Delta = 1 },
		"delta = NaN":    func(s *Settings) { s.Delta = math.NaN() },
		"max_depth = 31": func(s *Settings) { s.MaxDepth = 31 },
		`metric = "x"`:   func(s *Settings) { s.Metric = "x" },
		"stepsize = 0":   func(s *Settings) { s.StepSize = 0 },
		"jitter = 2":     func(s *Settings) { s.Jitter = 2 },
		"init = -1":      func(s *Settings) { s.Init = -1 },
		"1 positions":    func(s *Settings) { s.Inits = [][]float64{{0}} },
	} {
		s := DefaultSettings()
		spoil(&s)
		if _, err := Sample(context.Background(), same(isotropic(1)), s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestReusedAdaptationIsKept(t *testing.T) {
	target := independent{[]float64{0.5, 2}}
	for _, metric := range [][][]float64{{{0.25, 4}}, {{0.25, 0.1}, {0.1, 4}}} {
		s := DefaultSettings()
		s.NumWarmup, s.NumSamples = 5, 500
		s.Reuse = &chains.Adapted{StepSize: 0.9, InvMetric: metric}
		r := sample(t, target, s)
		a := r.Draws.Chains[0].Adapted
		for i, row := range metric {
			for j, want := range row {
				if a.StepSize != 0.9 || !(math.Abs(a.InvMetric[i][j]-want) <= 1e-12) {
					t.Errorf("adapted: %+v", a)
				}
			}
		}
		checkMoments(t, r.Draws, zero, func(j int) float64 { return target.sd[j] })
		if _, err := Sample(context.Background(), same(isotropic(3)), s); err == nil || !strings.Contains(err.Error(), "for 3 dimensions") {
			t.Errorf("metric of another dimension: %v", err)
		}
	}
}

func TestProgressAndGradientsAreCounted(t *testing.T) {
	var calls, last [2]int
	var count atomic.Int64
	s := DefaultSettings()
	s.NumChains, s.NumWarmup, s.NumSamples, s.Report, s.SaveWarmup = 2, 100, 55, 20, true
	s.Progress = func(p Progress) {
		calls[p.Chain-1]++
		last[p.Chain-1] = p.Iteration
		if p.Warmup != (p.Iteration <= 100) || p.Total != 155 {
			t.Errorf("%+v", p)
		}
	}
	r := sample(t, interrupting{isotropic(2), -1, &count, nil}, s)
	if calls != [2]int{8, 8} || last != [2]int{155, 155} {
		t.Errorf("%v calls, last %v", calls, last)
	}
	if got := r.Draws.TotalGradients(); int64(got) != count.Load() {
		t.Errorf("%d gradients reported of %d", got, count.Load())
	}
	for i := range r.Draws.Chains {
		c, leapfrogs := &r.Draws.Chains[i], 0
		for _, n := range c.Leapfrogs {
			leapfrogs += n
		}
		if c.Gradients != leapfrogs || c.Warmup.Len() != 100 || c.Len() != 55 {
			t.Errorf("chain %d: %d gradients, %d leapfrogs, %d and %d draws", i+1, c.Gradients, leapfrogs, c.Warmup.Len(), c.Len())
		}
	}
}

func TestThinningKeepsEveryNth(t *testing.T) {
	s := DefaultSettings()
	s.NumChains, s.NumWarmup, s.NumSamples, s.SaveWarmup = 1, 30, 10, true
	all := sample(t, isotropic(1), s).Draws.Chains[0]
	s.Thin = 3
	some := sample(t, isotropic(1), s).Draws.Chains[0]
	if some.Len() != 4 || some.Params[0][1] != all.Params[0][3] || some.Warmup.Len() != 10 {
		t.Errorf("thinned: %v of %v, %d of warm-up", some.Params[0], all.Params[0], some.Warmup.Len())
	}
}

// Seeds, streams and chains give different random numbers, also if they are neighbours or differ only in high bits.
func TestNoTwoChainsShareTheirRandomNumbers(t *testing.T) {
	seen := map[uint64]string{}
	for _, seed := range []uint64{0, 1, 2, 1 << 32, 1<<32 + 1, 1 << 63, math.MaxUint64} {
		for _, stream := range []uint64{0, 1, 2, 1 << 32, 1 << 63, stream.Of("0"), stream.Of("1"), stream.Of("s1"), stream.Of("s2")} {
			for chain := 1; chain < 5; chain++ {
				name := fmt.Sprintf("seed %d, stream %d, chain %d", seed, stream, chain)
				first := source(seed, stream, chain).Uint64()
				if other := seen[first]; other != "" {
					t.Errorf("%s begins as %s does", name, other)
				}
				seen[first] = name
			}
		}
	}
	if stream.Of("") != 0 {
		t.Error("work without a name has another stream than 0")
	}
}

// nowhere is a density that is 0 at all points, with a given error.
type nowhere struct{ err error }

func (nowhere) Dim() int { return 1 }

func (n nowhere) LogDensityGrad(q, grad []float64) (float64, error) { return math.Inf(-1), n.err }

func TestChainsThatFailAlikeAreToldOnce(t *testing.T) {
	s := DefaultSettings()
	s.NumChains = 3
	r, err := Sample(context.Background(), func(chain int) Target {
		if chain == 1 {
			return nowhere{errors.New("burnt")}
		}
		return nowhere{errors.New("flat")}
	}, s)
	if err == nil || err.Error() != "chains 1, 3: initial values: flat\nchain 2: initial values: burnt" || !slices.Equal(r.Failed, []int{1, 2, 3}) {
		t.Errorf("%v; failed: %v", err, r.Failed)
	}
}

func TestDeltaDependsOnTheMetric(t *testing.T) {
	for m, want := range map[Metric]float64{LowRank: 0.9, Fisher: 0.9, Diag: 0.8, Dense: 0.8, Unit: 0.8} {
		s := DefaultSettings()
		s.Metric, s.NumWarmup, s.NumSamples = m, 20, 4
		if got := sample(t, isotropic(2), s).Draws.Run.Delta; got != want {
			t.Errorf("%s: delta %v, want %v", m, got, want)
		}
		s.Delta = 0.7
		if got := sample(t, isotropic(2), s).Draws.Run.Delta; got != 0.7 {
			t.Errorf("%s: delta %v, want the one that was asked for", m, got)
		}
	}
}

// TestCoordinatesAreCounted: coordinates are numbered from 1, and the phases of the warm-up are fixed shares of it.
func TestCoordinatesAreCounted(t *testing.T) {
	s := DefaultSettings()
	s.NumWarmup, s.NumSamples, s.NumChains = 50, 5, 2
	r, err := Sample(context.Background(), same(isotropic(3)), s)
	if err != nil {
		t.Fatal(err)
	}
	if names := r.Draws.Names; !slices.Equal(names, []string{"q[1]", "q[2]", "q[3]"}) {
		t.Errorf("names %v", names)
	}
	s.NumWarmup = 1000
	if g := newGradientBased(&s, 3); g.early != 300 || g.final != 850 || g.window != 80 {
		t.Errorf("phases end at %d and %d, first window %d", g.early, g.final, g.window)
	}
}

// TestWindowsFillOrStay: a window that would not be full before the last phase is not begun. Windows before that grow by half.
func TestWindowsFillOrStay(t *testing.T) {
	s := DefaultSettings()
	s.NumWarmup, s.Metric = 1000, Fisher
	for _, c := range []struct{ iteration, drawn, window int }{
		{299, 80, 80},  // early windows are short and do not grow
		{400, 79, 80},  // the window is not full yet
		{400, 80, 120}, // grows
		{730, 80, 120}, // the next window ends at 850
		{731, 80, 80},  // the next window would end after 850
	} {
		g := newGradientBased(&s, 1)
		for range c.drawn {
			g.background.draws.add([]float64{1})
		}
		before := g.background
		g.switchWindows(c.iteration)
		switched := g.foreground == before
		if g.window != c.window || switched != (c.iteration < 300 || c.window == 120) || switched && g.background.draws.count != 0 {
			t.Errorf("%d draws at iteration %d: window %d, switched %v", c.drawn, c.iteration, g.window, switched)
		}
	}
}

// In many dimensions, a run stores only the diagonal of the metric, and its header says so. This holds whether or not the metric
// has other directions.
func TestMetricOfManyDimensions(t *testing.T) {
	for _, dim := range []int{5, maxFullMetric + 1} {
		s := DefaultSettings()
		s.NumChains, s.NumWarmup, s.NumSamples, s.MaxDepth = 1, 30, 2, 3
		r, err := Sample(t.Context(), func(int) Target { return isotropic(dim) }, s)
		if err != nil {
			t.Fatal(err)
		}
		rows, metric := dim, Dense
		if dim > maxFullMetric {
			rows, metric = 1, Diag
		}
		if got := r.Draws.Chains[0].Adapted.InvMetric; len(got) != rows || len(got[0]) != dim || r.Draws.Run.Metric != string(metric) {
			t.Errorf("%d dimensions: %d rows of the inverse metric, %s; want %d, %s", dim, len(got), r.Draws.Run.Metric, rows, metric)
		}
	}
}
