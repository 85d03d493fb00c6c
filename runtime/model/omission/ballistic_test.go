package omission

import (
	"math"
	"testing"

	"likc/runtime/model/kernel"
	"likc/runtime/model/trials"
)

// ballisticSurvival returns the probability that no accumulator of lba2 has reached its threshold at time tau after the onset, given that
// rates are positive. It uses equation 1 of Brown and Heathcote (2008), a closed form that is independent of the densities whose integral
// is tested.
func ballisticSurvival(tau float64, theta []float64) float64 {
	A, b := theta[2], theta[2]+theta[3]
	normal := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	density := func(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }
	left := 1.0
	for _, v := range theta[:2] {
		near, far := b-A-tau*v, b-tau*v
		finished := 1 + near/A*normal(near/tau) - far/A*normal(far/tau) + tau/A*(density(near/tau)-density(far/tau))
		left *= 1 - finished/normal(v)
	}
	return left
}

// The integral after a deadline includes late times. If the range of starts is short, the rates that lead to a response at such a time
// differ by less than rounding errors. The density of lba2 was undefined there in an older version, so that one omission stopped a fit.
func TestSurvivalOfShortStarts(t *testing.T) {
	c := censored(t, "lba2")
	const deadline = 1.2
	rows, err := c.Rows(kernel.Responses([]float64{deadline}, []float64{trials.Omitted}))
	if err != nil {
		t.Fatal(err)
	}
	for _, theta := range [][]float64{{2.3, 1, 0.019, 0.29, 0.37}, {3.75, 4.89, 0.0146, 2.53, 0.16}, {2.81, 1.5, 0.036, 1.63, 0.13}, {1.7, 2.6, 0.0101, 1.35, 0.11}, {3, 1, 0.5, 1, 0.2}} {
		var got [1]float64
		slopes := make([][]float64, len(theta))
		for j := range slopes {
			slopes[j] = make([]float64, 1)
		}
		rows.Each(kernel.Fixed(theta), got[:], slopes)
		log := func(theta []float64) float64 { return math.Log(ballisticSurvival(deadline-theta[4], theta)) }
		// the closed form of log S loses 1e-16/(A·S) to cancellation: 1e-10 at the shortest range of starts
		if want := log(theta); !(math.Abs(got[0]-want) <= 1e-8) {
			t.Errorf("%v: log survival %v, want %v", theta, got[0], want)
		}
		for j := range theta {
			const h = 1e-4
			high, low := append([]float64(nil), theta...), append([]float64(nil), theta...)
			high[j] += h
			low[j] -= h
			// central differences have an error of h²/6 times the third derivative, plus the rounding error of log S divided by h
			if want := (log(high) - log(low)) / (2 * h); !(math.Abs(slopes[j][0]-want) <= 1e-5*max(1, math.Abs(want))) {
				t.Errorf("%v: slope %d %v, want %v", theta, j, slopes[j][0], want)
			}
		}
	}
}
