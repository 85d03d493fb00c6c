package stopsignal

import (
	"math"
	"math/rand/v2"
	"testing"
)

// predicted compares a session with sessions that are drawn at theta, with the same delays.
func predicted(r *rand.Rand, observed Session, theta []float64, draws int) []Compared {
	p := NewPredictive(observed)
	rt, choice := make([]float64, len(observed.RT)), make([]float64, len(observed.RT))
	for range draws {
		for i, delay := range observed.Delay {
			rt[i], choice[i] = Trial(r, theta, delay)
		}
		p.Add(rt, choice)
	}
	return p.Compare()
}

// The test uses a session whose statistics were computed by hand, and one predicted session in which response times are 0.1 s longer and
// the first signal has a response.
func TestStatisticsOfASession(t *testing.T) {
	nan := math.NaN()
	s := Session{RT: []float64{0.4, 0.6, 0.5, nan, nan, 0.3, 0.35, 0.5}, Delay: []float64{nan, nan, nan, nan, 0.2, 0.3, 0.30000000000000004, 0.1},
		Choice: []float64{1, 1, 1, 0, 0, 1, 1, 1}}
	p := NewPredictive(s)
	p.Add([]float64{0.5, 0.7, 0.6, nan, 0.8, 0.4, 0.45, 0.6}, []float64{1, 1, 1, 0, 1, 1, 1, 1})
	want := []Compared{
		{Name: "go_omissions", Delay: nan, Trials: 4, Observed: 0.25, Mean: 0.25},
		{Name: "go_rt_10", Delay: nan, Trials: 4, Observed: 0.42, Mean: 0.52},
		{Name: "go_rt_30", Delay: nan, Trials: 4, Observed: 0.46, Mean: 0.56},
		{Name: "go_rt_50", Delay: nan, Trials: 4, Observed: 0.5, Mean: 0.6},
		{Name: "go_rt_70", Delay: nan, Trials: 4, Observed: 0.54, Mean: 0.64},
		{Name: "go_rt_90", Delay: nan, Trials: 4, Observed: 0.58, Mean: 0.68},
		{Name: ResponseShare, Delay: 0.1, Trials: 1, Observed: 1, Mean: 1},
		{Name: ResponseTime, Delay: 0.1, Trials: 1, Observed: 0.5, Mean: 0.6},
		{Name: ResponseShare, Delay: 0.2, Trials: 1, Observed: 0, Mean: 1},
		{Name: ResponseTime, Delay: 0.2, Trials: 1, Observed: nan, Mean: 0.8},
		{Name: ResponseShare, Delay: 0.3, Trials: 2, Observed: 1, Mean: 1},
		{Name: ResponseTime, Delay: 0.3, Trials: 2, Observed: 0.325, Mean: 0.425},
	}
	same := func(a, b float64) bool { return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) < 1e-12 } // rounding of sums
	got := p.Compare()
	if len(got) != len(want) {
		t.Fatalf("%d statistics, want %d: %v", len(got), len(want), got)
	}
	for i, w := range want {
		g := got[i]
		if g.Name != w.Name || g.Trials != w.Trials || !same(g.Delay, w.Delay) || !same(g.Observed, w.Observed) || !same(g.Mean, w.Mean) || !math.IsNaN(g.P) {
			t.Errorf("%+v, want %+v without a p", g, w)
		}
	}
}

func TestTwoSided(t *testing.T) {
	drawn := []float64{1, 2, 3, 3, 4, 5, 6, 7}
	for observed, want := range map[float64]float64{0: 0, 1: 0.125, 3: 0.75, 3.5: 1, 7: 0.125, 7.5: 0} {
		if got := twoSided(drawn, observed); got != want {
			t.Errorf("p of %v is %v, want %v", observed, got, want)
		}
	}
}

// exGaussian returns the distribution function of an ex-Gaussian time, given that it is positive. It integrates over the exponential part
// by the midpoint rule.
func exGaussian(x float64, times []float64) float64 {
	below := func(x float64) (sum float64) {
		const parts = 200
		for k := range parts {
			e := -math.Log1p(-(float64(k) + 0.5) / parts)
			sum += math.Erfc(-(x-times[0]-times[2]*e)/(times[1]*math.Sqrt2)) / 2 / parts
		}
		return sum
	}
	at0 := below(0)
	return max(0, (below(x)-at0)/(1-at0))
}

// inhibition returns the probability of a response at a delay: that the go process starts and is not stopped. It sums over go times, at
// equal steps.
func inhibition(theta []float64, delay float64) (sum float64) {
	const parts = 1000
	step := 5.0 / parts // seconds: later go times have a probability below 1e-15
	last := 0.0
	for k := range parts {
		next := exGaussian(float64(k+1)*step, theta[:3])
		stopped := exGaussian((float64(k)+0.5)*step-delay, theta[3:6])
		sum += (next - last) * (1 - (1-theta[6])*stopped)
		last = next
	}
	return (1 - theta[7]) * sum
}

// Predicted shares of responses agree with an integral over the go time, and predicted omissions with the probability of go failures.
func TestPredictionsAgreeWithIntegral(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const draws, trials = 100, 4000
	s := Simulate(r, example, Design{Trials: trials, Signals: 0.75, Delays: []float64{0.1, 0.3, 0.5}})
	all := predicted(r, s, example, draws)
	for _, c := range all {
		want := example[7]
		switch c.Name {
		case "go_omissions":
		case ResponseShare:
			want = inhibition(example, c.Delay)
		default:
			continue
		}
		// 4 standard errors, and 2e-4 for the steps of the sums
		if tolerance := 4*math.Sqrt(want*(1-want)/float64(draws*c.Trials)) + 2e-4; !(math.Abs(c.Mean-want) <= tolerance) {
			t.Errorf("%s at %v: predicted %v, want %v ± %v", c.Name, c.Delay, c.Mean, want, tolerance)
		}
	}
}

// If sessions come from the model, small P are as rare as they should be. A model without trigger failures gives a small P for a session
// with many.
func TestSmallPIsAMisfit(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	d := Design{Trials: 400, Signals: 0.5, Delays: []float64{0.1, 0.25, 0.4}}
	small, all := 0, 0
	for range 100 {
		for _, c := range predicted(r, Simulate(r, example, d), example, 100) {
			if all++; c.P < 0.1 {
				small++
			}
		}
	}
	// About 10 statistics of a session are strongly correlated, so that the share has the standard error of some 400 independent statistics.
	if share := float64(small) / float64(all); !(math.Abs(share-0.1) <= 4*math.Sqrt(0.1*0.9/400)) {
		t.Errorf("p is below 0.1 for a share of %v of the statistics, want 0.1", share)
	}
	failing := append([]float64(nil), example...)
	failing[6] = 0.4
	for _, c := range predicted(r, Simulate(r, failing, d), example, 200) {
		early := c.Name == ResponseShare && c.Delay == 0.1
		if early && !(c.P < 0.02) || c.Name == "go_omissions" && !(c.P > 0.001) {
			t.Errorf("a session with more trigger failures than predicted: %+v", c)
		}
	}
}
