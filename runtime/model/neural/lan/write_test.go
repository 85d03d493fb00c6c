package lan

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// smallNetwork returns a network with random weights.
func smallNetwork(t *testing.T, widths ...int) *Network {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	in := 4
	var layers []Layer
	for _, out := range append(widths, 1) {
		l := Layer{make([]float64, in*out), make([]float64, out)}
		for i := range l.Weights {
			l.Weights[i] = float64(float32(r.NormFloat64() / math.Sqrt(float64(in))))
		}
		for i := range l.Bias {
			l.Bias[i] = float64(float32(r.NormFloat64()))
		}
		layers, in = append(layers, l), out
	}
	n, err := New("ddm", []string{"v", "t"}, []float64{-3, 0}, []float64{3, 2}, -16.11809, layers)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestWriteRead checks that a written network is read back unchanged, and so is a published one.
func TestWriteRead(t *testing.T) {
	for _, n := range []*Network{smallNetwork(t, 7, 13), smallNetwork(t, 3)} {
		var b bytes.Buffer
		if err := n.Write(&b); err != nil {
			t.Fatal(err)
		}
		again, err := Read(&b)
		if d := cmp.Diff(n, again, cmp.AllowUnexported(Network{}, layer{})); err != nil || d != "" {
			t.Errorf("%v %s", err, d)
		}
		same, err := New(n.Model, n.Params, n.Lower, n.Upper, n.Floor, n.Layers())
		if err != nil || !cmp.Equal(n, same, cmp.AllowUnexported(Network{}, layer{})) {
			t.Errorf("layers do not give the network back: %v", err)
		}
	}
	n := published(t, "ddm")
	var b bytes.Buffer
	if err := n.Write(&b); err != nil {
		t.Fatal(err)
	}
	if again, err := Read(&b); err != nil || !cmp.Equal(n, again, cmp.AllowUnexported(Network{}, layer{})) {
		t.Errorf("published network: %v", err)
	}
}

// TestNewRefuses checks that New refuses layers that do not fit together, and Write a weight that is NaN.
func TestNewRefuses(t *testing.T) {
	n := smallNetwork(t, 5)
	layers := n.Layers()
	layers[0].Weights = layers[0].Weights[1:]
	if _, err := New("ddm", n.Params, n.Lower, n.Upper, 0, layers); err == nil {
		t.Error("a weight is missing, and no error")
	}
	layers = n.Layers()
	layers[1].Weights[0] = math.NaN()
	if n, err := New("ddm", n.Params, n.Lower, n.Upper, 0, layers); err == nil && n.Write(&bytes.Buffer{}) == nil {
		t.Error("a weight is NaN, and was written")
	}
}

// TestLogDensity compares with one trial at a time in double precision, in runs of all lengths.
func TestLogDensity(t *testing.T) {
	n := smallNetwork(t, 21, 10)
	r := rand.New(rand.NewPCG(7, 8))
	var theta [][]float64
	var rt, choice []float64
	for len(rt) < 400 {
		at := []float64{r.Float64()*6 - 3, r.Float64() * 2}
		side := float64(2*r.IntN(2) - 1)
		for range 1 + r.IntN(70) {
			theta, rt, choice = append(theta, append([]float64(nil), at...)), append(rt, 0.2+3*r.Float64()), append(choice, side)
		}
	}
	got := make([]float64, len(rt))
	n.LogDensity(got, theta, rt, choice)
	for i := range rt {
		if want, _ := outputGrad(n, theta[i], rt[i], choice[i]); !(math.Abs(got[i]-want) <= 1e-5) {
			t.Fatalf("trial %d: %v, want %v", i, got[i], want)
		}
	}
}

// TestProduct compares the three products with their definitions.
func TestProduct(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, shape := range [][2]int{{1, 1}, {1, 128}, {128, 1}, {128, 128}, {7, 3}} {
		out, in := shape[0], shape[1]
		w := make([]float64, out*in)
		for i := range w {
			w[i] = float64(float32(r.NormFloat64() / math.Sqrt(float64(in))))
		}
		p := NewProduct(out, in, func(r, c int) float64 { return w[r*in+c] })
		x, bias, biases := make([]float32, in*Lanes), make([]float64, out), make([]float32, p.Rows())
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
		for i := range bias {
			bias[i] = r.NormFloat64()
		}
		p.Bias(biases, bias)
		tanh, masked, linear := make([]float32, p.Rows()*Lanes), make([]float32, p.Rows()*Lanes), make([]float32, p.Rows()*Lanes)
		p.Tanh(tanh, x, biases)
		p.Masked(masked, x, tanh)
		p.Linear(linear, x)
		for i := range out * Lanes {
			sum := 0.0
			for c := range in {
				sum += w[i/Lanes*in+c] * float64(x[c*Lanes+i%Lanes])
			}
			h := math.Tanh(sum + bias[i/Lanes])
			for k, pair := range [][2]float64{{float64(tanh[i]), h}, {float64(masked[i]), sum * (1 - h*h)}, {float64(linear[i]), sum}} {
				if !(math.Abs(pair[0]-pair[1]) <= 1e-5) {
					t.Fatalf("%d × %d, product %d, row %d: %v, want %v", out, in, k, i/Lanes, pair[0], pair[1])
				}
			}
		}
	}
}
