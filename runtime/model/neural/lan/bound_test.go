package lan

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"likc/testdata/reference"
)

// outputGrad returns the network's output for one trial in double precision, and its gradient with respect to
// the parameters by forward differentiation. Tests use it as the reference.
func outputGrad(n *Network, theta []float64, rt, choice float64) (float64, []float64) {
	x := append(append([]float64(nil), theta...), rt, choice)
	tangents := make([][]float64, len(theta))
	for d := range tangents {
		tangents[d] = make([]float64, len(x))
		tangents[d][d] = 1
	}
	for i, l := range n.layers {
		y := make([]float64, l.out)
		moved := make([][]float64, len(theta))
		for r := range y {
			y[r] = l.bias[r]
			for c, v := range x {
				y[r] += l.at(r, c) * v
			}
			slope := 1.0
			if i < len(n.layers)-1 {
				y[r] = math.Tanh(y[r])
				slope = 1 - y[r]*y[r]
			}
			for d, tangent := range tangents {
				sum := 0.0
				for c, v := range tangent {
					sum += l.at(r, c) * v
				}
				moved[d] = append(moved[d], slope*sum)
			}
		}
		x, tangents = y, moved
	}
	grad := make([]float64, len(theta))
	for d := range grad {
		grad[d] = tangents[d][0]
	}
	return x[0], grad
}

// TestVectors reproduces published outputs of the ddm network with every set
// of kernels.
func TestVectors(t *testing.T) {
	n := published(t, "ddm")
	var vectors []struct {
		In  []float64 `json:"in"`
		LAN float64   `json:"lan"`
	}
	if err := json.Unmarshal(reference.Read(t, "networks/lan_ddm_testvectors.json"), &vectors); err != nil {
		t.Fatal(err)
	}
	for _, k := range available() {
		worst := 0.0
		for _, v := range vectors {
			b, err := n.bind(v.In[4:5], v.In[5:6], k)
			if err != nil {
				t.Fatal(err)
			}
			got := b.LogLik(v.In[:4])
			worst = max(worst, math.Abs(got-v.LAN))
			if !(math.Abs(got-v.LAN) <= 1e-5) {
				t.Errorf("%s at %v: got %v, want %v", k.name, v.In, got, v.LAN)
			}
		}
		t.Logf("%s: largest error %.2g", k.name, worst)
	}
}

// TestAgainstDoublePrecision compares value and gradient with outputGrad, with
// every set of kernels, for numbers of trials around the block size and widths
// that do not fill a tile.
func TestAgainstDoublePrecision(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	networks := []*Network{
		randomNetwork(r, 1, 1), randomNetwork(r, 3, 7), randomNetwork(r, 4, 10, 20),
		randomNetwork(r, 5, 31, 1, 12, 9), randomNetwork(r, 6, 100, 100, 100),
	}
	for _, n := range networks {
		for _, count := range []int{0, 1, 2, 31, 32, 33, 64, 65, 130} {
			theta := make([]float64, n.Dim())
			for i := range theta {
				theta[i] = r.NormFloat64()
			}
			compare(t, n, theta, count, r, 3e-6)
		}
	}
}

// TestSharedNetworks is the same comparison for real networks over the ranges
// that they were trained on.
func TestSharedNetworks(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 0))
	for _, name := range []string{"ddm", "angle", "weibull", "ornstein"} {
		n := published(t, name)
		for range 10 {
			theta := make([]float64, n.Dim())
			for i := range theta {
				theta[i] = n.Lower[i] + r.Float64()*(n.Upper[i]-n.Lower[i])
			}
			compare(t, n, theta, 40, r, 1e-5)
		}
	}
}

// compare binds count random trials, some of them ties, and checks every set
// of kernels within tolerance times the sum of the trials' sizes.
func compare(t *testing.T, n *Network, theta []float64, count int, r *rand.Rand, tolerance float64) {
	t.Helper()
	rt, choice := make([]float64, count), make([]float64, count)
	dim := n.Dim()
	want, scale := make([]float64, dim+1), make([]float64, dim+1)
	for i := range rt {
		rt[i] = float64(1+r.IntN(200)) / 64
		choice[i] = float64(2*r.IntN(2) - 1)
		value, grad := outputGrad(n, theta, rt[i], choice[i])
		for j, x := range append([]float64{value}, grad...) {
			want[j] += x
			scale[j] += 1 + math.Abs(x)
		}
	}
	for _, k := range available() {
		b, err := n.bind(rt, choice, k)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float64, dim+1)
		got[0] = b.LogLikGrad(theta, got[1:])
		if value := b.LogLik(theta); value != got[0] || b.N() != count || b.Dim() != dim {
			t.Errorf("%s: value %v alone, %v with gradient; n %d, dim %d", k.name, value, got[0], b.N(), b.Dim())
		}
		for j := range want {
			if !(math.Abs(got[j]-want[j]) <= tolerance*scale[j]) {
				t.Errorf("%s, %s, %d trials, quantity %d: got %v, want %v", n.Model, k.name, count, j, got[j], want[j])
			}
		}
	}
}

