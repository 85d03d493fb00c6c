package quadrature

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The mass of a density is found at every scale of time. A density with an infinite mass gives an error.
func TestMass(t *testing.T) {
	for _, theta := range [][]float64{{0.1, 2}, {0.5, 0.6}, {4.5, 1}, {1e-4, 30}, {1e3, 0.5}} {
		got, err := Mass(inverseGaussian(0), theta, []float64{1, -1})
		if err != nil || !(math.Abs(got-2) <= 1e-6) {
			t.Errorf("at %v: %v, %v; want 2", theta, got, err)
		}
	}
	powers := func(early, late float64) Density {
		return func(_ []float64, _ float64, u, dst []float64) {
			for i, x := range u {
				dst[i] = -math.Log(math.Pow(x, -early) + math.Pow(x, late))
			}
		}
	}
	if got, err := Mass(powers(0, 3), nil, []float64{0}); err != nil || !(math.Abs(got-2*math.Pi/(3*math.Sqrt(3))) <= 1e-6) {
		t.Errorf("1/(1+x³): %v, %v", got, err)
	}
	nowhere := func(_ []float64, _ float64, _, dst []float64) {
		for i := range dst {
			dst[i] = math.Inf(-1)
		}
	}
	for name, f := range map[string]Density{"0": nowhere, "1/(1+x)": powers(0, 1), "constant": powers(0, 0), "1/x near 0": powers(-1, 3)} {
		if got, err := Mass(f, nil, []float64{0}); !errors.Is(err, ErrNoMass) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// The mass of a density that jumps is found with an error of some thousandths.
func TestMassOfJumps(t *testing.T) {
	uniform := func(ends []float64, _ float64, u, dst []float64) {
		for i, x := range u {
			if dst[i] = math.Inf(-1); x > ends[0] && x < ends[1] {
				dst[i] = -math.Log(ends[1] - ends[0])
			}
		}
	}
	for _, ends := range [][]float64{{0, 0.2}, {0.2, 10}, {0.3, 0.6}} {
		if got, err := Mass(uniform, ends, []float64{1, -1}); err != nil || !(math.Abs(got-2) <= 4e-3) { // two choices: 2e-3 each
			t.Errorf("uniform over %v: %v, %v; want 2", ends, got, err)
		}
	}
}

func TestDistribution(t *testing.T) {
	theta := []float64{0.8, 1.5}
	table, err := Fit(inverseGaussian(3), theta, []float64{1, -1})
	if err != nil {
		t.Fatal(err)
	}
	table = table.Finer(inverseGaussian(3), theta, 4000)
	for _, u := range []float64{1e-7, 0.05, 0.3, 1, 2.5, 100} {
		for _, choice := range []float64{1, -1} {
			want := inverseGaussianCDF(theta[0], theta[1], u) / 2
			if got := table.Distribution(u, choice); !(math.Abs(got-want) <= 1e-5) {
				t.Errorf("up to %v: %v, want %v", u, got, want)
			}
		}
	}
}

// TestLevel checks the distribution function of a density that is constant between 1 and 2: it grows linearly with time, from 0 for each
// choice. The table is linear between points that are evenly spaced in log time, so that its error is of the order of the squared
// spacing.
func TestLevel(t *testing.T) {
	level := func(_ []float64, _ float64, u, dst []float64) { clear(dst) }
	table := NewTable(level, nil, []float64{1, -1}, NewGrid(1, 2, 1000))
	for _, u := range []float64{0.5, 1, 1.0001, 1.3, 1.9999, 2, 3} {
		for _, choice := range []float64{1, -1} {
			if got, want := table.Distribution(u, choice), (min(max(u, 1), 2)-1)/2; !(math.Abs(got-want) <= 1e-7) {
				t.Errorf("up to %v, choice %v: %v, want %v", u, choice, got, want)
			}
		}
	}
	if got := table.Distribution(1.5, 0); got != 0 {
		t.Errorf("of no choice: %v", got)
	}
}

// TestDrawLevel draws from a table with few points, of a density that is constant between 1 and 2 and twice as high for one choice. The
// choices must have the right shares, and times must be uniform up to the table's error, which is below 1 in 1,000.
func TestDrawLevel(t *testing.T) {
	level := func(_ []float64, choice float64, u, dst []float64) {
		for i := range dst {
			dst[i] = math.Log(1.5 + choice/2)
		}
	}
	table := NewTable(level, nil, []float64{1, -1}, NewGrid(1, 2, 9))
	rng := rand.New(rand.NewPCG(3, 4))
	const n = 60000
	times := map[float64][]float64{}
	for range n {
		u, choice := table.Draw(rng)
		times[choice] = append(times[choice], u-1)
	}
	if share := float64(len(times[1])) / n; !(math.Abs(share-2./3) <= 4*math.Sqrt(2./9/n)) {
		t.Errorf("%v have the choice of two thirds", share)
	}
	for choice, x := range times {
		slices.Sort(x)
		worst := 0.0
		for i, v := range x {
			worst = max(worst, math.Abs(v-float64(i)/float64(len(x))))
		}
		if !(worst <= 1.63/math.Sqrt(float64(len(x)))+1e-3) { // 1 % of samples of a correct distribution exceed this
			t.Errorf("choice %v: Kolmogorov's distance %v of %d", choice, worst, len(x))
		}
	}
}

// TestGridWeights checks that weights are those of the trapezoid rule in log time with step h. For the integral of 1 over time, this
// rule has the error factor (h/2) coth(h/2).
func TestGridWeights(t *testing.T) {
	g, sum := NewGrid(0.5, 8, 5), 0.0
	for _, w := range g.LogWeight {
		sum += math.Exp(w)
	}
	h := math.Log(16) / 4
	if want := 7.5 * h / 2 / math.Tanh(h/2); !(math.Abs(sum-want) <= 1e-13) || g.U[0] != 0.5 || !(math.Abs(g.U[4]-8) <= 1e-14) {
		t.Errorf("weights add up to %v, want %v; from %v to %v", sum, want, g.U[0], g.U[4])
	}
}

// TestHead integrates a density up to a time and compares with the distribution function, for several onsets.
func TestHead(t *testing.T) {
	for _, theta := range [][]float64{{0.8, 1.5}, {2, 3}, {0.3, 0.2}, {1, 6}} {
		for _, onset := range []float64{0, 0.113, 0.45} {
			for _, to := range []float64{0.05, 0.7, 2, 5, 60} {
				r := Head(to)
				got, dst := 0.0, make([]float64, 1)
				for i, at := range r.Time {
					if at > onset {
						inverseGaussian(0)(theta, 0, []float64{at - onset}, dst)
						got += r.Weight[i] * math.Exp(dst[0])
					}
				}
				want := 0.0
				if to > onset {
					want = inverseGaussianCDF(theta[0], theta[1], to-onset)
				}
				if !(math.Abs(got-want) <= 1e-7) { // the density rises within 0.03 s, which is three intervals of the rule
					t.Errorf("at %v after %v up to %v: %v, want %v (%d points)", theta, onset, to, got, want, len(r.Time))
				}
			}
		}
	}
}
