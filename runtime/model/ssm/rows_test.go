package ssm

import (
	"math"
	"math/rand/v2"
	"testing"

	"likc/runtime/model/kernel"
)

// simulatedTrials are n trials at theta, with times rounded to a millisecond, so that some are equal.
func simulatedTrials(t testing.TB, theta []float64, n int) (rt, choice []float64) {
	t.Helper()
	rt, choice = make([]float64, n), make([]float64, n)
	if err := DDM.Simulate(NewRand(3, 4), theta, ExactScheme(), rt, choice); err != nil {
		t.Fatal(err)
	}
	for i := range rt {
		rt[i] = math.Round(rt[i]*1000) / 1000
	}
	return rt, choice
}

// Rows agree with the density of single trials, which another formula computes, for ordinary and for extreme parameters.
func TestRowsAreDensities(t *testing.T) {
	rt, choice := simulatedTrials(t, []float64{1, 1.2, 0.45, 0.3}, 300)
	rt[0], rt[1], rt[2] = 0.3, 1e-9, 1e6
	r, err := NewRows(rt, choice)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	points := [][]float64{{1, 1.2, 0.45, 0.3}, {0, 1, 1e-5, 0}, {1, 1, 1 - 1e-5, 0}, {1, 1e-40, 0.5, 0}, {30, 20, 0.5, 0}, {-40, 0.05, 0.3, -1},
		{1, 1, 0, 0}, {1, -1, 0.5, 0}, {math.NaN(), 1, 0.5, 0}, {1, math.NaN(), 0.5, 0}, {math.Inf(1), 1, 0.5, 0}, {1, 1, 0.5, 2e6}}
	for range 60 {
		points = append(points, []float64{10 * rng.NormFloat64(), 3 * rng.Float64(), rng.Float64(), 0.6 * rng.Float64()})
	}
	logp, grad, want := make([]float64, len(rt)), make([][]float64, 4), make([]float64, 4)
	for j := range grad {
		grad[j] = make([]float64, len(rt))
	}
	for _, theta := range points {
		r.Each(kernel.Fixed(theta), logp, grad)
		for i := range rt {
			value := logDensityGrad(rt[i], choice[i], theta, want)
			if logp[i] != value && !(math.IsNaN(value) && math.IsNaN(logp[i])) && !(math.Abs(logp[i]-value) <= 1e-12*max(1, math.Abs(value))) {
				t.Fatalf("at %v, rt %v, choice %v: %v, the density is %v", theta, rt[i], choice[i], logp[i], value)
			}
			for j, w := range want {
				size := max(1, math.Abs(w), math.Abs(value))
				if math.IsInf(value, 0) || math.IsNaN(value) {
					w, size = 0, 0
				}
				if !(math.Abs(grad[j][i]-w) <= 1e-9*size) {
					t.Fatalf("at %v, rt %v, choice %v: derivative in %s is %v, of the density %v", theta, rt[i], choice[i], DDM.Params[j].Name, grad[j][i], w)
				}
			}
		}
	}
}

func TestRowsContract(t *testing.T) {
	rt, choice := simulatedTrials(t, []float64{1, 1.2, 0.45, 0.3}, 40)
	r, err := NewRows(rt, choice)
	if err != nil {
		t.Fatal(err)
	}
	kernel.CheckRows(t, r, [][]float64{{1, 1.2, 0.45, 0.2}, {-2, 0.7, 0.6, 0.1}, {0.3, 2, 0.3, 0}, {1, 1, 0.5, 9}})
	if _, err := NewRows([]float64{0.5, -1}, []float64{1, 1}); err == nil {
		t.Error("a negative rt is no error")
	}
}

func BenchmarkRows(b *testing.B) {
	theta := []float64{1, 1.2, 0.45, 0.3}
	rt, choice := simulatedTrials(b, theta, 1000)
	r, err := NewRows(rt, choice)
	if err != nil {
		b.Fatal(err)
	}
	drifts := make([]float64, len(rt))
	for i := range drifts {
		drifts[i] = rand.NormFloat64()
	}
	grad := make([][]float64, 4)
	for j := range grad {
		grad[j] = make([]float64, len(rt))
	}
	logp := make([]float64, len(rt))
	at := kernel.Fixed([]float64{1, 1.2, 0.45, 0.2})
	b.Run("shared", func(b *testing.B) {
		for b.Loop() {
			r.Each(at, logp, grad)
		}
	})
	b.Run("drifts", func(b *testing.B) {
		own := append([][]float64{drifts}, at[1:]...)
		for b.Loop() {
			r.Each(own, logp, grad)
		}
	})
	b.Run("value", func(b *testing.B) {
		for b.Loop() {
			r.Each(at, logp, nil)
		}
	})
	b.Run("all", func(b *testing.B) {
		own := append([][]float64{}, at...)
		own[1] = make([]float64, len(rt))
		for i := range own[1] {
			own[1][i] = 1.2
		}
		for b.Loop() {
			r.Each(own, logp, grad)
		}
	})
	b.Run("summed", func(b *testing.B) {
		e, _ := NewExact(rt, choice)
		g := make([]float64, 4)
		for b.Loop() {
			e.LogLikGrad([]float64{1, 1.2, 0.45, 0.2}, g)
		}
	})
}
