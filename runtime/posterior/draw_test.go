package posterior

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// always is a source whose uniform number is itself.
type always float64

func (a always) Uint64() uint64 { return uint64(float64(a) * (1 << 53)) }

// Draws follow the prior cut to the range: Kolmogorov's distance to gonum's distribution functions is what chance gives.
func TestSampler(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		prior     string
		low, high float64
		cdf       func(float64) float64
	}{
		{"normal(0,2)", -3, 3, distuv.Normal{Sigma: 2}.CDF},
		{"normal(1,1e-6)", -3, 3, distuv.Normal{Mu: 1, Sigma: 1e-6}.CDF},
		{"normal(5,1)", -inf, 2, distuv.Normal{Mu: 5, Sigma: 1}.CDF},
		{"gamma(0.5,2)", 0, inf, distuv.Gamma{Alpha: 0.5, Beta: 2}.CDF},
		{"gamma(3,2)", 0.3, 2.5, distuv.Gamma{Alpha: 3, Beta: 2}.CDF},
		{"beta(0.5,0.5)", 0, 1, distuv.Beta{Alpha: 0.5, Beta: 0.5}.CDF},
		{"halfcauchy(1)", 0, inf, func(x float64) float64 { return 2 / math.Pi * math.Atan(x) }},
		{"weibull(2,3)", 0, inf, distuv.Weibull{K: 2, Lambda: 3}.CDF},
		{"uniform", -1, 3, distuv.Uniform{Min: -1, Max: 3}.CDF},
		{"uniform(0,10)", -1, 3, distuv.Uniform{Min: 0, Max: 3}.CDF},
	} {
		prior, err := ParsePrior(c.prior)
		if err != nil {
			t.Fatal(err)
		}
		s, err := (&Parameter{Name: "p", Lower: c.low, Upper: c.high, Prior: prior}).Sampler()
		if err != nil {
			t.Fatal(err)
		}
		below, within := c.cdf(c.low), c.cdf(c.high)-c.cdf(c.low)
		for _, u := range []float64{0.001, 0.025, 0.5, 0.975, 0.999} {
			x, want := s.Draw(rand.New(always(u))), u
			if math.IsInf(c.low, -1) { // the unconstrained scale runs down from the upper bound
				want = 1 - u
			}
			// a cell of the table holds a probability of 1/500 or so, and is off from a straight line by a few hundredths of it
			if got := (c.cdf(x) - below) / within; !(math.Abs(got-want) <= 1e-4) {
				t.Errorf("%s: a share of %v is below %v, want %v", c.prior, got, x, want)
			}
		}
		rng := rand.New(rand.NewPCG(1, 2))
		x := make([]float64, 20000)
		for i := range x {
			if x[i] = s.Draw(rng); !(x[i] >= c.low && x[i] <= c.high) {
				t.Fatalf("%s: %v is outside [%v, %v]", c.prior, x[i], c.low, c.high)
			}
		}
		slices.Sort(x)
		distance := 0.0
		for i, v := range x {
			p := (c.cdf(v) - below) / within
			distance = max(distance, p-float64(i)/float64(len(x)), float64(i+1)/float64(len(x))-p)
		}
		if d := distance * math.Sqrt(float64(len(x))); !(d < 1.95) { // P = 0.001
			t.Errorf("%s on [%v, %v]: Kolmogorov's distance %.2f", c.prior, c.low, c.high, d)
		}
	}
}

func TestSamplerRefuses(t *testing.T) {
	beta, _ := ParsePrior("beta(2,2)")
	for _, p := range []Parameter{{Name: "flat", Lower: 0, Upper: math.Inf(1)}, {Name: "apart", Lower: 2, Upper: 3, Prior: beta}} {
		if _, err := p.Sampler(); err == nil {
			t.Errorf("%s: no error", p.Name)
		}
	}
}
