package ssm

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// signedCDF is the distribution function of choice·(rt - t), which carries
// both choice and response time in one continuous variable.
func signedCDF(x float64, theta []float64) float64 {
	lower := cdf(math.Inf(1), -1, theta)
	if x < 0 {
		return lower - cdf(theta[3]-x, -1, theta)
	}
	return lower + cdf(theta[3]+x, 1, theta)
}

// kolmogorov returns √n times the largest distance between the distribution
// functions of the trials and of the model.
func kolmogorov(rt, choice, theta []float64) float64 {
	x := make([]float64, len(rt))
	for i := range rt {
		x[i] = choice[i] * (rt[i] - theta[3])
	}
	slices.Sort(x)
	n, worst := float64(len(x)), 0.0
	for i, v := range x {
		f := signedCDF(v, theta)
		worst = max(worst, f-float64(i)/n, float64(i+1)/n-f)
	}
	return worst * math.Sqrt(n)
}

func simulate(t testing.TB, model string, seed uint64, theta []float64, scheme Scheme, n int) (rt, choice []float64) {
	t.Helper()
	m, err := Lookup(model)
	if err != nil {
		t.Fatal(err)
	}
	rt, choice = make([]float64, n), make([]float64, n)
	if err := m.Simulate(NewRand(seed, 0), theta, scheme, rt, choice); err != nil {
		t.Fatal(err)
	}
	return rt, choice
}

// TestExactSamplerAgainstCDF is a Kolmogorov-Smirnov test at each of 50 parameter vectors, some of them corners
// of the ranges or beyond the ranges. If the sampler is exact, one statistic exceeds 2.3 with probability 5e-5,
// and at least one of the 50 with probability 0.0025.
func TestExactSamplerAgainstCDF(t *testing.T) {
	thetas := [][]float64{
		{0, 1, 0.5, 0}, {3, 2.5, 0.1, 0}, {-3, 2.5, 0.1, 2}, {3, 0.3, 0.9, 0}, {-3, 0.3, 0.1, 0},
		{0, 0.3, 0.1, 0}, {0, 2.5, 0.9, 1}, {6, 5, 0.01, 0}, {-6, 5, 0.5, 0}, {0.01, 5, 0.999, 0},
		{10, 3, 0.5, 0.2}, {0, 1, 1e-4, 0}, {1, 1, 0.25, 0}, {1, 1, 0.75, 0}, {2, 1, 0.375, 0},
	}
	r := rand.New(rand.NewPCG(7, 0))
	for len(thetas) < 50 {
		thetas = append(thetas, inside(r))
	}
	worst := 0.0
	for i, theta := range thetas {
		rt, choice := simulate(t, "ddm", uint64(i), theta, ExactScheme(), 20000)
		d := kolmogorov(rt, choice, theta)
		worst = max(worst, d)
		if !(d < 2.3) {
			t.Errorf("theta %v: statistic %v", theta, d)
		}
	}
	t.Logf("largest statistic %.3g", worst)
}

// TestKolmogorovNoticesTheTimeStep shows the power of the test above: it must
// reject the biased scheme.
func TestKolmogorovNoticesTheTimeStep(t *testing.T) {
	theta := []float64{0, 0.5, 0.5, 0.3}
	rt, choice := simulate(t, "ddm", 1, theta, EulerScheme(), 20000)
	if d := kolmogorov(rt, choice, theta); d < 2.3 {
		t.Errorf("statistic %v for the Euler scheme", d)
	}
}

