package omission

import (
	"math"
	"strings"
	"testing"

	"likc/runtime/model/kernel"
	"likc/runtime/model/lapse"
	"likc/runtime/model/ssm"
	"likc/runtime/model/trials"
)

// In a go/no-go task, the probability of a trial without response is that no response with the "go" choice comes
// before the deadline. The reference is a closed form from other code.
func TestGoNoGo(t *testing.T) {
	for _, respond := range []float64{1, -1} {
		c := until(t, "ddm", respond)
		for _, theta := range points {
			for _, deadline := range []float64{0.2, 0.5, 0.8, 1.5, 3} {
				var got [1]float64
				kernel.EachAt(c, got[:], [][]float64{theta}, kernel.Responses([]float64{deadline}, []float64{trials.Omitted}))
				if want := 1 - ssm.DDM.CDF(deadline, respond, theta); !(math.Abs(math.Exp(got[0])-want) <= 1e-9) {
					t.Errorf("respond %v at %v, deadline %v: %v, want %v", respond, theta, deadline, math.Exp(got[0]), want)
				}
			}
		}
		rt, choice := []float64{0.6, 1, 0.8, 1.2, 1}, []float64{respond, trials.Omitted, respond, trials.Omitted, trials.Omitted}
		r, err := c.Rows(kernel.Responses(rt, choice))
		if err != nil {
			t.Fatal(err)
		}
		kernel.CheckRows(t, r, points[:3])
		if _, err := c.Rows(kernel.Responses([]float64{0.6}, []float64{-respond})); err == nil || !strings.Contains(err.Error(), "which means no response") {
			t.Errorf("a response of the silent choice: %v", err)
		}
	}
}

// Here all responses come within some milliseconds of the onset, between the first points of a panel that contains it.
func TestPeakSoonAfterOnset(t *testing.T) {
	c := until(t, "ddm", 1)
	for _, a := range []float64{0.003, 0.01, 0.04, 0.08} {
		for _, onset := range []float64{0.25, 0.3, 0.35} {
			theta := []float64{0.5, a, 0.4, onset}
			var got [1]float64
			kernel.EachAt(c, got[:], [][]float64{theta}, kernel.Responses([]float64{1}, []float64{trials.Omitted}))
			if want := 1 - ssm.DDM.CDF(1, 1, theta); !(math.Abs(math.Exp(got[0])-want) <= 1e-9) {
				t.Errorf("a %v, onset %v: %v, want %v", a, onset, math.Exp(got[0]), want)
			}
		}
	}
}

// With lapses, the probabilities of all outcomes of a go/no-go trial still add up to 1.
func TestGoNoGoWithLapses(t *testing.T) {
	x, err := until(t, "ddm", 1).With(lapse.Lapses{Times: lapse.Window{High: 1.6}, GoNoGo: true})
	if err != nil {
		t.Fatal(err)
	}
	theta := []float64{1, 1.2, 0.45, 0.3, 0.2}
	const deadline, n = 1.2, 40_000
	rt, choice, at := []float64{deadline}, []float64{trials.Omitted}, [][]float64{theta}
	for i := range n { // the middle of each of n intervals
		rt, choice, at = append(rt, deadline*(float64(i)+0.5)/n), append(choice, 1), append(at, theta)
	}
	logp := make([]float64, len(rt))
	kernel.EachAt(x, logp, at, kernel.Responses(rt, choice))
	total := math.Exp(logp[0])
	for _, l := range logp[1:] {
		total += math.Exp(l) * deadline / n
	}
	if !(math.Abs(total-1) <= 1e-6) {
		t.Errorf("the probabilities add up to %v", total)
	}
}

// A model without choice can have deadlines too: the choice is 0 for a response.
func TestWithoutChoice(t *testing.T) {
	c := censored(t, "lognormal")
	rt, choice := []float64{0.6, 1.5, 0.8, 1.5}, []float64{0, trials.Omitted, 0, trials.Omitted}
	r, err := c.Rows(kernel.Responses(rt, choice))
	if err != nil {
		t.Fatal(err)
	}
	at := [][]float64{{0.1, 0.5}, {-0.3, 0.8}}
	kernel.CheckRows(t, r, at)
	logp := make([]float64, len(rt))
	for _, theta := range at {
		r.Each(kernel.Fixed(theta), logp, nil)
		z := (math.Log(1.5) - theta[0]) / theta[1]
		if want := math.Log(math.Erfc(z/math.Sqrt2) / 2); !(math.Abs(logp[1]-want) <= 1e-9) {
			t.Errorf("at %v: beyond 1.5 s %v, want %v", theta, logp[1], want)
		}
		z = (math.Log(0.8) - theta[0]) / theta[1]
		if want := -math.Log(0.8*theta[1]*math.Sqrt(2*math.Pi)) - z*z/2; !(math.Abs(logp[2]-want) <= 1e-12) {
			t.Errorf("at %v: at 0.8 s %v, want %v", theta, logp[2], want)
		}
	}
}
