package posterior

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// drawn returns n sorted draws of a prior, restricted to a range.
func drawn(t testing.TB, text string, low, high float64, n int) []float64 {
	t.Helper()
	s, err := (&Parameter{Name: "p", Lower: low, Upper: high, Prior: mustParse(t, text)}).Sampler()
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, n)
	for i := range x {
		if x[i] = s.Draw(rng); !(x[i] >= low && x[i] <= high) {
			t.Fatalf("%s: %v is outside [%v, %v]", text, x[i], low, high)
		}
	}
	slices.Sort(x)
	return x
}

// The test compares quartiles of priors with heavy tails. A table over a wide range would be too coarse for them.
func TestQuartilesOfHeavyTails(t *testing.T) {
	for _, c := range []struct {
		prior        string
		lower, upper float64
	}{
		{"cauchy(0,0.05)", -0.05, 0.05},
		{"student_t(3,0,0.3)", -0.22947, 0.22947}, // qt(.75, 3) = 0.76489
		{"student_t(0.5,1,0.01)", 1 - 0.015538, 1 + 0.015538},
		{"halfcauchy(0.01)", 0.0041421, 0.0241421}, // tan(π/8), tan(3π/8)
	} {
		x := drawn(t, c.prior, math.Inf(-1), math.Inf(1), 40000)
		for _, q := range []struct{ share, want float64 }{{0.25, c.lower}, {0.75, c.upper}} {
			if got := stat.Quantile(q.share, stat.Empirical, x, nil); !(math.Abs(got-q.want) <= 0.03*(c.upper-c.lower)) {
				t.Errorf("%s: quartile %.5f, want %.5f", c.prior, got, q.want)
			}
		}
	}
}

// Draws of every family follow its distribution function: on the whole support, in the middle, and in either tail. By chance,
// Kolmogorov's distance exceeds 2.6 once in half a million times; there are 180 comparisons. (It exceeds 1.95 once in a thousand
// times.)
func TestDrawsFollowEveryFamily(t *testing.T) {
	const n = 10000
	inf := math.Inf(1)
	for _, text := range slices.Concat(everyPrior, []string{"student_t(0.5,0,1)", "gamma(0.2,1)", "beta(0.3,0.4)"}) {
		p := mustParse(t, text)
		all := drawn(t, text, -inf, inf, n)
		q := func(share float64) float64 { return all[int(share*n)] }
		for _, r := range [][2]float64{{-inf, inf}, {q(0.3), q(0.6)}, {-inf, q(0.1)}, {q(0.95), inf}, {-inf, q(0.8)}, {q(0.4), inf}, {q(0.5), q(0.505)}} {
			distance := 0.0
			for i, x := range drawn(t, text, r[0], r[1], n) {
				share := p.Mass(r[0], x) / p.Mass(r[0], r[1])
				distance = max(distance, share-float64(i)/n, float64(i+1)/n-share)
			}
			if d := distance * math.Sqrt(n); !(d < 2.6) {
				t.Errorf("%s on %v: Kolmogorov's distance %.2f", text, r, d)
			}
		}
	}
}

// Far in a tail, the mass is too small for a float64. Draws still follow the tail's distribution, which is nearly exponential:
// the test compares means and standard deviations.
func TestDrawsInFarTails(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		prior     string
		low, high float64
		mean, sd  float64
	}{
		{"normal(0,1)", 50, inf, 50.01998, 0.01998}, // 1/x - 2/x³
		{"normal(0,1)", -60, -50, -50.01998, 0.01998},
		{"normal(0,0.01)", 1, 2, 1.0001, 0.0001},
		{"halfnormal(1)", 50, inf, 50.01998, 0.01998},
		{"truncnormal(0,1,30,inf)", 50, inf, 50.01998, 0.01998},
		{"exponential(2)", 1000, inf, 1000.5, 0.5},
		{"gamma(0.5,2)", 1000, inf, 1000.5, 0.5},
		{"gamma(200,1)", 0, 1e-3, 1e-3 * 200 / 201, 1e-3 / 201},
		{"beta(200,200)", 1 - 1e-4, 1, 1 - 1e-4*200/201, 1e-4 / 201},
		{"weibull(2,1)", 40, inf, 40.0125, 0.0125}, // 1/(2x)
		{"lognormal(0,0.1)", 100, inf, 100.217, 0.217},
		{"student_t(100,0,1)", 1e5, inf, 1e5 * 100 / 99, 1e5 / 99 * math.Sqrt(100.0/98)},
	} {
		x := drawn(t, c.prior, c.low, c.high, 10000)
		mean, sd := stat.MeanStdDev(x, nil)
		if !(math.Abs(mean-c.mean) <= 0.05*c.sd) || !(math.Abs(sd-c.sd) <= 0.05*c.sd) {
			t.Errorf("%s on [%v, %v]: mean %.8g ± %.4g, want %.8g ± %.4g", c.prior, c.low, c.high, mean, sd, c.mean, c.sd)
		}
	}
}

