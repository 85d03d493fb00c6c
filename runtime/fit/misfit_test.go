package fit

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// responses returns n trials with lognormal times after an onset. The share `errors` of them has the choice `low` and slower
// times.
func responses(rng *rand.Rand, n int, onset, spread, errors, low float64) (rt, choice []float64) {
	for range n {
		c, middle := 1.0, -1.0
		if rng.Float64() < errors {
			c, middle = low, -0.7
		}
		rt, choice = append(rt, onset+math.Exp(middle+spread*rng.NormFloat64())), append(choice, c)
	}
	return rt, choice
}

// checked returns the check of n trials, whose times are rounded to steps, against predictions with the given spread and share of
// errors. The trials have a spread of .5 and 10 % errors.
func checked(rng *rand.Rand, n int, spread, errors, step float64) *PredictiveCheck {
	rt, choice := responses(rng, n, 0.3, 0.5, 0.1, -1)
	if step > 0 {
		for i := range rt {
			rt[i] = math.Round(rt[i]/step) * step
		}
	}
	predicted, predictedChoice := responses(rng, 4000, 0.3, spread, errors, -1)
	return CheckPredictions([]Predicted{{RT: rt, Choice: choice, PredictedRT: predicted, PredictedChoice: predictedChoice}})
}

// If predictions are right, at most 1 % of datasets are called a misfit, whether times are rounded or not. The share of displaced
// trials is as large as the check expects by chance. At a rate of 1 %, more than 9 misfits of 300 have a probability below .001.
func TestRightPredictions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, step := range []float64{0, 0.001, 1.0 / 60} {
		misfits, displaced, chance := 0, 0.0, 0.0
		const datasets = 300
		for range datasets {
			c := checked(rng, 400, 0.5, 0.1, step)
			if c.Misfit {
				misfits++
			}
			displaced, chance = displaced+float64(c.Displaced), chance+float64(c.Chance)
		}
		if misfits > 9 {
			t.Errorf("times in steps of %v s: %d of %d right predictions are called a misfit", step, misfits, datasets)
		}
		if ratio := displaced / chance; !(math.Abs(ratio-1) < 0.05) {
			t.Errorf("times in steps of %v s: the displaced share is %.3f times what chance is said to explain", step, ratio)
		}
	}
}

// A wrong spread of the times is found, and so is a wrong share of a choice. The message names the bin.
func TestMisfit(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	if c := checked(rng, 500, 0.7, 0.1, 0); !c.Misfit || c.Displaced < 2*c.Chance {
		t.Errorf("a spread of .7 in place of .5 is no misfit: %s", c)
	}
	c := checked(rng, 500, 0.5, 0.5, 0)
	if !c.Misfit || c.Worst == nil || c.Worst.Choice == "" || (c.Worst.Observed < c.Worst.Predicted) != (c.Worst.Choice == "-1") {
		t.Errorf("50 %% errors in place of 10 %%: %s", c)
	}
	for _, want := range []string{" % of 500 trials lie elsewhere than predicted, where chance explains some ", "p < 0.0001", "; farthest off are responses of choice "} {
		if !strings.Contains(c.String(), want) {
			t.Errorf("%q does not say %q", c, want)
		}
	}
	if few := checked(rng, 12, 0.5, 0.1, 0); few != nil {
		t.Errorf("12 trials are enough: %v", few)
	}
}

// A misfit in one condition is found though all trials together show none. The message has the model's codes of choices.
func TestMisfitOfCondition(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	all := []Predicted{{}}
	for i, onset := range []float64{0.3, 0.4} {
		p := Predicted{Condition: []string{"fast", "slow"}[i]}
		p.RT, p.Choice = responses(rng, 300, onset, 0.4, 0.3, 0)
		p.PredictedRT, p.PredictedChoice = responses(rng, 4000, 0.7-onset, 0.4, 0.3, 0) // the other's onset
		all = append(all, p)
		whole := &all[0]
		whole.RT, whole.Choice = append(whole.RT, p.RT...), append(whole.Choice, p.Choice...)
		whole.PredictedRT, whole.PredictedChoice = append(whole.PredictedRT, p.PredictedRT...), append(whole.PredictedChoice, p.PredictedChoice...)
	}
	if c := CheckPredictions(all[:1]); c.Misfit {
		t.Errorf("all trials together: %s", c)
	}
	c := CheckPredictions(all)
	if !c.Misfit || c.Condition == "" || c.Sets != 3 || c.Worst.Choice != "0" && c.Worst.Choice != "1" {
		t.Errorf("conditions with each other's predictions: %+v", c)
	}
}

// withOmissions returns the check of 400 trials of which a share has no response, against predictions with another share.
func withOmissions(rng *rand.Rand, share, predicted float64) *PredictiveCheck {
	p := Predicted{}
	for range 400 {
		if rng.Float64() < share {
			p.Omitted++
		}
	}
	for range 4000 {
		if rng.Float64() < predicted {
			p.PredictedOmitted++
		}
	}
	p.RT, p.Choice = responses(rng, 400-p.Omitted, 0.3, 0.5, 0.1, -1)
	p.PredictedRT, p.PredictedChoice = responses(rng, 4000-p.PredictedOmitted, 0.3, 0.5, 0.1, -1)
	return CheckPredictions([]Predicted{p})
}

// If the predicted share of omissions is right, even if it is small, at most 1 % of datasets are called a misfit. A wrong share
// is a misfit, even if responses are as predicted. At a rate of 1 %, more than 9 misfits of 300 have a probability below .001.
func TestOmissionsAreABin(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, share := range []float64{0.0005, 0.003, 0.01, 0.3, 0.98, 1} {
		misfits := 0
		for range 300 {
			if c := withOmissions(rng, share, share); c.Misfit {
				misfits++
			}
		}
		if misfits > 9 {
			t.Errorf("%v omissions: %d of 300 right predictions are called a misfit", share, misfits)
		}
	}
	for _, c := range [][2]float64{{0.1, 0}, {0, 0.1}, {0.3, 0.5}, {1, 0.3}, {0.5, 1}} {
		got := withOmissions(rng, c[0], c[1])
		if !got.Misfit || got.Trials != 400 || got.Predicted != 4000 {
			t.Errorf("%v omissions in place of %v: %+v", c[0], c[1], got)
		}
		if c[1] < 1 && !strings.Contains(got.String(), "; farthest off are trials without a response: ") {
			t.Errorf("%v omissions in place of %v: %s", c[0], c[1], got)
		}
	}
}
