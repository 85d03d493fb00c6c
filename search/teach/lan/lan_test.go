package lan

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"likc/runtime/model/neural/network"
	"likc/search/study/bank"
	"likc/search/teach/backprop"
	"likc/search/teach/corpus"
	"likc/search/teach/train"
)

// plane is a log density that a network can learn: -1 + v/2 - |rt - t|/2 for the upper choice, one less for the lower.
type plane struct{}

func (plane) LogDensity(dst []float64, theta [][]float64, rt, choice []float64) {
	for i := range dst {
		dst[i] = -1.5 + theta[i][0]/2 - (rt[i]-theta[i][3])/2 + choice[i]/2
	}
}

// TestLearns: the network learns its labels, and the exported network gives what the trained one does.
func TestLearns(t *testing.T) {
	s, err := bank.NewSettings("teacher-train", "ddm", "exact", 1)
	if err != nil {
		t.Fatal(err)
	}
	s.Subjects = 600
	b, err := bank.Make(context.Background(), s, 1)
	if err != nil {
		t.Fatal(err)
	}
	c, err := corpus.New(b)
	if err != nil {
		t.Fatal(err)
	}
	n, err := network.New(Sizes(c.Frame, []int{16}), network.Tanh, network.Linear)
	if err != nil {
		t.Fatal(err)
	}
	n.Init(rand.New(rand.NewPCG(1, 2)), 0.1)
	l := NewLearner(c, plane{}, n, 1, 1)
	stages := []train.Stage{{Name: "lan", Settings: train.Settings{Epochs: 30, Batch: 128, Rate: 1e-2}, Learner: l}}
	history, err := train.Run(context.Background(), stages, 1, train.NewCheckpoint("", nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	if history[0].BestLoss > 0.02 || history[0].Validation[0] < 3*history[0].BestLoss {
		t.Errorf("losses %v", history[0].Validation)
	}
	out, err := l.Network()
	if err != nil {
		t.Fatal(err)
	}
	subject := c.Validation[0]
	rt := []float64{subject.Theta[3] + 0.5, subject.Theta[3] + 1.5, subject.Theta[3] + 3}
	theta, choice := [][]float64{subject.Theta, subject.Theta, subject.Theta}, []float64{1, -1, 1}
	got, want := make([]float64, 3), make([]float64, 3)
	out.LogDensity(got, theta, rt, choice)
	plane{}.LogDensity(want, theta, rt, choice)
	w := backprop.NewWorkspace(n, 1)
	for i := range rt {
		if math.Abs(got[i]-want[i]) > 0.3 {
			t.Errorf("trial %d: %v, want about %v", i, got[i], want[i])
		}
		var x []float32
		for j, v := range append(append([]float64(nil), subject.Theta...), rt[i], choice[i]) {
			x = append(x, float32((v-l.middle[j])/l.half[j]))
		}
		if y := float64(w.Forward(x)[0]); math.Abs(got[i]-y) > 1e-4 {
			t.Errorf("trial %d: exported %v, trained %v", i, got[i], y)
		}
	}
}

// TestKernels: the smoothed density of many trials is near the law that they came from, and so are the shares of choices.
func TestKernels(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	s := corpus.Subject{RT: make([][]float64, 2)}
	for i := range 4000 {
		rt := 0.5 + math.Exp(-0.7+0.5*r.NormFloat64())
		if i%4 == 0 {
			s.RT[1] = append(s.RT[1], rt)
		} else {
			s.RT[0] = append(s.RT[0], rt)
		}
	}
	k := newSmooth(s, []float64{1, -1}, 0.5)
	for _, y := range []float64{-1.4, -0.7, 0.1} {
		z := (y + 0.7) / 0.5
		want := -z*z/2 - math.Log(0.5*math.Sqrt(2*math.Pi)) - y
		rt := 0.5 + math.Exp(y)
		if got := k.logDensity(rt, 1); math.Abs(got-want-math.Log(0.75)) > 0.1 {
			t.Errorf("upper at %v: %v, want %v", rt, got, want+math.Log(0.75))
		}
		if got := k.logDensity(rt, -1); math.Abs(got-want-math.Log(0.25)) > 0.15 {
			t.Errorf("lower at %v: %v, want %v", rt, got, want+math.Log(0.25))
		}
	}
	if !math.IsInf(k.logDensity(0.5, 1), -1) {
		t.Error("density at the onset")
	}
}