// TestEulerBias documents the scheme's bias: without drift the mean decision
// time is a², and the scheme's is that of a boundary at a + 0.5826 √dt.
func TestEulerBias(t *testing.T) {
	for _, c := range []struct {
		a, step float64
		n       int
	}{{1, 0.001, 20000}, {0.3, 0.001, 100000}, {0.3, 0.0001, 20000}} {
		scheme := Scheme{Step: c.step, MaxTime: 20}
		rt, _ := simulate(t, "ddm", 2, []float64{0, c.a, 0.5, 0.4}, scheme, c.n)
		got := mean(rt) - 0.4
		shifted := c.a + 0.5826*math.Sqrt(c.step)
		se := math.Sqrt(2.0/3/float64(c.n)) * shifted * shifted
		t.Logf("a %v dt %v: mean decision time %.4f, exact %.4f", c.a, c.step, got, c.a*c.a)
		if !(math.Abs(got-shifted*shifted) <= 4*se) {
			t.Errorf("a %v dt %v: mean decision time %v, want %v ± %v", c.a, c.step, got, shifted*shifted, se)
		}
	}
}

// TestExactMoments compares simulated trials that start in the middle with the mean decision time (a/v) tanh(av) and the choice probability.
func TestExactMoments(t *testing.T) {
	const n = 200000
	theta := []float64{0.8, 1.1, 0.5, 0.2}
	rt, choice := simulate(t, "ddm", 3, theta, ExactScheme(), n)
	x := theta[0] * theta[1]
	if got, want := mean(rt)-0.2, theta[1]/theta[0]*math.Tanh(x); !(math.Abs(got-want) <= 0.01) {
		t.Errorf("mean decision time %v, want %v", got, want)
	}
	if got, want := mean(choice), math.Tanh(x); !(math.Abs(got-want) <= 0.008) {
		t.Errorf("mean choice %v, want %v", got, want)
	}
}

func mean(x []float64) float64 {
	total := 0.0
	for _, v := range x {
		total += v
	}
	return total / float64(len(x))
}

// TestCollapsingModelsDegenerate checks the Euler models where they must equal
// the ddm: an angle of 0, a Weibull collapse later than all trials, no leak, a collapsing share of 0, no transient drift, items that all
// contribute the same drift.
func TestCollapsingModelsDegenerate(t *testing.T) {
	scheme := EulerScheme()
	want, wantChoice := simulate(t, "ddm", 4, []float64{0.5, 1, 0.4, 0.3}, scheme, 200)
	for _, c := range []struct {
		model string
		theta []float64
	}{
		{"angle", []float64{0.5, 1, 0.4, 0.3, 0}},
		{"weibull", []float64{0.5, 1, 0.4, 0.3, 3, 1e9}},
		{"ornstein", []float64{0.5, 1, 0.4, 0, 0.3}},
		{"hyperbolic", []float64{0.5, 1, 0.4, 0.3, 0, 1}},
		{"gamma_drift", []float64{0.5, 1, 0.4, 0.3, 0, 0.2, 2}},
		{"shrinking_spotlight", []float64{1, 0.4, 0.3, 0.5, 0.5, 0.5, 2, 3}},
	} {
		rt, choice := simulate(t, c.model, 4, c.theta, scheme, 200)
		if !slices.Equal(rt, want) || !slices.Equal(choice, wantChoice) {
			t.Errorf("%s at %v differs from ddm", c.model, c.theta)
		}
	}
}

// TestCollapseBoundsTime checks that an angle ends every trial at a/tan(theta)
// and that a leak slows decisions down.
func TestCollapseBoundsTime(t *testing.T) {
	rt, _ := simulate(t, "angle", 5, []float64{0, 1, 0.5, 0.3, 1}, EulerScheme(), 500)
	if last := slices.Max(rt); last > 0.3+1/math.Tan(1)+0.002 {
		t.Errorf("a decision at %v, after the bounds have met", last)
	}
	leaky, _ := simulate(t, "ornstein", 5, []float64{0, 1, 0.5, 1, 0.3}, EulerScheme(), 1000)
	free, _ := simulate(t, "ornstein", 5, []float64{0, 1, 0.5, -1, 0.3}, EulerScheme(), 1000)
	if mean(leaky) < 1.3*mean(free) {
		t.Errorf("mean rt %v with leak, %v with its opposite", mean(leaky), mean(free))
	}
}

