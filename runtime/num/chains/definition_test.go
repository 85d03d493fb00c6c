package chains

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"likc/runtime/num/statistic"
)

// autoregressive returns chains of draws x' = φx + noise, where φ is phi. If skewed, it returns their exponentials, shifted differently
// for each chain.
func autoregressive(rng *rand.Rand, chains, draws int, phi float64, skewed bool) [][]float64 {
	x := make([][]float64, chains)
	for c := range x {
		v := rng.NormFloat64()
		for range draws {
			v = phi*v + rng.NormFloat64()
			if skewed {
				x[c] = append(x[c], math.Exp(v)+0.2*float64(c))
			} else {
				x[c] = append(x[c], v)
			}
		}
	}
	return x
}

// sizeByDefinition returns the effective sample size of the mean, straight from the definition: autocovariances are plain sums, and
// Geyer's pairs are kept in a list. [vehtari2021], eq. 10-13.
func sizeByDefinition(x [][]float64) float64 {
	m, n := float64(len(x)), len(x[0])
	covariance := make([]float64, n)
	var means []float64
	for _, chain := range x {
		mean := 0.0
		for _, v := range chain {
			mean += v / float64(n)
		}
		means = append(means, mean)
		for t := range n {
			for k := range n - t {
				covariance[t] += (chain[k] - mean) * (chain[k+t] - mean) / float64(n) / m
			}
		}
	}
	grand, between := 0.0, 0.0
	for _, v := range means {
		grand += v / m
	}
	for _, v := range means {
		between += (v - grand) * (v - grand) / (m - 1)
	}
	within := covariance[0] * float64(n) / float64(n-1)
	total := covariance[0]
	if m > 1 {
		total += between
	}
	rho := func(t int) float64 {
		if t == 0 {
			return 1
		}
		return 1 - (within-covariance[t])/total
	}
	var pairs []float64
	k := 0
	for ; 2*k < n-5 && rho(2*k)+rho(2*k+1) > 0; k++ {
		pairs = append(pairs, rho(2*k)+rho(2*k+1))
		if k > 0 {
			pairs[k] = min(pairs[k], pairs[k-1])
		}
	}
	tau := -1 + max(rho(2*k), 0) // of the first pair that is dropped, the even lag still counts
	for _, p := range pairs {
		tau += 2 * p
	}
	size := m * float64(n)
	return size / max(tau, 1/math.Log10(size))
}

func near(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance*math.Abs(want) }

// halves returns both halves of each chain. Figures are effective sample sizes of half chains, after a map of their draws.
func halves(x [][]float64) (list [][]float64) {
	for _, c := range x {
		list = append(list, c[:len(c)/2], c[(len(c)+1)/2:])
	}
	return list
}

func mapped(x [][]float64, f func(v float64) float64) (list [][]float64) {
	for _, c := range x {
		var row []float64
		for _, v := range c {
			row = append(row, f(v))
		}
		list = append(list, row)
	}
	return list
}

// TestSizesFollowTheirDefinitions computes every effective sample size and standard error from first principles.
func TestSizesFollowTheirDefinitions(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	tails := 0
	for _, c := range []struct {
		chains, draws int
		phi           float64
		skewed        bool
	}{{4, 100, 0, false}, {4, 101, 0.5, false}, {2, 250, 0.9, false}, {1, 80, 0.7, false}, {4, 120, -0.6, false}, {4, 200, 0.8, true}, {3, 64, 0.97, true}, {4, 333, 0.3, true}, {2, 14, 0, false}} {
		x := autoregressive(rng, c.chains, c.draws, c.phi, c.skewed)
		all := slices.Sorted(slices.Values(slices.Concat(x...)))
		n := float64(len(all))
		mean, square := 0.0, 0.0
		for _, v := range all {
			mean += v / n
		}
		for _, v := range all {
			square += (v - mean) * (v - mean)
		}
		quantileSize := func(p float64) float64 {
			q := statistic.Quantile(all, p) // checked by hand elsewhere
			return sizeByDefinition(halves(mapped(x, func(v float64) float64 {
				if v <= q {
					return 1
				}
				return 0
			})))
		}
		ofMean := sizeByDefinition(halves(x))
		ofSD := sizeByDefinition(halves(mapped(x, func(v float64) float64 { return (v - mean) * (v - mean) })))
		fourth := 0.0
		for _, v := range all {
			fourth += math.Pow(v-mean, 4) / n
		}
		variance := square / n
		low, high := quantileSize(0.05), quantileSize(0.95)
		if low > high {
			tails |= 1
		} else if low < high {
			tails |= 2
		}
		for name, f := range map[string]struct{ got, want float64 }{
			"size of the mean":      {MeanESS(x), ofMean},
			"size of the sd":        {SDESS(x), ofSD},
			"size of the tail":      {TailESS(x), min(low, high)},
			"size of the median":    {QuantileESS(x, 0.5), quantileSize(0.5)},
			"error of the mean":     {MCSEMean(x), math.Sqrt(square / (n - 1) / ofMean)},
			"error of the sd":       {MCSESD(x), math.Sqrt((fourth-variance*variance)/ofSD) / (2 * math.Sqrt(variance))},
			"size without splits":   {effectiveSize(x), sizeByDefinition(x)},
			"size of what is bound": {NewMeanSize(len(x), len(x[0])).Of(x), sizeByDefinition(x)},
			"size lag by lag":       {NewMeanSize(len(x), len(x[0])).Quick(x), sizeByDefinition(x)},
		} {
			if !near(f.got, f.want, 1e-9) {
				t.Errorf("%+v: %s is %v, by its definition %v", c, name, f.got, f.want)
			}
		}
	}
	if tails != 3 {
		t.Error("one tail is always the smaller: the other was not tested")
	}
}

