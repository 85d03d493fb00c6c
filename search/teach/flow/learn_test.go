package flow

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"likc/runtime/model/neural/flow"
	"likc/runtime/model/neural/network"
	"likc/search/study/bank"
	"likc/search/teach/corpus"
	"likc/search/teach/train"
)

// lognormalBank has response times whose law is known: log(rt - t) is normal with mean v/4 and sd a/3, all upper.
func lognormalBank(t *testing.T, subjects, trials int) *bank.Bank {
	t.Helper()
	s, err := bank.NewSettings("teacher-train", "ddm", "exact", 1)
	if err != nil {
		t.Fatal(err)
	}
	s.Subjects = subjects
	s.SetTrials(1)
	b, err := bank.Make(context.Background(), s, 1)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(7, 8))
	for i := range b.Subjects {
		u := &b.Subjects[i]
		u.RT, u.Choice = nil, nil
		for range trials {
			u.RT = append(u.RT, u.Theta[3]+math.Exp(u.Theta[0]/4+u.Theta[1]/3*r.NormFloat64()))
			u.Choice = append(u.Choice, 1)
		}
	}
	return b
}

// TestLearns: trained on a law that is known, the flow comes near it.
func TestLearns(t *testing.T) {
	c, err := corpus.New(lognormalBank(t, 2000, 10))
	if err != nil {
		t.Fatal(err)
	}
	n, err := network.New(Sizes(c.Frame, []int{24, 24}), network.Tanh, network.Linear)
	if err != nil {
		t.Fatal(err)
	}
	n.Init(rand.New(rand.NewPCG(9, 10)), 0.1)
	l := NewLearner(c, n, 1, 1)
	stages := []train.Stage{{Name: "flow", Settings: train.Settings{Epochs: 40, Batch: 128, Rate: 5e-3}, Learner: l}}
	history, err := train.Run(context.Background(), stages, 1, train.NewCheckpoint("", nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := flow.New(c.Frame, l.Centre, l.Scale, flow.DefaultSteps, n)
	if err != nil {
		t.Fatal(err)
	}
	miss, count := 0.0, 0.0
	for _, s := range c.Validation[:200] {
		var got [1]float64
		for _, rt := range s.RT[0] {
			f.LogDensity(got[:], [][]float64{s.Theta}, []float64{rt}, []float64{1})
			sd, y := s.Theta[1]/3, math.Log(rt-s.Theta[3])
			z := (y - s.Theta[0]/4) / sd
			miss += math.Abs(got[0] - (-z*z/2 - math.Log(2*math.Pi)/2 - math.Log(sd) - y))
			count++
		}
	}
	t.Logf("mean absolute error %.3f, loss %.4f to %.4f", miss/count, history[0].Validation[0], history[0].BestLoss)
	if miss/count > 0.12 {
		t.Errorf("mean absolute error %.3f", miss/count)
	}
}

// TestThreads: the number of threads does not change what is trained.
func TestThreads(t *testing.T) {
	c, err := corpus.New(lognormalBank(t, 200, 5))
	if err != nil {
		t.Fatal(err)
	}
	s := Defaults()
	s.Hidden, s.Density.Epochs, s.Choice.Epochs = []int{8, 8}, 2, 2
	var first []byte
	for _, threads := range []int{1, 3} {
		trainer, err := NewTrainer(c, s, 5, threads)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := train.Run(context.Background(), trainer.Stages(), 5, train.NewCheckpoint("", nil), nil); err != nil {
			t.Fatal(err)
		}
		data, err := trainer.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = data
		}
		if string(first) != string(data) {
			t.Errorf("%d threads train other weights", threads)
		}
	}
}
