package evidence

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"likc/testdata"
)

const leakText = `model leak {
  trial rt positive  choice c
  param v in [-3, 3] param a in [0.3, 2.5] param z in [0.1, 0.9] param t in [0, 2] param g in [-2, 3] param k in [0, 4]
  evidence x after uniform(t, t + 0.2) { start uniform(a*(2*z - 1) - 0.1, a*(2*z - 1) + 0.1) drift v - g*x upper a/(1 + k*tau) lower -a*exp(-k*tau) }
}`

const raceText = `model race {
  trial rt positive  choice c in {0, 1, 2}
  param v[c] in [0, 4] param b in [0.5, 3] param l in [0, 3] param t in [0, 1]
  evidence x[k] after t { start uniform(0, 0.3) drift v[k] upper b*exp(-l*tau) }
}`

// Simulated trials follow the density: the largest distance of the distribution functions is one of chance, by choice.
func TestSimulationFollowsDensity(t *testing.T) {
	n := 20_000
	if os.Getenv("LIKC_LONG") != "" {
		n = 100_000
	}
	gaze, _ := testdata.Model("addm")
	exponential, _ := testdata.Model("exponential_collapse")
	for _, c := range []struct {
		text   string
		values []float64
		until  float64
	}{
		{gaze, []float64{0.8, 0.3, 1.1, 0.45, 0.2, 2, 3, 1, 0.31, 0.55, 0.9, 1.3, 1.8}, 8},
		{ddmText, []float64{1, 0.8, 0.4, 0.2}, 8},
		{urgencyText, []float64{1, 1.2, 0.4, 0.3, 1.5, 0.7}, 4},
		{exponential, []float64{-1.59, 1.391, 0.164, 0.3, 2.542}, 2},
		{angleText, []float64{-0.5, 1.3, 0.6, 0.1, 0.5}, 3},
		{leakText, []float64{0.7, 1, 0.5, 0.3, 1.5, 0.3}, 12},
		{dmcText, []float64{4.2, 0.4, 0.3, 0.03, 0.03, 2, 0.08, 3, -1}, 2.5},
		{dmcText, []float64{6, 0.5, 0.35, 0.02, 0.1, 2.5, 0.25, 5, 1}, 2.5},
		{dmcText, []float64{2, 0.8, 0.3, 0.05, 0.2, 1.6, 0.02, 2.5, -1}, 6},
		{gaze, []float64{0.4, 0.7, 1.8, 0.6, 0.3, 1, 4, -1, 0.45, 0.8, 1.2, 1.5, 2.1}, 30},
		{raceText, []float64{2, 1.5, 0.5, 1.2, 0.5, 0.2}, 5},
	} {
		d := density(t, c.text)
		compareSamples(t, d, c.values, c.until, n)
	}
}

func compareSamples(t *testing.T, d *Density, values []float64, until float64, n int) {
	t.Helper()
	s, err := NewSimulator(d.Model)
	if err != nil {
		t.Fatal(err)
	}
	draw, err := s.Sampler(values, 0.01, 20)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 4))
	codes := d.Model.Codes()
	times := make([][]float64, len(codes))
	for range n {
		rt, choice := draw(r)
		k := slices.Index(codes, choice)
		times[k] = append(times[k], rt)
	}
	curve := d.At(values[:d.dim], values[d.dim:], until)
	const steps = 40_000
	total, worst := 0.0, 0.0
	for k, own := range times {
		slices.Sort(own)
		cdf, at := 0.0, 0
		for i := range steps {
			from := until * float64(i) / steps
			f := math.Exp(curve.Log(from+until/steps/2, k, nil)) * until / steps
			for at < len(own) && own[at] < from {
				at++
			}
			worst = max(worst, math.Abs(float64(at)/float64(n)-cdf))
			cdf += f
		}
		total += cdf
	}
	limit := 1.95 / math.Sqrt(float64(n)) // one in a thousand
	t.Logf("%s: %d trials, largest distance %.4f, limit %.4f, mass up to %v s %.7f", d.Model.Name, n, worst, limit, until, total)
	if !(worst < limit) || math.Abs(total-1) > 1e-4 {
		t.Errorf("%s: distance %v of the distribution functions, mass %v", d.Model.Name, worst, total)
	}
}
