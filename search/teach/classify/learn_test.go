package classify

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"likc/runtime/model/neural/classify"
	"likc/runtime/model/neural/network"
	"likc/search/study/bank"
	"likc/search/teach/corpus"
	"likc/search/teach/train"
)

func subjects(t *testing.T, n, trials int) *corpus.Corpus {
	t.Helper()
	s, err := bank.NewSettings("teacher-train", "ddm", "exact", 1)
	if err != nil {
		t.Fatal(err)
	}
	s.Subjects = n
	s.SetTrials(trials)
	b, err := bank.Make(context.Background(), s, 1)
	if err != nil {
		t.Fatal(err)
	}
	c, err := corpus.New(b)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func net(t *testing.T, c *corpus.Corpus) *network.Network {
	t.Helper()
	n, err := network.New([]int{c.Frame.Inputs(), 16, 16, 1}, network.Tanh, network.Linear)
	if err != nil {
		t.Fatal(err)
	}
	n.Init(rand.New(rand.NewPCG(1, 2)), 1)
	return n
}

// upper is P(c = +1): the chance that a Wiener process with drift leaves at the upper boundary first.
func upper(theta []float64) float64 {
	v, a, z := theta[0], theta[1], theta[2]
	return math.Expm1(-4*v*a*z) / math.Expm1(-4*v*a)
}

func TestLearnsChoiceProbabilities(t *testing.T) {
	c := subjects(t, 3000, 50)
	l := NewLearner(c, net(t, c), 2)
	stages := []train.Stage{{Name: "choice", Settings: train.Settings{Epochs: 40, Batch: 64, Rate: 5e-3}, Learner: l}}
	if _, err := train.Run(context.Background(), stages, 1, train.NewCheckpoint("", nil), nil); err != nil {
		t.Fatal(err)
	}
	k := classify.New(c.Frame, l.Net)
	trace := k.NewTrace(1)
	total := 0.0
	for _, s := range c.Validation {
		plus, minus := k.LogProbabilities(trace, s.Theta)
		if math.Abs(math.Exp(plus)+math.Exp(minus)-1) > 1e-12 {
			t.Fatalf("at %v: probabilities %v and %v", s.Theta, math.Exp(plus), math.Exp(minus))
		}
		total += math.Abs(math.Exp(plus)-upper(s.Theta)) / float64(len(c.Validation))
	}
	if total > 0.017 {
		t.Errorf("mean absolute error %v, want at most .017", total)
	}
}

// TestGradient checks the learner's gradient in the weights.
func TestGradient(t *testing.T) {
	c := subjects(t, 40, 20)
	l := NewLearner(c, net(t, c), 1)
	grad, batch := make([]float32, len(l.Net.Weights)), []int{3, 1, 4, 15, 9, 2, 6}
	l.Gradient(batch, nil, grad)
	scratch := make([]float32, len(grad))
	for i := 0; i < len(grad); i += 7 {
		keep := l.Net.Weights[i]
		l.Net.Weights[i] = keep + 1e-2
		above := l.Gradient(batch, nil, scratch)
		l.Net.Weights[i] = keep - 1e-2
		below := l.Gradient(batch, nil, scratch)
		l.Net.Weights[i] = keep
		if d := (above - below) / 2e-2; math.Abs(d-float64(grad[i])) > 2e-3*math.Max(0.1, math.Abs(d)) {
			t.Errorf("derivative in weight %d is %v, finite differences say %v", i, grad[i], d)
		}
	}
}
