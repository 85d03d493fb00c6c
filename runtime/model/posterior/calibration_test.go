package posterior

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"likc/runtime/fit/nuts"
)

// wald is the likelihood of a shifted inverse Gaussian: the first passage through a boundary a with drift v, t seconds after the start of
// the trial.
type wald struct{ rt []float64 }

func (w wald) Dim() int { return 3 }

func (w wald) LogLik(theta []float64) float64 { return w.LogLikGrad(theta, make([]float64, 3)) }

func (w wald) LogLikGrad(theta, grad []float64) float64 {
	v, a, t := theta[0], theta[1], theta[2]
	clear(grad)
	sum := 0.0
	for _, rt := range w.rt {
		tau := rt - t
		if tau <= 0 {
			clear(grad)
			return math.Inf(-1)
		}
		r := a - v*tau
		sum += math.Log(a) - 1.5*math.Log(tau) - r*r/(2*tau)
		grad[0] += r
		grad[1] += 1/a - r/tau
		grad[2] += 1.5/tau - r*v/tau - r*r/(2*tau*tau)
	}
	return sum
}

// inverseGaussian draws a first-passage time, by Michael, Schucany and Haas (1976).
func inverseGaussian(v, a float64, rng *rand.Rand) float64 {
	mean, shape := a/v, a*a
	y := rng.NormFloat64()
	y *= y
	x := mean + mean*mean*y/(2*shape) - mean/(2*shape)*math.Sqrt(4*mean*shape*y+mean*mean*y*y)
	if rng.Float64() <= mean/(mean+x) {
		return x
	}
	return mean * mean / x
}

func waldParameters(t testing.TB) []Parameter {
	return []Parameter{
		{"v", 0.2, 5, mustParse(t, "gamma(mean=2,sd=0.7)")},
		{"a", 0.3, 2.5, mustParse(t, "normal(1.2,0.4)")},
		{"t", 0, 0.8, mustParse(t, "beta(2,6)")},
	}
}

// fromPrior draws parameters by rejection over their ranges.
func fromPrior(params []Parameter, rng *rand.Rand) []float64 {
	theta := make([]float64, len(params))
	for i := range params {
		top := math.Inf(-1)
		p := &params[i]
		for k := 1; k < 1000; k++ {
			v, _ := p.Prior.LogDensity(p.Lower + (p.Upper-p.Lower)*float64(k)/1000)
			top = max(top, v)
		}
		for {
			theta[i] = p.Lower + (p.Upper-p.Lower)*rng.Float64()
			if v, _ := p.Prior.LogDensity(theta[i]); math.Log(rng.Float64()) < v-top {
				break
			}
		}
	}
	return theta
}

// TestRanksAreUniform is simulation-based calibration (Talts et al., 2018): parameters from the prior, data from them,
// draws given the data; the true value's rank among the draws must be uniform. It reveals errors of the prior, the transform, its
// Jacobian, the truncation by the fastest trial, and the sampler.
func TestRanksAreUniform(t *testing.T) {
	const datasets, trials, bins, kept = 200, 30, 10, 99
	rng := rand.New(rand.NewPCG(20, 26))
	var counts [3][bins]float64
	divergences := 0
	for k := range datasets {
		params := waldParameters(t)
		truth := fromPrior(params, rng)
		lik := wald{make([]float64, trials)}
		for i := range lik.rt {
			lik.rt[i] = truth[2] + inverseGaussian(truth[0], truth[1], rng)
		}
		if err := CapUpper(params, "t", slices.Min(lik.rt)); err != nil {
			t.Fatal(err)
		}
		p, err := New(lik, params)
		if err != nil {
			t.Fatal(err)
		}
		s := nuts.DefaultSettings()
		s.NumChains, s.NumWarmup, s.NumSamples, s.Thin, s.Seed = 1, 400, 10*kept, 10, uint64(k)
		r, err := nuts.Sample(context.Background(), func(int) nuts.Target { return p.Target() }, s)
		if err != nil {
			t.Fatal(err)
		}
		divergences += r.Draws.Divergences()
		p.ConstrainDraws(r.Draws)
		for j := range truth {
			rank := 0
			for _, x := range r.Draws.Chains[0].Params[j] {
				if x < truth[j] {
					rank++
				}
			}
			counts[j][rank*bins/(kept+1)]++
		}
	}
	for j, name := range []string{"v", "a", "t"} {
		chi2 := 0.0
		for _, c := range counts[j] {
			const want = datasets / float64(bins)
			chi2 += (c - want) * (c - want) / want
		}
		if chi2 > 27.9 { // 0.999 quantile, 9 degrees of freedom
			t.Errorf("%s: ranks %v, chi-square %.1f", name, counts[j], chi2)
		}
		t.Logf("%s: ranks %v, chi-square %.1f", name, counts[j], chi2)
	}
	t.Logf("%d divergences in %d transitions", divergences, datasets*10*kept)
}
