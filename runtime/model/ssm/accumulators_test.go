package ssm

import (
	"math"
	"slices"
	"testing"
)

// TestRaceOfReflectedDiffusions checks races without drift. Evidence that is reflected at 0 reaches the bound when a diffusion between the
// bound and its negative reaches one of them, so the race ends when the first of n such diffusions ends. The largest distance between the
// distribution functions, times √n, exceeds 2.3 with probability 5e-5.
func TestRaceOfReflectedDiffusions(t *testing.T) {
	for name, c := range map[string]struct {
		theta []float64
		one   Diffusion // the diffusion whose absolute value is an accumulator
	}{
		"race_angle2": {[]float64{0, 0, 1.2, 0.4, 0.1, 0}, Diffusion{Start: 0.48, Bound: constant(1.2), Drift: steady(0)}},
		"race_angle4": {[]float64{0, 0, 0, 0, 1.5, 0.2, 0.1, 0.9}, Diffusion{Start: 0.3, Drift: steady(0),
			Bound: func(tau float64) float64 { return max(0, 1.5-tau*math.Tan(0.9)) }}},
		"lca3": {[]float64{0, 0, 0, 1.2, 0.3, 0.8, 0, 0.1}, Diffusion{Start: 0.36, Bound: constant(1.2), Drift: func(_, y float64) float64 { return -0.8 * y }}},
	} {
		m, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		const n = 3000
		rt, choice := simulate(t, name, 3, c.theta, BridgeScheme(), n)
		f := forward(c.one, 20)
		ended := make([]float64, len(f.tau))
		for i := range ended {
			ended[i] = 1 - math.Pow(1-f.upper[i]-f.lower[i], float64(len(m.Choices)))
		}
		for i := range rt {
			rt[i] -= 0.1
		}
		if d := math.Sqrt(n) * f.distance(rt, ended, n); !(d < 2.3) {
			t.Errorf("%s: statistic %v", name, d)
		}
		checkShares(t, name, choice, slices.Repeat([]float64{1 / float64(len(m.Choices))}, len(m.Choices)))
	}
}

// checkShares compares the frequency of each choice with its probability.
func checkShares(t *testing.T, name string, choice, want []float64) {
	t.Helper()
	got := make([]float64, len(want))
	for _, c := range choice {
		got[int(c)] += 1 / float64(len(choice))
	}
	for k, p := range want {
		if se := math.Sqrt(p * (1 - p) / float64(len(choice))); !(math.Abs(got[k]-p) <= 4*se) {
			t.Errorf("%s: choice %d in a share of %.4f, want %.4f ± %.4f", name, k, got[k], p, se)
		}
	}
}

// TestFastRace checks drifts so large that evidence hardly meets 0. Decision times are then inverse Gaussian, as in rdm with starts at one
// point.
func TestFastRace(t *testing.T) {
	const n = 5000
	v, distance := []float64{7, 6, 5}, 1.0
	for name, theta := range map[string][]float64{
		"race_angle3": {7, 6, 5, 2, 0.5, 0.1, 0},
		"lca3":        {7, 6, 5, 2, 0.5, 0, 0, 0.1},
	} {
		rt, _ := simulate(t, name, 4, theta, BridgeScheme(), n)
		slices.Sort(rt)
		worst := 0.0
		for i, x := range rt {
			tau, survive := x-0.1, 1.0
			for _, v := range v {
				root := math.Sqrt(tau)
				survive *= upperTail((v*tau-distance)/root) - math.Exp(2*v*distance)*upperTail((v*tau+distance)/root)
			}
			worst = max(worst, math.Abs(1-survive-float64(i)/n))
		}
		if d := math.Sqrt(n) * worst; !(d < 2.3) {
			t.Errorf("%s: statistic %v", name, d)
		}
	}
}

// TestCompetition checks that drifts are the input less leak and inhibition, and that samples of this size do not change noticeably with
// an eighth of the time step.
func TestCompetition(t *testing.T) {
	drift := make([]float64, 3)
	competing([]float64{2, 1, 0.5}, 0.5, 0.25)(drift, []float64{1, 2, 4})
	for k, want := range []float64{2 - 0.5 - 1.5, 1 - 1 - 1.25, 0.5 - 2 - 0.75} {
		if math.Abs(drift[k]-want) > 1e-15 {
			t.Errorf("drift %d: %v, want %v", k, drift[k], want)
		}
	}
	const n = 3000
	theta := []float64{2, 1.5, 1, 1.5, 0.3, 0.4, 0.6, 0.1}
	fine := BridgeScheme()
	fine.Step /= 8
	coarse, first := simulate(t, "lca3", 1, theta, BridgeScheme(), n)
	exact, second := simulate(t, "lca3", 2, theta, fine, n)
	shares := make([]float64, 3)
	for _, c := range second {
		shares[int(c)] += 1.0 / n
	}
	sd := deviation(exact)
	if off := math.Abs(mean(coarse) - mean(exact)); off > 4*sd*math.Sqrt(2.0/n) {
		t.Errorf("mean rt %v, with a shorter step %v", mean(coarse), mean(exact))
	}
	checkShares(t, "lca3", first, shares)
}

func deviation(x []float64) float64 {
	m, total := mean(x), 0.0
	for _, v := range x {
		total += (v - m) * (v - m)
	}
	return math.Sqrt(total / float64(len(x)))
}
