package flow

import (
	"math"
	"math/rand/v2"
	"testing"

	"likc/runtime/model/neural/frame"
	"likc/runtime/model/neural/network"
	"likc/runtime/model/ssm"
)

// wild returns a flow with random weights, which is less smooth than a trained one.
func wild(t testing.TB, steps int, hidden ...int) *Flow {
	t.Helper()
	m, err := ssm.Lookup("ddm")
	if err != nil {
		t.Fatal(err)
	}
	inputs := frame.New(m)
	n, err := network.New(append(append([]int{1 + Features + inputs.Inputs()}, hidden...), 1), network.Tanh, network.Linear)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	n.Init(r, 1.5)
	for i := range n.Weights {
		n.Weights[i] *= 1.2
	}
	f, err := New(inputs, -0.4, 0.9, steps, n)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

var places = [][]float64{{1, 1, 0.5, 0.3}, {-2.2, 0.5, 0.8, 0}, {0.3, 2.4, 0.2, 1.5}}

// TestConverges checks that with more fixed steps the result converges to adaptive integration, with an error that
// falls with the square of the number of steps.
func TestConverges(t *testing.T) {
	coarse, fine := wild(t, 40, 24, 24), wild(t, 160, 24, 24)
	r := rand.New(rand.NewPCG(3, 4))
	sumCoarse, sumFine := 0.0, 0.0
	for _, theta := range places {
		for _, choice := range []float64{-1, 1} {
			for range 5 {
				rt := []float64{theta[3] + math.Exp(-0.4+0.9*r.NormFloat64())}
				want, err := fine.Adaptive(theta, rt[0], choice, 1e-10)
				if err != nil {
					t.Fatal(err)
				}
				var a, b [1]float64
				coarse.LogDensity(a[:], [][]float64{theta}, rt, []float64{choice})
				fine.LogDensity(b[:], [][]float64{theta}, rt, []float64{choice})
				sumCoarse += math.Abs(a[0] - want)
				sumFine += math.Abs(b[0] - want)
			}
		}
	}
	t.Logf("mean error %.2g with 40 steps, %.2g with 160", sumCoarse/30, sumFine/30)
	if sumFine/30 > 1e-3 || sumFine > sumCoarse/8 {
		t.Errorf("the steps do not converge to the adaptive solution")
	}
}

// TestMass checks that the density integrates to one, also with few steps.
func TestMass(t *testing.T) {
	for _, steps := range []int{10, 20, 40} {
		f := wild(t, steps, 16, 16)
		for _, theta := range places {
			const n, reach = 4000, 9.0
			var rt, choice []float64
			var thetas [][]float64
			for i := range n {
				x := -reach + 2*reach*(float64(i)+0.5)/n
				rt, choice, thetas = append(rt, theta[3]+math.Exp(f.Centre+f.Scale*x)), append(choice, 1), append(thetas, theta)
			}
			logs, mass := make([]float64, n), 0.0
			f.LogDensity(logs, thetas, rt, choice)
			for i, l := range logs {
				mass += math.Exp(l) * (rt[i] - theta[3]) * f.Scale * 2 * reach / n
			}
			if math.Abs(mass-1) > 1e-3 {
				t.Errorf("%d steps, θ %v: mass %v", steps, theta, mass)
			}
		}
	}
}

// TestSupport checks that the density is 0 before the onset and outside the parameters' domain, and NaN for NaN parameters.
func TestSupport(t *testing.T) {
	f := wild(t, 4, 8)
	var got [3]float64
	theta := []float64{1, 1, 0.5, 0.3}
	f.LogDensity(got[:], [][]float64{theta, theta, {math.NaN(), 1, 0.5, 0.3}}, []float64{0.3, 0.31, 1}, []float64{1, 1, 1})
	if !math.IsInf(got[0], -1) || math.IsInf(got[1], 0) || !math.IsNaN(got[2]) {
		t.Errorf("%v", got)
	}
	b, err := f.Bind([]float64{0.5, 0.9}, []float64{1, -1})
	if err != nil {
		t.Fatal(err)
	}
	grad := []float64{1, 1, 1, 1}
	if v := b.LogLikGrad([]float64{1, 1, 0.5, 0.5}, grad); !math.IsInf(v, -1) || grad[0] != 0 || grad[3] != 0 {
		t.Errorf("at the first trial: %v %v", v, grad)
	}
	if _, err := f.Bind([]float64{0.5, -1}, []float64{1, 1}); err == nil {
		t.Error("a negative rt was bound")
	}
}

// TestGradient compares with central differences of the value, which have the rounding errors of single precision.
func TestGradient(t *testing.T) {
	f := wild(t, 20, 24, 24, 24)
	r := rand.New(rand.NewPCG(5, 6))
	var rt, choice []float64
	for range 75 {
		rt, choice = append(rt, 1.6+math.Exp(0.7*r.NormFloat64()-0.4)), append(choice, float64(2*r.IntN(2)-1))
	}
	b, err := f.Bind(rt, choice)
	if err != nil {
		t.Fatal(err)
	}
	for _, theta := range places {
		grad := make([]float64, 4)
		value := b.LogLikGrad(theta, grad)
		if again := b.LogLik(theta); again != value {
			t.Errorf("LogLik %v, LogLikGrad %v", again, value)
		}
		for i := range theta {
			at := append([]float64(nil), theta...)
			const h = 2e-3
			at[i] += h
			up := b.LogLik(at)
			at[i] -= 2 * h
			down := b.LogLik(at)
			want := (up - down) / (2 * h)
			if math.Abs(grad[i]-want) > 2e-2*math.Max(1, math.Abs(want)) {
				t.Errorf("θ %v: ∂%d is %v, differences say %v", theta, i, grad[i], want)
			}
		}
	}
}

// TestBoundAgrees checks that the log-likelihood is the sum of the log densities.
func TestBoundAgrees(t *testing.T) {
	f := wild(t, 5, 16, 16)
	theta := places[0]
	var rt, choice, logs []float64
	var thetas [][]float64
	for i := range 70 {
		rt, choice, thetas = append(rt, 0.4+0.03*float64(i)), append(choice, float64(1-2*(i%3/2))), append(thetas, theta)
	}
	logs = make([]float64, len(rt))
	f.LogDensity(logs, thetas, rt, choice)
	sum := 0.0
	for _, l := range logs {
		sum += l
	}
	b, err := f.Bind(rt, choice)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.LogLik(theta); math.Abs(got-sum) > 1e-4*math.Abs(sum) {
		t.Errorf("bound %v, sum of densities %v", got, sum)
	}
}

func BenchmarkThousandTrials(b *testing.B) {
	f := wild(b, DefaultSteps, 128, 128, 128)
	r := rand.New(rand.NewPCG(1, 1))
	var rt, choice []float64
	for range 1000 {
		rt, choice = append(rt, 0.35+math.Exp(r.NormFloat64()-1)), append(choice, float64(2*r.IntN(2)-1))
	}
	bound, err := f.Bind(rt, choice)
	if err != nil {
		b.Fatal(err)
	}
	grad := make([]float64, 4)
	b.Run("value", func(b *testing.B) {
		for b.Loop() {
			bound.LogLik(places[0])
		}
	})
	b.Run("gradient", func(b *testing.B) {
		for b.Loop() {
			bound.LogLikGrad(places[0], grad)
		}
	})
}
