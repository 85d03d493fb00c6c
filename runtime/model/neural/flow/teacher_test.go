package flow

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"likc/runtime/model/kernel"
	"likc/runtime/model/neural/network"
)

func wildTeacher(t testing.TB) *Teacher {
	t.Helper()
	f := wild(t, 20, 16, 16)
	choice, err := network.New([]int{f.Frame.Inputs(), 8, 1}, network.Tanh, network.Linear)
	if err != nil {
		t.Fatal(err)
	}
	choice.Init(rand.New(rand.NewPCG(4, 4)), 1)
	teacher, err := NewTeacher(f, choice)
	if err != nil {
		t.Fatal(err)
	}
	return teacher
}

// TestOutsideTheDomain checks that outside the model's domain the log density is -Inf with a zero gradient,
// and that extreme parameters never give +Inf or NaN.
func TestOutsideTheDomain(t *testing.T) {
	teacher := wildTeacher(t)
	lik, err := teacher.Sum(kernel.Responses([]float64{0.5, 0.7, 0.9}, []float64{1, -1, 1}))
	if err != nil {
		t.Fatal(err)
	}
	inf := math.Inf(1)
	for _, theta := range [][]float64{
		{1, -1, 0.5, 0.1}, {1, 0, 0.5, 0.1}, {1, 1, 1.5, 0.1}, {1, 1, 0, 0.1}, {1, 1, 0.5, 0.5}, {inf, 1, 0.5, 0.1}, {-inf, 1, 0.5, 0.1}, {1, inf, 0.5, 0.1},
	} {
		grad := []float64{1, 2, 3, 4}
		if v := lik.LogLikGrad(theta, grad); !math.IsInf(v, -1) || !math.IsInf(lik.LogLik(theta), -1) || !slices.Equal(grad, make([]float64, 4)) {
			t.Errorf("at %v: %v with gradient %v, want -Inf and zeros", theta, v, grad)
		}
		dst := []float64{0}
		if teacher.LogDensity(dst, [][]float64{theta}, []float64{0.5}, []float64{1}); !math.IsInf(dst[0], -1) {
			t.Errorf("at %v: log density %v", theta, dst[0])
		}
	}
	if v := lik.LogLik([]float64{math.NaN(), 1, 0.5, 0.1}); !math.IsNaN(v) {
		t.Errorf("at NaN: %v", v)
	}
	for _, far := range []float64{2500, 1e6, 1e39, 1e300} {
		for _, theta := range [][]float64{{far, 1, 0.5, 0.1}, {-far, 1, 0.5, 0.1}, {1, far, 0.5, 0.1}, {1, 1, 0.5, -far}} {
			grad := make([]float64, 4)
			v := lik.LogLikGrad(theta, grad)
			if math.IsNaN(v) || math.IsInf(v, 1) || v != lik.LogLik(theta) || math.IsInf(v, -1) && !slices.Equal(grad, make([]float64, 4)) {
				t.Errorf("at %v: %v with gradient %v", theta, v, grad)
			}
		}
	}
	// A trial with the density 0 does not change the results of later trials.
	theta, next := []float64{1, 1, 0.5, 0.3}, []float64{-2, 1, 0.5, 0.3}
	got, want := make([]float64, 4), make([]float64, 1)
	teacher.LogDensity(got, [][]float64{theta, next, next, next}, []float64{0.8, 0.1, 0.8, 0.8}, []float64{1, 1, 1, 1})
	teacher.LogDensity(want, [][]float64{next}, []float64{0.8}, []float64{1})
	if got[2] != got[3] || math.Abs(got[2]-want[0]) > 1e-6 || !math.IsInf(got[1], -1) {
		t.Errorf("%v, want %v at last", got, want)
	}
}

// TestJoint checks that the joint density integrates to one over choices and time, and that its gradient agrees with finite differences.
func TestJoint(t *testing.T) {
	teacher := wildTeacher(t)
	for _, theta := range places {
		const n, reach = 3000, 8.0
		mass := 0.0
		for _, side := range []float64{-1, 1} {
			rt, choice, logs, thetas := make([]float64, n), make([]float64, n), make([]float64, n), make([][]float64, n)
			for i := range n {
				rt[i] = theta[3] + math.Exp(teacher.Centre+teacher.Scale*(2*reach*(float64(i)+0.5)/n-reach))
				choice[i], thetas[i] = side, theta
			}
			teacher.LogDensity(logs, thetas, rt, choice)
			for i, l := range logs {
				mass += math.Exp(l) * (rt[i] - theta[3]) * teacher.Scale * 2 * reach / n
			}
		}
		if math.Abs(mass-1) > 1e-3 {
			t.Errorf("θ %v: mass %v", theta, mass)
		}
	}
	lik, err := teacher.Sum(kernel.Responses([]float64{1.6, 1.9, 2.5, 3.1}, []float64{1, -1, -1, 1}))
	if err != nil {
		t.Fatal(err)
	}
	for _, theta := range places {
		grad := make([]float64, 4)
		lik.LogLikGrad(theta, grad)
		for i := range theta {
			at := append([]float64(nil), theta...)
			at[i] += 2e-3
			up := lik.LogLik(at)
			at[i] -= 4e-3
			want := (up - lik.LogLik(at)) / 4e-3
			if math.Abs(grad[i]-want) > 1e-2*math.Max(1, math.Abs(want)) {
				t.Errorf("θ %v: ∂%d is %v, differences say %v", theta, i, grad[i], want)
			}
		}
	}
}

// TestReadDamaged checks that cut bytes are refused, and that changed bytes never cause a panic.
func TestReadDamaged(t *testing.T) {
	teacher := wildTeacher(t)
	data, err := Write(teacher.Centre, teacher.Scale, teacher.Steps, teacher.Net, teacher.choice)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Read(teacher.Frame.Model, data)
	if err != nil {
		t.Fatal(err)
	}
	var a, b [1]float64
	rt, choice := []float64{1.2}, []float64{-1}
	teacher.LogDensity(a[:], places[:1], rt, choice)
	again.LogDensity(b[:], places[:1], rt, choice)
	if a != b {
		t.Errorf("read back: %v, was %v", b, a)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		if _, err := Read(teacher.Frame.Model, data[:r.IntN(len(data))]); err == nil {
			t.Fatal("cut bytes were read")
		}
		changed := append([]byte(nil), data...)
		changed[r.IntN(80)] ^= byte(1 + r.IntN(255))
		Read(teacher.Frame.Model, changed)
	}
}

// TestTogether checks that concurrent evaluations give the same bits as single ones.
func TestTogether(t *testing.T) {
	lik, err := wildTeacher(t).Sum(kernel.Responses([]float64{1.6, 1.9, 2.5, 3.1, 4}, []float64{1, -1, -1, 1, 1}))
	if err != nil {
		t.Fatal(err)
	}
	alone := make([]float64, len(places))
	for i, theta := range places {
		alone[i] = lik.LogLikGrad(theta, make([]float64, 4))
	}
	var wait sync.WaitGroup
	wrong := make([]int, 4)
	for g := range wrong {
		wait.Go(func() {
			grad := make([]float64, 4)
			for k := range 40 {
				if i := (k + g) % len(places); lik.LogLikGrad(places[i], grad) != alone[i] {
					wrong[g]++
				}
			}
		})
	}
	wait.Wait()
	for g, n := range wrong {
		if n > 0 {
			t.Errorf("goroutine %d: %d answers differ", g, n)
		}
	}
}