// TestSizesOfKnownProcesses checks that each draw of x' = φx + noise is worth (1-φ)/(1+φ) independent draws.
func TestSizesOfKnownProcesses(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for _, phi := range []float64{0, 0.5, 0.9} {
		x := autoregressive(rng, 8, 4000, phi, false)
		want := 32000 * (1 - phi) / (1 + phi)
		if !near(MeanESS(x), want, 0.12) || !near(BulkESS(x), want, 0.12) { // about three standard deviations over seeds
			t.Errorf("φ = %v: %v of the mean, %v of the bulk, want about %v", phi, MeanESS(x), BulkESS(x), want)
		}
	}
}

// TestNormalScores compares normal scores with normal quantiles of ranks, in which ties share their mean rank.
func TestNormalScores(t *testing.T) {
	got := normalScores([][]float64{{3, 1}, {3, 7}})
	cdf := func(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
	for c, want := range [][]float64{{2.5, 1}, {2.5, 4}} {
		for k, rank := range want {
			if p := (rank - 0.375) / 4.25; !near(cdf(got[c][k]), p, 1e-12) {
				t.Errorf("rank %v has the score of %v, want of %v", rank, cdf(got[c][k]), p)
			}
		}
	}
}

// TestEnergyFraction compares EBFMI with a value computed by hand. The steps 2, -1, 3 have the sum of squares 14. The energies 1 3 2 5
// deviate from their mean by -1.75 .25 -.75 2.25, with the sum of squares 8.75.
func TestEnergyFraction(t *testing.T) {
	if got, want := EBFMI([]float64{1, 3, 2, 5}), 14./4/(8.75/3); !near(got, want, 1e-14) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestWarmupIsCountedByTheHeader reads a file without the comment that ends adaptation: all columns are cut after the number of warm-up
// draws that the header gives.
func TestWarmupIsCountedByTheHeader(t *testing.T) {
	d := example()
	w, k := &d.Chains[0].Warmup, &d.Chains[0].Trace
	w.Energy, k.Energy = []float64{4.125, 1. / 3}, []float64{-math.Pi, 1e-9, 2.0000000000000004}
	k.StepSize = []float64{0.3, 0.1 + 0.2, 0.25}
	var b bytes.Buffer
	if err := d.WriteStan(&b, 0); err != nil {
		t.Fatal(err)
	}
	var text []string
	adapting := false
	for line := range strings.Lines(b.String()) {
		if strings.HasPrefix(line, "# Adaptation") {
			adapting = true
		} else if !strings.HasPrefix(line, "#") {
			adapting = false
		}
		if !adapting && !strings.HasPrefix(line, sumComment) {
			text = append(text, line)
		}
	}
	got, err := Read(strings.NewReader(strings.Join(text, "")), "chain.csv")
	if err != nil {
		t.Fatal(err)
	}
	for name, pair := range map[string][2]*Trace{"warm-up": {w, &got.Chains[0].Warmup}, "draws": {k, &got.Chains[0].Trace}} {
		if diff := cmp.Diff(pair[0], pair[1], cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s: (-written +read)\n%s", name, diff)
		}
	}
}

// TestNamesThatOnlyLookIndexed checks that numbers in names are indices only if Stan writes them: they count from 1, without a sign or a
// leading zero.
func TestNamesThatOnlyLookIndexed(t *testing.T) {
	for _, column := range []string{"x.0", "x.+1", "x.01", "x.-1", "x.1a", "x."} {
		if got := bracketed(column); got != column {
			t.Errorf("%s becomes %s", column, got)
		}
	}
	d, err := Read(strings.NewReader("5\" nail,x.2\n1,2\n3,4\n"), "f")
	if err != nil || !slices.Equal(d.Names, []string{`5" nail`, "x[2]"}) {
		t.Errorf("a name with an inch mark: %v, %v", d, err)
	}
}

// TestLenIsTheShortest checks that Len is the length of the shortest chain, whichever chain that is.
func TestLenIsTheShortest(t *testing.T) {
	of := func(lengths ...int) int {
		d := &Draws{Names: []string{"x"}}
		for _, n := range lengths {
			d.Chains = append(d.Chains, Chain{Trace: Trace{Params: [][]float64{make([]float64, n)}}})
		}
		return d.Len()
	}
	if of(3, 2, 5) != 2 || of(2, 3) != 2 || of(0, 4) != 4 || of() != 0 || of(0, 0) != 0 {
		t.Errorf("%d %d %d %d %d", of(3, 2, 5), of(2, 3), of(0, 4), of(), of(0, 0))
	}
}

// TestMeanSizeIsUsedAgain checks that results of a MeanSize do not depend on what it computed before.
func TestMeanSizeIsUsedAgain(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	first, second := autoregressive(rng, 3, 90, 0.8, false), autoregressive(rng, 3, 90, -0.4, false)
	m := NewMeanSize(3, 90)
	if a, b, again := m.Of(first), m.Of(second), m.Of(first); a != again || !near(b, sizeByDefinition(second), 1e-9) {
		t.Errorf("%v, then %v, then %v", a, b, again)
	}
}

// TestColumnsAreChains checks that comments are skipped on every line, and that errors name the line.
func TestColumnsAreChains(t *testing.T) {
	d, err := ReadChainColumns(strings.NewReader("# made by hand\none,two\n1,2\n# halfway\n3,4\n"), "f", "x")
	if err != nil || len(d.Chains) != 2 || !slices.Equal(d.Chains[1].Params[0], []float64{2, 4}) || d.Chains[1].ID != 2 {
		t.Errorf("%+v, %v", d, err)
	}
	if d, err = ReadChainColumns(strings.NewReader("one\n7\n"), "f", "x"); err != nil || d.Len() != 1 {
		t.Errorf("one draw: %+v, %v", d, err)
	}
	for text, want := range map[string]string{
		"one,two\n":           "f:1: no draw",
		"one,two\n1,two\n":    `f:2: column two: "two" is not a number`,
		"one,two\n1,2\n3\n":   "f:3: ",
		"one,two\n1,2,nine\n": `f:2: column 3: "nine" is not a number`,
	} {
		if _, err := ReadChainColumns(strings.NewReader(text), "f", "x"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestNothingFollowsTheSum checks that only empty lines are accepted below the sum.
func TestNothingFollowsTheSum(t *testing.T) {
	var b bytes.Buffer
	if err := example().WriteStan(&b, 0); err != nil {
		t.Fatal(err)
	}
	for more, ok := range map[string]bool{"\n \n": true, "1,2,3\n": false, "# more\n": false} {
		if _, err := Read(strings.NewReader(b.String()+more), "f"); (err == nil) != ok {
			t.Errorf("%q below the sum: %v", more, err)
		}
	}
}

// TestDiagnosisInWords checks that a diagnosis ends with advice, and gives shares in per cent.
func TestDiagnosisInWords(t *testing.T) {
	good, bad := Diagnosis{{Text: "fine", OK: true}}, Diagnosis{{Text: "fine", OK: true}, {Text: "not fine"}}
	if text := good.String(); !strings.HasSuffix(text, "fine\n\nNo problems detected.\n") {
		t.Error(text)
	}
	if text := bad.String(); !strings.Contains(text, "not fine\n\nProblems detected") || strings.Contains(text, "No problems") {
		t.Error(text)
	}
	if got := share(1, 8); got != "1 of 8 (12.50%)" {
		t.Error(got)
	}
}

// TestJoinKeepsNumbers checks that Join keeps the numbers of chains if they differ.
func TestJoinKeepsNumbers(t *testing.T) {
	of := func(id int) *Draws { return &Draws{Names: []string{"x"}, Chains: []Chain{{ID: id}}} }
	d, err := Join(of(4), of(2))
	if err != nil || d.Chains[0].ID != 4 || d.Chains[1].ID != 2 {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestQuantilesBetweenDraws checks that a quantile that falls on a draw is that draw, even if the next draw is infinite.
func TestQuantilesBetweenDraws(t *testing.T) {
	x := []float64{math.Inf(-1), 0, math.Inf(1)}
	if statistic.Quantile(x, 0.5) != 0 || !math.IsInf(statistic.Quantile(x, 0), -1) || !math.IsInf(statistic.Quantile(x, 1), 1) || !math.IsInf(statistic.Quantile(x, 0.6), 1) {
		t.Errorf("%v %v %v %v", statistic.Quantile(x, 0), statistic.Quantile(x, 0.5), statistic.Quantile(x, 0.6), statistic.Quantile(x, 1))
	}
}

// TestHeaderCountsIterations checks that the header of a file with every third draw counts all iterations, as Stan's does.
func TestHeaderCountsIterations(t *testing.T) {
	d := example()
	d.Run.Thin = 3
	var b bytes.Buffer
	if err := d.WriteStan(&b, 0); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"num_samples = 9\n", "num_warmup = 6\n", "thin = 3\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