// TestTanh checks the activation function of every set of kernels, with a layer that multiplies its input by 1.
func TestTanh(t *testing.T) {
	for _, k := range available() {
		worst := 0.0
		weights := pack(1, 1, k.tile, func(int, int) float64 { return tanhScale })
		bias := make([]float32, k.tile)
		x := make([]float32, lanes)
		y := make([]float32, k.tile*lanes)
		for start := -40.0; start < 40; start += 0.1 {
			for i := range x {
				x[i] = float32(start + 0.1*float64(i)/lanes)
			}
			k.forward(&y[0], &x[0], &weights[0], &bias[0], 1, 1)
			for i := range x {
				worst = max(worst, math.Abs(float64(y[i])-math.Tanh(float64(x[i]))))
			}
		}
		t.Logf("%s: largest error %.2g", k.name, worst)
		if worst > 3e-7 {
			t.Errorf("%s: tanh is off by %v", k.name, worst)
		}
	}
}

// TestKernelsStayInBounds puts guard words around the result.
func TestKernelsStayInBounds(t *testing.T) {
	const guard = 12345
	for _, k := range available() {
		for _, tiles := range []int{1, 2, 3} {
			run := func(name string, tile int, f func(dst, x, weights, last *float32, inputs, tiles int)) {
				rows := tiles * tile
				dst := make([]float32, rows*lanes+2*lanes)
				for i := range dst {
					dst[i] = guard
				}
				const inputs = 3
				zero := make([]float32, rows*lanes+inputs*max(rows, lanes))
				f(&dst[lanes], &zero[0], &zero[0], &zero[0], inputs, tiles)
				for i, x := range dst {
					inside := i >= lanes && i < lanes+rows*lanes
					if inside && !(math.Abs(float64(x)) <= 1e-6) || !inside && x != guard {
						t.Fatalf("%s %s, %d tiles: word %d is %v", k.name, name, tiles, i-lanes, x)
					}
				}
			}
			run("forward", k.tile, k.forward)
			run("backward", k.tile, k.backward)
			run("linear", linearTile, k.linear)
		}
	}
}

func TestBindRefuses(t *testing.T) {
	n := randomNetwork(rand.New(rand.NewPCG(5, 0)), 2, 3)
	for _, c := range []struct {
		rt, choice []float64
		want       string
	}{
		{[]float64{1}, nil, "1 response times but 0 choices"},
		{[]float64{1, -1}, []float64{1, 1}, "trial 2: rt -1"},
		{[]float64{math.NaN()}, []float64{1}, "trial 1: rt NaN"},
		{[]float64{1, 1}, []float64{1, 2}, "trial 2: choice 2"},
	} {
		if _, err := n.Bind(c.rt, c.choice); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v %v: error %v, want %q", c.rt, c.choice, err, c.want)
		}
	}
}

func TestNotFinite(t *testing.T) {
	b, _ := benchmarkBound(t, randomNetwork(rand.New(rand.NewPCG(6, 0)), 2, 3), 10)
	for _, x := range []float64{math.NaN(), math.Inf(1)} {
		grad := []float64{7, 7}
		if got := b.LogLikGrad([]float64{0, x}, grad); !math.IsNaN(got) || grad[0] != 0 || grad[1] != 0 {
			t.Errorf("theta %v: value %v, gradient %v", x, got, grad)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	b, theta := benchmarkBound(t, randomNetwork(rand.New(rand.NewPCG(8, 0)), 4, 100, 100), 300)
	want := b.LogLik(theta)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			grad := make([]float64, 4)
			for range 10 {
				if got := b.LogLikGrad(theta, grad); got != want {
					t.Errorf("got %v, want %v", got, want)
				}
			}
		})
	}
	wait.Wait()
}

// benchmarkBound binds count trials without ties, at mid-range parameters.
func benchmarkBound(t testing.TB, n *Network, count int) (*Bound, []float64) {
	t.Helper()
	r := rand.New(rand.NewPCG(9, 0))
	rt, choice := make([]float64, count), make([]float64, count)
	for i := range rt {
		rt[i] = 0.3 + math.Exp(0.1+0.6*r.NormFloat64())
		choice[i] = float64(2*r.IntN(2) - 1)
	}
	b, err := n.Bind(rt, choice)
	if err != nil {
		t.Fatal(err)
	}
	theta := make([]float64, n.Dim())
	for i := range theta {
		theta[i] = 0.55*n.Lower[i] + 0.45*n.Upper[i]
	}
	return b, theta
}

func BenchmarkBound(b *testing.B) {
	n := published(b, "ddm")
	for _, count := range []int{100, 1000, 100000} {
		bound, theta := benchmarkBound(b, n, count)
		grad := make([]float64, n.Dim())
		b.Run(fmt.Sprintf("value/%d", count), func(b *testing.B) {
			for b.Loop() {
				bound.LogLik(theta)
			}
		})
		b.Run(fmt.Sprintf("gradient/%d", count), func(b *testing.B) {
			for b.Loop() {
				bound.LogLikGrad(theta, grad)
			}
		})
	}
}

// BenchmarkKernels compares the sets of kernels on one hidden layer and block.
func BenchmarkKernels(b *testing.B) {
	r := rand.New(rand.NewPCG(10, 0))
	n := randomNetwork(r, 4, 100, 100)
	for _, k := range available() {
		p := newPlan(n, k)
		w := newWorkspace(p)
		b.Run(k.name, func(b *testing.B) {
			s := &p.hidden[0]
			for b.Loop() {
				p.forward(&w.active[1][0], &w.active[0][0], &s.forward[0], &s.bias[0], s.inputs, len(s.bias)/p.tile)
			}
			b.ReportMetric(float64(b.N)*100*100*lanes/b.Elapsed().Seconds()/1e9, "GMAC/s")
		})
	}
}
