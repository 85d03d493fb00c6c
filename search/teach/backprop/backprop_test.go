package backprop

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"likc/runtime/model/neural/network"
)

func random(t testing.TB, hidden, output network.Activation, sizes ...int) (*network.Network, *rand.Rand) {
	t.Helper()
	n, err := network.New(sizes, hidden, output)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	n.Init(r, 1)
	for i := range n.Weights {
		n.Weights[i] += 0.1 * float32(r.NormFloat64())
	}
	return n, r
}

func normals(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

// weighted is Σ w·outputs in double precision, over a batch: the scalar that the gradients are checked on.
func weighted(n *network.Network, x, w []float32) float64 {
	d := n.Double()
	trace := d.NewTrace(1)
	total := 0.0
	for i := 0; i*n.Inputs() < len(x); i++ {
		y := d.Forward(trace, network.Widen(x[i*n.Inputs():(i+1)*n.Inputs()]))
		for k, v := range y {
			total += v * float64(w[i*len(y)+k])
		}
	}
	return total
}

// nudge returns the central difference of f when *x moves by as much as float32 says it does.
func nudge(x *float32, f func() float64) float64 {
	keep := *x
	high, low := keep+1e-2, keep-1e-2
	*x = high
	above := f()
	*x = low
	below := f()
	*x = keep
	return (above - below) / (float64(high) - float64(low))
}

func TestBackwardIsTheGradient(t *testing.T) {
	for _, hidden := range []network.Activation{network.Linear, network.Tanh, network.Sigmoid, network.SiLU} {
		for _, output := range []network.Activation{network.Linear, network.Sigmoid} {
			t.Run(fmt.Sprintf("%v-%v", hidden, output), func(t *testing.T) { checkBackward(t, hidden, output) })
		}
	}
}

func checkBackward(t *testing.T, hidden, output network.Activation) {
	const rows = 13
	n, r := random(t, hidden, output, 5, 19, 33, 7)
	x, w := normals(r, rows*5), normals(r, rows*7)
	work := NewWorkspace(n, rows+3)
	y := work.Forward(x)
	got := 0.0
	for i, v := range y {
		got += float64(v * w[i])
	}
	if want := weighted(n, x, w); math.Abs(got-want) > 1e-4*math.Max(1, math.Abs(want)) {
		t.Errorf("single precision gives %v, double %v", got, want)
	}
	grad, dx := make([]float32, len(n.Weights)), make([]float32, len(x))
	grad[0], dx[0] = 9, 9 // old values that must be overwritten
	work.Backward(w, grad, dx)
	f := func() float64 { return weighted(n, x, w) }
	for i := range n.Weights {
		if d := nudge(&n.Weights[i], f); math.Abs(d-float64(grad[i])) > 4e-3*math.Max(1, math.Abs(d)) {
			t.Fatalf("derivative in weight %d is %v, finite differences say %v", i, grad[i], d)
		}
	}
	for i := range x {
		if d := nudge(&x[i], f); math.Abs(d-float64(dx[i])) > 4e-3*math.Max(1, math.Abs(d)) {
			t.Fatalf("derivative in input %d is %v, finite differences say %v", i, dx[i], d)
		}
	}
}

// fit trains a small regression for some steps from state, and returns the weights.
func fit(n *network.Network, a *Adam, x, target []float32, threads, steps int) {
	const shard = 16
	s := NewShards(len(n.Weights), shard, threads)
	var spaces []*Workspace
	for range threads {
		spaces = append(spaces, NewWorkspace(n, shard))
	}
	grad := make([]float32, len(n.Weights))
	for range steps {
		s.Gradient(len(target), grad, func(thread, first, last int, grad []float32) float64 {
			y := spaces[thread].Forward(x[first*2 : last*2])
			dy, loss := make([]float32, len(y)), 0.0
			for i, v := range y {
				dy[i] = v - target[first+i]
				loss += float64(dy[i]*dy[i]) / 2
			}
			spaces[thread].Backward(dy, grad, nil)
			return loss
		})
		a.Step(n.Weights, grad, 1e-2)
	}
}

func TestAdamFitsResumesAndIgnoresThreads(t *testing.T) {
	n, r := random(t, network.Tanh, network.Linear, 2, 16, 1)
	x := normals(r, 2*100)
	target := make([]float32, 100)
	for i := range target {
		target[i] = x[2*i] * x[2*i+1]
	}
	whole, split := clone(t, n), clone(t, n)
	fit(whole, NewAdam(len(n.Weights)), x, target, 1, 400)

	first, second := NewAdam(len(n.Weights)), &Adam{}
	fit(split, first, x, target, 3, 150)
	data, _ := first.MarshalBinary()
	if err := second.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	fit(split, second, x, target, 2, 250)
	if !slices.Equal(whole.Weights, split.Weights) {
		t.Error("training on other threads, with a break, ends in other weights")
	}
	y := NewWorkspace(whole, 100).Forward(x)
	loss := 0.0
	for i, v := range y {
		loss += float64((v-target[i])*(v-target[i])) / 100
	}
	if loss > 0.02 {
		t.Errorf("mean squared error %v after training, want below 0.02", loss)
	}
}

// clone goes through the bytes.
func clone(t *testing.T, n *network.Network) *network.Network {
	t.Helper()
	data, err := n.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var c network.Network
	if err := c.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	return &c
}

func BenchmarkStep(b *testing.B) {
	n, r := random(b, network.SiLU, network.Linear, 6, 128, 128, 128, 1)
	const rows = 128
	x, w := normals(r, rows*6), normals(r, rows)
	work, grad := NewWorkspace(n, rows), make([]float32, len(n.Weights))
	multiplications := float64(len(n.Weights) * rows)
	for _, both := range []bool{false, true} {
		b.Run(fmt.Sprintf("backward=%v", both), func(b *testing.B) {
			flops := 2 * multiplications
			if both {
				flops *= 3
			}
			for b.Loop() {
				work.Forward(x)
				if both {
					work.Backward(w, grad, nil)
				}
			}
			b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFlop/s")
		})
	}
}