// With extreme arguments of a prior, drawing ends, and draws stay in the range.
func TestDrawsOfExtremeArguments(t *testing.T) {
	inf := math.Inf(1)
	for _, text := range []string{"gamma(1e-3,1)", "gamma(1e8,1)", "beta(1e-3,1e-3)", "beta(1e7,1)", "beta(1e7,1e7)", "student_t(1e-2,0,1)", "student_t(1e9,0,1)",
		"normal(1e9,1e-9)", "weibull(1e-2,1)", "weibull(1e4,1)", "lognormal(0,100)", "cauchy(0,1e300)", "exponential(1e-300)", "halfnormal(1e-300)"} {
		p := mustParse(t, text)
		for _, x := range drawn(t, text, -inf, inf, 500) {
			if value, slope := p.LogDensity(x); text != "normal(1e9,1e-9)" && (math.IsNaN(value) || math.IsNaN(slope)) {
				t.Errorf("%s: no density at its own draw %v", text, x)
				break
			}
		}
	}
}

// A uniform prior uses one random number for each draw, and its draws are the same in every version.
func TestUniformDraws(t *testing.T) {
	for _, text := range []string{"uniform", "uniform(-2,9)"} {
		s, err := (&Parameter{Lower: -1, Upper: 3, Prior: mustParse(t, text)}).Sampler()
		if err != nil {
			t.Fatal(err)
		}
		rng, same := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
		for range 100 {
			if got, want := s.Draw(rng), -1+4*same.Float64(); got != want {
				t.Fatalf("%s: %v, want %v", text, got, want)
			}
		}
	}
}

// For every family and range, the share of accepted proposals is not small.
func TestDrawsAreCheap(t *testing.T) {
	for _, text := range everyPrior {
		p := mustParse(t, text)
		if p.IsUniform() {
			continue
		}
		for _, r := range [][2]float64{{math.Inf(-1), math.Inf(1)}, {0.2, 0.3}, {0.9, math.Inf(1)}} {
			if p.Mass(r[0], r[1]) == 0 {
				continue
			}
			s, err := (&Parameter{Lower: r[0], Upper: r[1], Prior: p}).Sampler()
			if err != nil {
				t.Fatal(err)
			}
			tries, of := 0, s.hat.logDensity
			s.hat.logDensity = func(y float64) (float64, float64) { tries++; return of(y) }
			rng := rand.New(rand.NewPCG(1, 2))
			for range 1000 {
				s.Draw(rng)
			}
			if tries > 2000 {
				t.Errorf("%s on %v: %d proposals for 1000 draws", text, r, tries)
			}
		}
	}
}

func TestSamplerRefuses(t *testing.T) {
	for _, p := range []Parameter{{Name: "flat", Lower: 0, Upper: math.Inf(1)}, {Name: "apart", Lower: 2, Upper: 3, Prior: mustParse(t, "beta(2,2)")}} {
		if _, err := p.Sampler(); err == nil {
			t.Errorf("%s: no error", p.Name)
		}
	}
}

// The masses of both tails are accurate, so that a density is normalised even if its range is in a tail.
func TestDensityInTails(t *testing.T) {
	for _, text := range []string{"normal(0,1)", "lognormal(0,1)", "student_t(3,0,1)", "cauchy(0,1)", "halfnormal(1)", "halfcauchy(1)", "gamma(2,3)", "exponential(2)", "weibull(2,1)"} {
		p := Parameter{Lower: 9, Upper: math.Inf(1), Prior: mustParse(t, text)}
		const step = 1e-4
		at, all := 9.0, p.Prior.Mass(9, math.Inf(1))
		if want := p.Prior.Mass(at, at+step) / all / step; !(all > 0) || !(math.Abs(p.Density(at+step/2)/want-1) < 1e-3) {
			t.Errorf("%s: density %v just above 9, of a mass of %v, want %v", text, p.Density(at+step/2), all, want)
		}
	}
}

// For every range, the given share of the mass lies below the quantile.
func TestQuantile(t *testing.T) {
	inf := math.Inf(1)
	for _, text := range append([]string{"normal(0, 243000)", "normal(-50000, 3)", "cauchy(1e6, 1e-3)"}, everyPrior...) {
		for _, r := range [][2]float64{{-inf, inf}, {0.2, 0.3}, {-inf, 0.5}, {0.1, inf}} {
			p := Parameter{Lower: r[0], Upper: r[1], Prior: mustParse(t, text)}
			low, high := p.Support()
			all := p.Prior.Mass(low, high)
			if !(low < high) || !(all > 1e-100) {
				continue
			}
			for _, share := range []float64{0.01, 0.5, 0.84} {
				if got := p.Prior.Mass(low, p.Quantile(share)) / all; !(math.Abs(got-share) < 1e-6) {
					t.Errorf("%s on %v: a share of %v lies below the quantile of %v", text, r, got, share)
				}
			}
		}
	}
}
