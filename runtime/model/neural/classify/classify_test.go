package classify

import (
	"math"
	"math/rand/v2"
	"testing"

	"likc/runtime/model/neural/frame"
	"likc/runtime/model/neural/network"
	"likc/runtime/model/ssm"
)

// TestGradient checks the gradient with respect to the parameters.
func TestGradient(t *testing.T) {
	f := frame.New(ssm.Models()[0])
	n, err := network.New([]int{f.Inputs(), 16, 16, 1}, network.Tanh, network.Linear)
	if err != nil {
		t.Fatal(err)
	}
	n.Init(rand.New(rand.NewPCG(1, 2)), 1)
	k := New(f, n)
	trace := k.NewTrace(1)
	value := func(theta []float64) float64 {
		plus, minus := k.LogProbabilities(trace, theta)
		return 30*plus + 20*minus
	}
	theta, got := []float64{0.7, 1.3, 0.4, 0.2}, make([]float64, 4)
	k.LogProbabilities(trace, theta)
	k.AddGradient(trace, 30, 20, got)
	for i := range theta {
		keep := theta[i]
		theta[i] = keep + 1e-5
		above := value(theta)
		theta[i] = keep - 1e-5
		below := value(theta)
		theta[i] = keep
		if d := (above - below) / 2e-5; !(math.Abs(d-got[i]) <= 1e-6*math.Max(1, math.Abs(d))) {
			t.Errorf("derivative in parameter %d is %v, finite differences say %v", i, got[i], d)
		}
	}
	if got[3] != 0 {
		t.Errorf("derivative in t is %v", got[3])
	}
}

func TestClip(t *testing.T) {
	f := frame.New(ssm.Models()[0])
	n, err := network.New([]int{3, 1}, network.Tanh, network.Linear)
	if err != nil {
		t.Fatal(err)
	}
	n.Weights[0] = 1000 // weight of the input v
	k := New(f, n)
	grad := make([]float64, 4)
	plus, minus := k.LogProbabilities(k.NewTrace(1), []float64{3, 1, 0.5, 0})
	trace := k.NewTrace(1)
	k.LogProbabilities(trace, []float64{3, 1, 0.5, 0})
	k.AddGradient(trace, 1, 1, grad)
	if !(math.Abs(minus-math.Log(Clip)) <= 1e-9) || !(math.Abs(plus-math.Log1p(-Clip)) <= 1e-12) || grad[0] != 0 {
		t.Errorf("log probabilities %v and %v with gradient %v", plus, minus, grad)
	}
}

// TestSeveralChoices checks that the probabilities of four choices sum to 1 and are at least Clip, that
// LogChoice agrees with LogChoices, and that slopes agree with finite differences.
func TestSeveralChoices(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		logits, counts := []float64{20 * r.NormFloat64(), 5 * r.NormFloat64(), r.NormFloat64()}, []float64{3, 0, 1, 7}
		sum := func(logits []float64) (value, mass float64) {
			logs := make([]float64, 4)
			LogChoices(logs, logits)
			for k, x := range logs {
				value += counts[k] * x
				mass += math.Exp(x)
				if x < math.Log(Clip) {
					t.Errorf("%v: log probability %v", logits, x)
				}
				slopes := make([]float64, 3)
				if one := LogChoice(slopes, logits, k); one != x {
					t.Errorf("%v: choice %d alone %v, with the others %v", logits, k, one, x)
				}
			}
			return value, mass
		}
		if _, mass := sum(logits); math.Abs(mass-1) > 1e-12 {
			t.Errorf("%v: the probabilities sum to %v", logits, mass)
		}
		slopes, each, total := make([]float64, 3), make([]float64, 3), make([]float64, 3)
		Slopes(slopes, logits, counts)
		for k, n := range counts {
			LogChoice(each, logits, k)
			for j := range total {
				total[j] += n * each[j]
			}
		}
		for j := range logits {
			keep := logits[j]
			logits[j] = keep + 1e-5
			above, _ := sum(logits)
			logits[j] = keep - 1e-5
			below, _ := sum(logits)
			logits[j] = keep
			if want := (above - below) / 2e-5; math.Abs(slopes[j]-want) > 1e-6*max(1, math.Abs(want)) || math.Abs(total[j]-slopes[j]) > 1e-12*max(1, math.Abs(want)) {
				t.Errorf("%v: slope %v of logit %d, choices one by one %v, differences say %v", logits, slopes[j], j, total[j], want)
			}
		}
	}
}

// TestEachLogProbability compares with one logit at a time, and slopes with finite differences.
func TestEachLogProbability(t *testing.T) {
	logits := []float64{-1e9, -20, -13.9, -13.7, -3, -1e-9, 0, 1e-9, 0.5, 13.7, 13.9, 40, math.Inf(1), math.NaN()}
	logs, slopes := make([]float64, len(logits)), make([]float64, len(logits))
	for choice := range 2 {
		EachLogProbability(logs, slopes, logits, choice)
		of := func(logit float64) float64 {
			upper, lower, _ := LogProbabilities(logit)
			return [...]float64{upper, lower}[choice]
		}
		for k, logit := range logits[:len(logits)-1] {
			if want := of(logit); math.Abs(logs[k]-want) > 1e-15*math.Abs(want) {
				t.Errorf("logit %v: %v, want %v", logit, logs[k], want)
			}
			const h = 1e-5
			if want := (of(logit+h) - of(logit-h)) / (2 * h); math.Abs(slopes[k]-want) > 1e-8 {
				t.Errorf("logit %v: slope %v, differences say %v", logit, slopes[k], want)
			}
		}
		if last := len(logits) - 1; !math.IsNaN(logs[last]) {
			t.Errorf("logit NaN: %v", logs[last])
		}
	}
}