func TestSimulateIsReproducible(t *testing.T) {
	theta := []float64{0.5, 1, 0.4, 0.3}
	a, ca := simulate(t, "ddm", 9, theta, ExactScheme(), 1000)
	b, cb := simulate(t, "ddm", 9, theta, ExactScheme(), 1000)
	if !slices.Equal(a, b) || !slices.Equal(ca, cb) {
		t.Error("the same seed gave other trials")
	}
	c, _ := simulate(t, "ddm", 10, theta, ExactScheme(), 1000)
	if slices.Equal(a, c) {
		t.Error("another seed gave the same trials")
	}
	for i, x := range a {
		if !(x > theta[3]) || ca[i] != 1 && ca[i] != -1 {
			t.Fatalf("trial %d: rt %v choice %v", i, x, ca[i])
		}
	}
}

func TestSimulateRefuses(t *testing.T) {
	ddm, _ := Lookup("ddm")
	angle, _ := Lookup("angle")
	good := []float64{0, 1, 0.5, 0}
	for _, c := range []struct {
		model  *Model
		theta  []float64
		scheme Scheme
		n      int
		want   string
	}{
		{ddm, good, ExactScheme(), 2, "1 response times but 2 choices"},
		{ddm, []float64{0, 1, 0.5}, ExactScheme(), 1, "3 parameters, want 4"},
		{ddm, []float64{0, -1, 0.5, 0}, ExactScheme(), 1, "a = -1"},
		{ddm, []float64{0, 1, 1, 0}, ExactScheme(), 1, "z = 1"},
		{ddm, []float64{math.NaN(), 1, 0.5, 0}, ExactScheme(), 1, "v = NaN"},
		{ddm, good, Scheme{Step: -1, MaxTime: 1}, 1, "not both positive"},
		{angle, []float64{0, 1, 0.5, 0.1, 0.2}, ExactScheme(), 1, "no exact sampler"},
	} {
		err := c.model.Simulate(NewRand(1, 1), c.theta, c.scheme, make([]float64, 1), make([]float64, c.n))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	if _, err := SchemeNamed("milstein"); err == nil || !strings.Contains(err.Error(), "exact, bridge, euler") {
		t.Errorf("unknown scheme: %v", err)
	}
}

func BenchmarkSampler(b *testing.B) {
	const n = 1000
	ddm, _ := Lookup("ddm")
	rt, choice := make([]float64, n), make([]float64, n)
	for _, c := range []struct {
		name   string
		theta  []float64
		scheme Scheme
	}{
		{"centred", []float64{0.8, 1.2, 0.5, 0.3}, ExactScheme()},
		{"asymmetric", []float64{0.8, 1.2, 0.37, 0.3}, ExactScheme()},
		{"corner", []float64{3, 2.5, 0.1, 0.3}, ExactScheme()},
		{"euler", []float64{0.8, 1.2, 0.37, 0.3}, EulerScheme()},
	} {
		b.Run(c.name, func(b *testing.B) {
			r := NewRand(1, 0)
			for b.Loop() {
				if err := ddm.Simulate(r, c.theta, c.scheme, rt, choice); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "trials/s")
		})
	}
}

// If response times overflow or underflow, simulation returns an error that names the parameters, not trials that readers of data files
// reject.
func TestSimulateRefusesTimesThatAreNoNumbers(t *testing.T) {
	m, err := Lookup("ddm")
	if err != nil {
		t.Fatal(err)
	}
	rt, choice := make([]float64, 5), make([]float64, 5)
	for want, theta := range map[string][]float64{
		"a=1e+200,z=0.5,t=0.2 gives a response time of +Inf": {1, 1e200, 0.5, 0.2},
		"a=1e+308,z=0.5,t=0.2 gives a response time of NaN":  {1e308, 1e308, 0.5, 0.2},
	} {
		if err := m.Simulate(NewRand(1, 0), theta, ExactScheme(), rt, choice); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if err := m.Simulate(NewRand(1, 0), []float64{1, 1e-200, 0.5, 0}, ExactScheme(), rt, choice); err != nil {
		t.Errorf("times that are short but positive: %v", err)
	}
}
