package network

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func random(t testing.TB, hidden, output Activation, sizes ...int) (*Network, *rand.Rand) {
	t.Helper()
	n, err := New(sizes, hidden, output)
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
func weighted(n *Network, x, w []float32) float64 {
	d := n.Double()
	trace := d.NewTrace()
	total := 0.0
	for i := 0; i*n.Inputs() < len(x); i++ {
		y := d.Forward(trace, widen(x[i*n.Inputs():(i+1)*n.Inputs()]))
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
	for _, hidden := range []Activation{Linear, Tanh, Sigmoid, SiLU, GELU} {
		for _, output := range []Activation{Linear, Sigmoid} {
			t.Run(fmt.Sprintf("%v-%v", hidden, output), func(t *testing.T) { checkBackward(t, hidden, output) })
		}
	}
}

func checkBackward(t *testing.T, hidden, output Activation) {
	const rows = 13
	n, r := random(t, hidden, output, 5, 19, 33, 7)
	x, w := normals(r, rows*5), normals(r, rows*7)
	work := n.NewWorkspace(rows + 3)
	y := n.Forward(work, x)
	got := 0.0
	for i, v := range y {
		got += float64(v * w[i])
	}
	if want := weighted(n, x, w); math.Abs(got-want) > 1e-4*math.Max(1, math.Abs(want)) {
		t.Errorf("single precision gives %v, double %v", got, want)
	}
	grad, dx := make([]float32, len(n.Weights)), make([]float32, len(x))
	grad[0], dx[0] = 9, 9 // to be overwritten
	n.Backward(work, w, grad, dx)
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

func TestDoubleBackward(t *testing.T) {
	n, _ := random(t, SiLU, Tanh, 4, 21, 9, 3)
	d := n.Double()
	trace := d.NewTrace()
	x, w, dx := []float64{0.3, -1, 0.7, 2}, []float64{1, -2, 0.5}, make([]float64, 4)
	value := func() (sum float64) {
		for k, v := range d.Forward(trace, x) {
			sum += w[k] * v
		}
		return sum
	}
	value()
	d.Backward(trace, w, dx)
	for i := range x {
		keep := x[i]
		x[i] = keep + 1e-5
		above := value()
		x[i] = keep - 1e-5
		below := value()
		x[i] = keep
		if want := (above - below) / 2e-5; math.Abs(want-dx[i]) > 1e-8 {
			t.Errorf("derivative in input %d is %v, finite differences say %v", i, dx[i], want)
		}
	}
	value()
	if n := testing.AllocsPerRun(10, func() { d.Forward(trace, x); d.Backward(trace, w, dx) }); n > 0 {
		t.Errorf("allocates %v times", n)
	}
}

// fit trains a small regression for some steps from state, and returns the weights.
func fit(n *Network, a *Adam, x, target []float32, threads, steps int) {
	const shard = 16
	s := NewShards(len(n.Weights), shard, threads)
	var spaces []*Workspace
	for range threads {
		spaces = append(spaces, n.NewWorkspace(shard))
	}
	grad := make([]float32, len(n.Weights))
	for range steps {
		s.Gradient(len(target), grad, func(thread, first, last int, grad []float32) float64 {
			y := n.Forward(spaces[thread], x[first*2:last*2])
			dy, loss := make([]float32, len(y)), 0.0
			for i, v := range y {
				dy[i] = v - target[first+i]
				loss += float64(dy[i]*dy[i]) / 2
			}
			n.Backward(spaces[thread], dy, grad, nil)
			return loss
		})
		a.Step(n.Weights, grad, 1e-2)
	}
}

func TestAdamFitsResumesAndIgnoresThreads(t *testing.T) {
	n, r := random(t, Tanh, Linear, 2, 16, 1)
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
	y := whole.Forward(whole.NewWorkspace(100), x)
	loss := 0.0
	for i, v := range y {
		loss += float64((v-target[i])*(v-target[i])) / 100
	}
	if loss > 0.02 {
		t.Errorf("mean squared error %v after training, want below 0.02", loss)
	}
}

// clone goes through the bytes.
func clone(t *testing.T, n *Network) *Network {
	t.Helper()
	data, err := n.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var c Network
	if err := c.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	return &c
}

func TestUnmarshalRefuses(t *testing.T) {
	n, _ := random(t, Tanh, Linear, 2, 4, 1)
	good, _ := n.MarshalBinary()
	for at := range good {
		if err := new(Network).UnmarshalBinary(good[:at]); err == nil {
			t.Fatalf("%d of %d bytes: no error", at, len(good))
		}
	}
	bad := map[string]func([]byte){
		"activation": func(b []byte) { b[1] = 200 },
		"width":      func(b []byte) { b[6] = 255 },
		"NaN":        func(b []byte) { copy(b[len(b)-4:], "\x00\x00\xc0\x7f") },
		"layers":     func(b []byte) { b[0] = 0 },
	}
	for name, spoil := range bad {
		data := slices.Clone(good)
		spoil(data)
		if err := new(Network).UnmarshalBinary(data); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	data := slices.Concat([]byte{250}, good[1:], bytes.Repeat([]byte{0xff}, 2000))
	if err := new(Network).UnmarshalBinary(data); err == nil || len(err.Error()) > 80 || strings.Contains(err.Error(), "-") {
		t.Errorf("sizes beyond all bounds: %v", err)
	}
}

func BenchmarkStep(b *testing.B) {
	n, r := random(b, SiLU, Linear, 6, 128, 128, 128, 1)
	const rows = 128
	x, w := normals(r, rows*6), normals(r, rows)
	work, grad := n.NewWorkspace(rows), make([]float32, len(n.Weights))
	multiplications := float64(countWeights(n.Sizes) * rows)
	for _, both := range []bool{false, true} {
		b.Run(fmt.Sprintf("backward=%v", both), func(b *testing.B) {
			flops := 2 * multiplications
			if both {
				flops *= 3
			}
			for b.Loop() {
				n.Forward(work, x)
				if both {
					n.Backward(work, w, grad, nil)
				}
			}
			b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFlop/s")
		})
	}
}
