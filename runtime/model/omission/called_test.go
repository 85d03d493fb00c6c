package omission_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/lapse"
	"likc/runtime/model/omission"
	"likc/runtime/model/trials"
)

func wrapped(t *testing.T, name string) *bound.Prepared {
	t.Helper()
	m, err := catalog.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := bound.Open(m, bound.Auto)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	x, err := p.With(omission.Deadline{}, lapse.Lapses{Times: lapse.Window{High: 2}})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestLearnersLapseAndOmit tests a model that learns, with lapses and with trials without a response before the
// deadline. The reference is a loop over trials that computes the drift and evaluates ddm. Trials without a response
// change no state; a lapse changes states by its reward.
func TestLearnersLapseAndOmit(t *testing.T) {
	const n, deadline = 60, 1.2
	rng := rand.New(rand.NewPCG(1, 2))
	d := kernel.Trials{Columns: [][]float64{make([]float64, n), make([]float64, n), make([]float64, n)}, Choice: make([]float64, n), Person: make([]int32, n)}
	for i := range n {
		d.Columns[0][i], d.Columns[1][i], d.Columns[2][i] = 0.1+1.1*rng.Float64(), math.Floor(2*rng.Float64()), float64(i/20)
		d.Choice[i], d.Person[i] = float64(2*rng.IntN(2)-1), int32(i%3)
		if i%7 == 3 {
			d.Columns[0][i], d.Choice[i] = deadline, trials.Omitted
		}
	}
	learner, plain := wrapped(t, "rl_ddm"), wrapped(t, "ddm")
	b, err := learner.Bind(d, bound.Design{})
	if err != nil {
		t.Fatal(err)
	}
	alpha, k, a, onset, p := 0.3, 2.5, 0.9, 0.2, 0.07
	want := 0.0
	q, block := map[int32]*[2]float64{}, map[int32]float64{}
	for i, who := range d.Person {
		if q[who] == nil || block[who] != d.Columns[2][i] {
			q[who], block[who] = &[2]float64{0.5, 0.5}, d.Columns[2][i]
		}
		one, err := plain.Bind(kernel.Trials{Columns: [][]float64{d.Columns[0][i : i+1]}, Choice: d.Choice[i : i+1]}, bound.Design{})
		if err != nil {
			t.Fatal(err)
		}
		want += one.LogLik([]float64{k * (q[who][0] - q[who][1]), a, 0.5, onset, p})
		switch d.Choice[i] {
		case 1:
			q[who][0] += alpha * (d.Columns[1][i] - q[who][0])
		case -1:
			q[who][1] += alpha * (d.Columns[1][i] - q[who][1])
		}
	}
	theta, grad := []float64{alpha, k, a, onset, p}, make([]float64, 5)
	if got := b.LogLikGrad(theta, grad); math.Abs(got-want) > 1e-10*math.Abs(want) {
		t.Errorf("log-likelihood %.15g, want %.15g", got, want)
	}
	for j := range theta {
		const h = 1e-5
		at := append([]float64(nil), theta...)
		at[j] = theta[j] + h
		up := b.LogLik(at)
		at[j] = theta[j] - h
		if slope := (up - b.LogLik(at)) / (2 * h); math.Abs(slope-grad[j]) > 1e-6*max(1, math.Abs(slope)) {
			t.Errorf("derivative in %s: %.12g, want %.12g", learner.Model.Params[j].Name, grad[j], slope)
		}
	}
	each := make([]float64, n)
	b.PerTrial(theta, each)
	sum := 0.0
	for _, x := range each {
		sum += x
	}
	if math.Abs(sum-want) > 1e-10*math.Abs(want) {
		t.Errorf("trial by trial it is %.15g, want %.15g", sum, want)
	}
}
